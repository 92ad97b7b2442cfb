import { assert, assertEquals, assertMatch } from "@std/assert";

/** Runs a tool; returns its exit code and what it printed. */
async function run(tool: string, ...args: string[]): Promise<[number, string, string]> {
  const path = new URL(`./${tool}.ts`, import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", path, ...args],
  }).output();
  const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  return [code, out, error];
}

Deno.test("every tool has a help, and refuses what it does not know", async (t) => {
  for (const tool of ["fuzz", "fuzz_input", "match", "mutate", "soak"]) {
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
      // The options of match stand alone, mutate takes a text, the others a number and a seed.
      const most = { match: 0, mutate: 1 }[tool] ?? 2, words = ["1", "2", "3"].slice(0, most + 1);
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
  assertMatch((await run("match", "--games", "0"))[2], /^error: .* from 1 for --games, got "0"$/);
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
