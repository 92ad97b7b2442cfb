import { assert, assertAlmostEquals, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  chart,
  type DailyResult,
  dailyTables,
  geometricMean,
  type Result,
  tables,
} from "./compare.ts";
import { type Named, Peers } from "./children.ts";
import { pgnRows } from "./compare_pgn.ts";
import { measureTask, TASKS } from "./daily.ts";
import { PEERS } from "./peers.ts";

const RESULTS: Result[] = [
  { name: "Stockfish", version: "15.1", kind: "native", speeds: { start: 100, endgame: 400 } },
  { name: "Quintessence", kind: "TypeScript", speeds: { start: 50, endgame: 200 } },
  { name: "snail", version: "1 <&>", kind: "npm", speeds: { start: 0.5, endgame: 0.5 } },
];

/** Reads XML without text checks: every tag closed in its order, one root, nothing unescaped. */
function assertWellFormed(xml: string) {
  const open: string[] = [];
  const rest = xml.trim().replaceAll(
    /<(\/?)(\w+)((?: [\w-]+="[^"<&]*")*)(\/?)>/g,
    (_, closing, name, _attributes, empty) => {
      if (closing) assertEquals(open.pop(), name);
      else if (!empty) open.push(name);
      return "";
    },
  );
  assertEquals(open, []);
  assertEquals(rest.replaceAll(/&(amp|lt|gt|quot);/g, "").match(/[<&]/g), null, rest);
}

Deno.test("geometric mean", () => {
  assertAlmostEquals(geometricMean([1, 100]), 10);
  assertAlmostEquals(geometricMean([0.5, 2, 8]), 2);
  assertAlmostEquals(geometricMean([7]), 7);
});

Deno.test("tables hold speeds, ratios and means", () => {
  const expected = `
| Million leaves/s |            | start | endgame | mean |
| ---------------- | ---------- | ----: | ------: | ---: |
| Stockfish 15.1   | native     |   100 |     400 |  200 |
| Quintessence     | TypeScript |  50.0 |     200 |  100 |
| snail 1 <&>      | npm        |  0.50 |    0.50 | 0.50 |

| Ratio to Stockfish |            |  start | endgame |   mean |
| ------------------ | ---------- | -----: | ------: | -----: |
| Stockfish 15.1     | native     |   1.00 |    1.00 |   1.00 |
| Quintessence       | TypeScript |   0.50 |    0.50 |   0.50 |
| snail 1 <&>        | npm        | 0.0050 |  0.0013 | 0.0025 |`;
  assertEquals("\n" + tables(RESULTS, "Stockfish"), expected);
});

Deno.test("tables leave the ratios out if Stockfish is missing", () => {
  const text = tables(RESULTS.slice(1), "Stockfish");
  assertEquals(text.split("\n").length, 4);
  assert(!text.includes("Ratio"), text);
});

Deno.test("the chart is well-formed, sorted and logarithmic", () => {
  const svg = chart(RESULTS.toReversed());
  assertWellFormed(svg);
  assertMatch(svg, /Stockfish 15\.1[^]*Quintessence[^]*snail 1 &lt;&amp;>/);
  const decades = [...svg.matchAll(/<text x="(\d+)"[^>]*>(0\.1|1|10|100|1000)<\/text>/g)];
  assertEquals(decades.map(([_, _x, text]) => text), ["0.1", "1", "10", "100", "1000"]);
  const ends = [...svg.matchAll(/<rect.* x="(\d+)".* width="(\d+)"/g)]
    .map(([_, x, width]) => Number(x) + Number(width));
  assertEquals(ends.length, RESULTS.length);
  assertEquals(ends[1], Number(decades[3][1])); // Quintessence's mean is 100
});

Deno.test("daily tables hold times and ratios, and nothing where a library has no such thing", () => {
  const tasks = Object.keys(TASKS), [first] = tasks;
  const times = (time: number) => Object.fromEntries(tasks.map((task) => [task, time]));
  const results: DailyResult[] = [
    { name: "Quintessence", inARow: times(100), inTurn: times(200) },
    { name: "chessops", version: "1", inARow: times(250), inTurn: times(100) },
    { name: "snail", inARow: { [first]: 12345 }, inTurn: {} },
  ];
  const cells = dailyTables(results).split("\n").map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim())
  );
  assertEquals(cells.length, 2 * (tasks.length + 2) + 1);
  assertEquals(cells[0].slice(1), ["Quintessence", "chessops 1", "snail", "chessops / ours"]);
  assertEquals(cells[2], [first, "100", "250", "12300", "2.50"]);
  assertEquals(cells[3], [tasks[1], "100", "250", "", "2.50"]);
  assertEquals(cells.at(-1), [tasks.at(-1), "200", "100", "", "0.50"]);
  assert(!dailyTables(results.slice(0, 1)).includes("chessops"));
});

