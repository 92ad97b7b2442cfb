import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";

/** Runs a tool; returns its exit code and what it printed. */
function run(tool: string, ...args: string[]): Promise<[number, string, string]> {
  return runIn({}, tool, ...args);
}

/** The same, with variables of the environment. */
async function runIn(
  env: Record<string, string>,
  tool: string,
  ...args: string[]
): Promise<[number, string, string]> {
  const path = new URL(`./${tool}.ts`, import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", path, ...args],
    env,
  }).output();
  const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  return [code, out, error];
}

Deno.test("every tool has a help, and refuses what it does not know", async (t) => {
  for (const tool of ["compare", "fuzz", "fuzz_input", "habits", "match", "mutate", "soak"]) {
    await t.step(tool, async () => {
      const [code, help] = await run(tool, "--help");
      assertMatch(help, new RegExp(`^deno task ${tool.replace("_", ":")} \\[`, "m"));
      assertEquals([code, help, ""], await run(tool, "-h"));
      assertEquals(code, 0);
      assertEquals(await run(tool, "1", "--nonsense"), [
        2,
        "",
        "error: Unknown option '--nonsense'",
      ]);
      // Some take options alone, mutate takes a text, the others a number and a seed.
      const most = { compare: 0, habits: 0, match: 0, mutate: 1 }[tool] ?? 2,
        words = ["1", "2", "3"].slice(0, most + 1);
      const refusal = `error: Expected nothing more, got "${most + 1}"`;
      assertEquals(await run(tool, ...words), [2, "", refusal]);
    });
  }
});

Deno.test("no work at all is refused", async () => {
  for (const [tool, ...args] of [["fuzz", "0", "1"], ["soak", "0", "1"], ["fuzz_input", "0"]]) {
    const [code, out, error] = await run(tool, ...args);
    assertEquals([code, out], [2, ""]);
    assertMatch(error, /^error: Expected a whole number from 1 for the \w+, got "0"$/);
  }
  for (const [tool, option] of [["match", "--games"], ["compare", "--rounds"]]) {
    const [code, out, error] = await run(tool, option, "0");
    assertEquals([code, out], [2, ""]);
    assertMatch(error, new RegExp(`^error: .* from 1 for ${option}, got "0"$`));
  }
});

Deno.test("an option with a value needs one, an option without has none", async () => {
  for (
    const [option, error] of [
      ["--rounds=1 --svg=", 'Expected a value for --svg, got ""'],
      ["--svg", "Option '--svg <value>' argument missing"],
      ["--svg --json", "Option '--svg' argument is ambiguous"],
      ["--json=yes", "Option '--json' does not take an argument"],
    ]
  ) {
    assertEquals(await run("compare", ...option.split(" ")), [2, "", `error: ${error}`]);
  }
});

Deno.test("files that cannot be read or written are refused before anything is measured", async () => {
  const folder = Deno.makeTempDirSync(), engine = `${folder}/engine`;
  Deno.writeTextFileSync(engine, `#!/bin/sh\ntouch ${engine}.started`, { mode: 0o755 });
  const refused = async (...args: string[]) => {
    // Stockfish is the first that is measured.
    const [code, out, error] = await runIn({ STOCKFISH: engine }, "compare", ...args);
    assertEquals([code, out], [2, ""]);
    assertMatch(error, /^error: .*$/);
    assert(!existsSync(`${engine}.started`), "too late");
    return error;
  };
  try {
    assertStringIncludes(await refused("--games", `${folder}/missing`), `${folder}/missing`);
    assertStringIncludes(await refused("--svg", `${folder}/missing/a.svg`), `${folder}/missing`);
    assertStringIncludes(await refused("--games", folder), `none in "${folder}"`);
    for (const [game, error] of [["1. e4 e5 oops", 'a move, got "oops'], ["1. e5", '"e5"']]) {
      Deno.writeTextFileSync(`${folder}/games.pgn`, `[Event "?"]\n\n${game} *\n`);
      const line = await refused("--perft", "--rounds", "1", "--games", folder);
      assertStringIncludes(line, `${folder}/games.pgn: Line `);
      assertStringIncludes(line, error);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a wrong count is reported, and the exit code is 1", async () => {
  const fen = "7k/8/8/8/8/8/8/K7 w - - 0 1";
  const [code, report] = await run("runtime", JSON.stringify([[fen, 1, 4]]));
  assertEquals(code, 1);
  assertEquals(JSON.parse(report), { error: `Expected 4 leaves, got 3 in ${fen}` });
});

Deno.test("an engine that cannot be started, or does not stay, is named", async () => {
  for (const engine of ["no-such-engine", "false"]) {
    const [code, , error] = await run("match", "--engine", engine);
    assertEquals(code, 2);
    assert(error.startsWith("error: ") && error.includes(engine), error);
  }
});

Deno.test("an interrupted match prints its tally", async () => {
  const folder = await Deno.makeTempDir();
  try {
    // An engine that loses its first game as White by an illegal move, and interrupts the next.
    await Deno.writeTextFile(
      `${folder}/engine`,
      `#!/bin/sh
while read -r command rest; do
  case $command in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go) if [ -n "$again" ]; then kill -INT $PPID; else again=1; echo bestmove a1a1; fi ;;
  esac
done
`,
      { mode: 0o755 },
    );
    const engine = `${folder}/engine`;
    const [code, out] = await run("match", "--engine", engine, "--opponent", engine);
    assertEquals(code, 130);
    assertMatch(out, /^1 won, 0 drawn, 1 lost, 18 not played\n50\.0 % of the points/);
    assertMatch(out, /1 lost by illegal move "a1a1" in /);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "mutate leaves nothing behind when it is told to end",
  ignore: Deno.build.os !== "linux", // where /proc tells in which folders processes run
}, async () => {
  const folder = await Deno.makeTempDir();
  const here = () => [...Deno.readDirSync(folder)].map(({ name }) => name);
  try {
    for (const [signal, expected] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
      const tool = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "tools/mutate.ts"],
        env: { TMPDIR: folder },
        stdout: "null",
      }).spawn();
      // A copy of the project, in which the tests are running.
      while (here().length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      const copy = `${folder}/${here()[0]}`;
      const users = () =>
        [...Deno.readDirSync("/proc")].filter(({ name }) => {
          try {
            return Deno.readLinkSync(`/proc/${name}/cwd`) === copy;
          } catch {
            return false; // not a process, or not any more
          }
        });
      while (users().length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      tool.kill(signal);
      assertEquals((await tool.status).code, expected);
      assertEquals(here(), []);
      while (users().length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