Deno.test("a task meets every board: a hundred times in a row, or in turn", () => {
  const corpus = { start: "start", games: [["a", "b"], ["c"]], fens: ["x", "y"] };
  const seen: string[] = [];
  const library = {
    setUp: (fen: string) => [fen],
    write: ([fen]: string[]) => {
      seen.push(fen);
      return fen;
    },
    play: (board: string[], move: string) => board.push(move),
    list: () => [],
    isOver: () => false,
  };
  assert(measureTask("write a FEN", library, corpus, false, 1)! > 0);
  assertEquals(seen.slice(0, 200).join(""), "x".repeat(100) + "y".repeat(100));
  seen.length = 0;
  measureTask("write a FEN", library, corpus, true, 1);
  assertEquals(seen.slice(0, 4).join(""), "xyxy");
  const boards: string[][] = [];
  const setUp = (fen: string) => boards[boards.push([fen]) - 1];
  measureTask("play a move by UCI text", { ...library, setUp }, corpus, true, 1);
  const games = boards.slice(0, 3).map((board) => board.join(""));
  assertEquals(games, ["startab", "startc", "startc"]); // over, so again from the start
  assertEquals(measureTask("squares of a set", library, corpus, true, 1), undefined);
});

Deno.test("the lock file pins the packages of all peers, and no others", () => {
  const lock = JSON.parse(Deno.readTextFileSync(new URL("peers.lock", import.meta.url)));
  const packages = Object.entries(PEERS).filter(([, { version }]) => version)
    .map(([name, { version }]) => [`npm:${name}@${version}`, version]);
  assertEquals(lock.specifiers, Object.fromEntries(packages));
  for (const [name, { integrity }] of Object.entries<{ integrity: string }>(lock.npm)) {
    assertMatch(integrity, /^sha512-/, name);
  }
});

Deno.test("peers answer, and those that fail are left out with the reason", async () => {
  const file = Deno.makeTempFileSync({ suffix: ".ts" });
  Deno.writeTextFileSync(
    file,
    `import process from "node:process";
    const [name] = Deno.args;
    process.on("disconnect", () => Deno.exit());
    process.on("message", (word) => name === "weak" ? Deno.exit(3) : process.send({ next: word + '!' }));
    process.send(name === "broken" ? { error: "no package" } : { version: "1.2" });`,
  );
  try {
    const peers = new Peers<Named, string, { error?: string; version?: string; next?: string }>(
      file,
    );
    const [good, broken, weak, wrong] = ["good", "broken", "weak", "wrong"].map((name) => ({
      name,
    }));
    for (const peer of [good, broken, weak, wrong]) await peers.start(peer);
    assertEquals((await peers.ask(good, "ho"))?.next, "ho!");
    assertEquals(await peers.ask(broken, "ho"), undefined);
    assertEquals(await peers.ask(weak, "ho"), undefined);
    peers.drop(wrong, "it is wrong");
    assertEquals((await peers.ask(good, "he"))?.next, "he!");
    assertEquals(peers.finish(), {
      results: [{ name: "good", version: "1.2" }],
      failures: [
        "broken is left out: no package",
        "weak 1.2 is left out: its process ended with exit code 3",
        "wrong 1.2 is left out: it is wrong",
      ],
    });
  } finally {
    Deno.removeSync(file);
  }
});

for (
  const [signal, ending, expected] of [
    ["SIGTERM", "SIGTERM", 143],
    ["SIGINT", "SIGINT", 130],
    ["SIGUSR1", "an error", 2],
    ["SIGUSR2", "a normal end", 0],
  ] as const
) {
  const name = `${ending} leaves no process and no folder behind`;
  Deno.test(name, { ignore: Deno.build.os !== "linux" }, async () => {
    const code = `import { makeFolder, startChild } from "${import.meta.resolve("./children.ts")}";
      import { fail } from "${import.meta.resolve("./cli.ts")}";
      Deno.addSignalListener("SIGUSR1", () => fail("over"));
      Deno.addSignalListener("SIGUSR2", () => Deno.exit());
      const script = "sleep 1000 & echo $!; wait"; // a grandchild, in the same group
      const { process } = startChild("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] });
      process.stdout.on("data", (pid) => console.log(makeFolder() + " " + String(pid).trim()));`;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", code],
      stdout: "piped",
      stderr: "null",
    });
    const parent = child.spawn(), reader = parent.stdout.getReader();
    const [folder, pid] = new TextDecoder().decode((await reader.read()).value).trim().split(" ");
    assert(Deno.statSync(folder).isDirectory);
    const isAlive = () => {
      try {
        return !/^State:\s*Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`)); // a zombie is dead
      } catch {
        return false;
      }
    };
    assert(isAlive());
    parent.kill(signal);
    assertEquals((await parent.status).code, expected);
    await reader.cancel();
    assertThrows(() => Deno.statSync(folder), Deno.errors.NotFound);
    for (let tries = 0; isAlive() && tries < 50; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert(!isAlive(), `process ${pid} is alive`);
  });
}

Deno.test("the table of games says how many times as fast we are", () => {
  const kind = "native",
    rows = pgnRows([
      { name: "pgn-extract", version: "22.11", kind, speed: 1.5 },
      { name: "Quintessence", kind, speed: 3 },
    ]);
  assertEquals(rows.slice(1), [
    ["pgn-extract 22.11", kind, "1.50", "2.00"],
    ["Quintessence", kind, "3.00", "1.00"],
  ]);
});
