import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { Board } from "../mod.ts";
import { needs } from "../tools/needs.ts";

const PROGRAM = new URL("./perft.ts", import.meta.url).pathname;
const COMMAND = [Deno.execPath(), "run", "--no-prompt", "--allow-read", PROGRAM];

/** Runs a command to its end. */
async function run([program, ...args]: string[], input = "") {
  const child = new Deno.Command(program, {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  const writer = child.stdin.getWriter();
  // A program that refuses its arguments does not read its input.
  writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

const perft = (args: string[], input?: string) => run([...COMMAND, ...args], input);

async function succeed(args: string[], input?: string): Promise<string> {
  const { code, out, err } = await perft(args, input);
  assertEquals(code, 0, `${args}: ${err}`);
  return out;
}

Deno.test("perft draws the board and prints a checked line for each depth", async () => {
  const { code, out, err } = await perft(["5"]);
  assertEquals([code, err], [0, ""]); // a bar and "warming up" are for terminals
  const [drawing, lines] = out.split("\n\n");
  assertEquals(drawing, `${new Board()}`);
  const counts = lines.trimEnd().split("\n").map((line) => {
    const form = /^depth (\d): +(\d+) nodes +\d+\.\d{3} s +(?:[\d.]+ (Mnps) {2})?ok$/;
    return line.match(form)?.slice(1).join(" ") ?? line;
  });
  assertEquals(counts, ["1 20 ", "2 400 ", "3 8902 ", "4 197281 ", "5 4865609 Mnps"]);
});

Deno.test("perft knows six positions by name", async () => {
  const counts = {
    start: 8902,
    kiwipete: 97862,
    endgame: 2812,
    mirrored: 9467,
    talkchess: 62379,
    alternative: 89890,
  };
  for (const [name, nodes] of Object.entries(counts)) {
    const lines = (await succeed(["--position", name, "3", "--json"])).trimEnd().split("\n");
    assertEquals(lines.length, 3);
    for (const line of lines) assertEquals(JSON.parse(line).verdict, "ok", line);
    assertEquals(JSON.parse(lines[2]).nodes, nodes);
  }
});

Deno.test("perft --json says all that the text says, in numbers", async () => {
  const fen = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1";
  const board = new Board(fen);
  const result = JSON.parse(await succeed(["3", "--fen", fen, "--divide", "--json"]));
  assertEquals(typeof result.seconds, "number");
  const divide = Object.fromEntries(board.divide(3));
  assertEquals(result, { fen, depth: 3, nodes: board.perft(3), seconds: result.seconds, divide });
});

Deno.test("perft --divide prints what Stockfish prints, sorted", async () => {
  // Ra8 mates, and so has nothing below it; the other fen has castling and promotions.
  for (const fen of ["6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "r3k3/6P1/8/8/8/8/8/4K2R w Kq - 0 1"]) {
    for (const depth of [1, 2, 5]) {
      const divided = new Board(fen).divide(depth);
      const nodes = divided.values().reduce((sum, nodes) => sum + nodes);
      const lines = Array.from(divided, ([move, nodes]) => `${move}: ${nodes}\n`).sort().join("");
      assertEquals(
        await succeed([`${depth}`, "--divide", "--fen", fen]),
        `${lines}\nNodes searched: ${nodes}\n\n`,
      );
    }
  }
});

Deno.test(needs(["stockfish"], "the README compares perft with Stockfish"), async () => {
  const readme = await Deno.readTextFile(new URL("../README.md", import.meta.url));
  const line = readme.match(/^diff <.*$/m)![0].replaceAll("npx -y deno", Deno.execPath());
  const { code, out, err } = await run(["bash", "-c", `PATH=$PATH:/usr/games; ${line}`]);
  assertEquals([code, out], [0, ""], err);
});

Deno.test("perft counts a position without moves", async () => {
  assertMatch(await succeed(["1", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]), /: +0 nodes/);
});

Deno.test("perft refuses bad arguments in one line", async () => {
  const cases: [args: string, message: string][] = [
    ["x", 'Expected a depth, split, work or sum, got "x"'],
    ["splitt 3 7", 'Expected a depth, split, work or sum, got "splitt"'],
    ["constructor", 'got "constructor"'],
    ["6x", 'Expected a depth from 1 to 64, got "6x"'],
    ["0", 'Expected a depth from 1 to 64, got "0"'],
    ["65", 'got "65"'],
    ["3 4", 'Expected 0 or 1 numbers for "count", got ["3","4"]'],
    ["--fen 8/8", 'Expected a FEN of four or six fields, got "8/8"'],
    ["--position kiwi", "Expected one of start, kiwipete, endgame"],
    ["--position constructor", 'got "constructor"'],
    ["--fen 8/8 --position start", "Expected --fen or --position"],
    ["--workers 0", `Expected --workers from 1 to ${4 * navigator.hardwareConcurrency}, got "0"`],
    ["--workers 5000", 'got "5000"'],
    ["--hash 1.5", 'Expected --hash from 1 to 65536, got "1.5"'],
    ["--hash", "'--hash <value>' argument missing"],
    ["--hash --json", "'--hash' argument is ambiguous"],
    ["--fast", "Unknown option '--fast'"],
    ["split 3", 'Expected 2 numbers for "split", got ["3"]'],
    ["split 4 3", 'Expected plies from 0 to 3, got "4"'],
    ["work 3", 'Expected 0 numbers for "work", got ["3"]'],
    ["sum --json", 'Expected an option of "sum", got "--json"'],
  ];
  for (const [args, message] of cases) {
    const { code, out, err } = await perft(args.split(" "));
    assertEquals([args, code, out], [args, 2, ""]);
    assertMatch(err, /^.+\n$/);
    assertStringIncludes(err, message);
  }
});

Deno.test("perft --help names every command and option", async () => {
  const help = await succeed(["--help"]);
  assertEquals(await succeed(["sum", "-h"]), help);
  for (
    const word of "split work sum --fen --position --divide --hash --workers --json".split(" ")
  ) {
    assertMatch(help, new RegExp(`^ *(perft )?${word} `, "m"));
  }
});

Deno.test("perft counts the same with any number of workers and any table", async () => {
  const divide = ["--position", "kiwipete", "4", "--divide"];
  const alone = await succeed([...divide, "--workers", "1"]);
  assertStringIncludes(alone, "Nodes searched: 4085603\n");
  assertEquals(await succeed([...divide, "--workers", "3"]), alone);
  // A table so small that entries are overwritten all the time, and one that holds everything.
  for (const megabytes of ["1", "64"]) {
    assertEquals(await succeed([...divide, "--workers", "3", "--hash", megabytes]), alone);
  }
});

Deno.test("perft --hash keeps apart the depths at which a position occurs", async () => {
  // Kings come back to the same position with another depth left, again and again. Without a table
  // this count would take days.
  const kings = ["--fen", "8/8/4k3/8/8/4K3/8/8 w - - 0 1", "--hash", "16"];
  const lines = (await succeed([...kings, "16", "--json"])).trimEnd().split("\n");
  const counts = lines.map((line) => JSON.parse(line).nodes);
  assertEquals(
    counts.slice(0, 6),
    [1, 2, 3, 4, 5, 6].map((depth) => new Board(kings[1]).perft(depth)),
  );
  assertEquals(counts[15], 40612858945965);
  const { code, err } = await perft([...kings, "20"]);
  assertEquals(code, 2);
  assertMatch(err, /^The count is not below 2\^53\n$/);
});

Deno.test("perft ends with the error of a worker", async () => {
  const { code, err } = await run([Deno.execPath(), "run", "--no-prompt", PROGRAM, "5"]);
  assertEquals(code, 1);
  assertStringIncludes(err, "Requires read access");
});

Deno.test("perft split, work and sum count together", async () => {
  const tasks = await succeed(["split", "3", "5"]);
  const lines = tasks.trimEnd().split("\n").map((line) => line.split("\t"));
  assertEquals(lines.length, 5362);
  assertEquals(new Set(lines.map(([, , fen]) => fen)).size, 5362);
  assertEquals(lines.reduce((sum, [occurrences]) => sum + Number(occurrences), 0), 8902);
  assert(lines.every(([, depth]) => depth === "2"));

  const counts = await succeed(["work"], tasks);
  assertEquals(
    counts.trimEnd().split("\n").map((line) => line.slice(line.indexOf("\t") + 1)).sort(),
    tasks.trimEnd().split("\n").sort(),
  );
  assertEquals(await succeed(["sum"], counts), "4865609\n");
  assertEquals(await succeed(["sum", "3", "5"], counts), "4865609 ok\n");
  assertEquals(await succeed(["sum", "3", "5"], counts + counts), "4865609 ok\n");
  assertEquals(
    await succeed(["work", "--hash", "1"], "7\t0\t8/8/4k3/8/8/4K3/8/8 w - -\n"),
    "1\t7\t0\t8/8/4k3/8/8/4K3/8/8 w - -\n",
  );
  assertEquals(await succeed(["sum"], ""), "0\n");
  // More than a double can hold.
  assertEquals(await succeed(["sum"], "9007199254740993\t3\t9\tx\n"), "27021597764222979\n");
});

Deno.test("perft sum notices what is missing, contradictory, wrong or not a count", async () => {
  const counts = await succeed(["work"], await succeed(["split", "1", "2"]));
  const first = counts.slice(0, counts.indexOf("\n") + 1), rest = counts.slice(first.length);
  const more = first.replace("20", "21");
  const cases: [input: string, code: number, message: string][] = [
    [rest, 2, "1 of 20 lines are missing"],
    [counts + more, 2, "Line 21: Expected 20 nodes as in an earlier line, got"],
    [more + rest, 1, "401 WRONG, expected 400"],
    [first + "\n20\t1\t1\tx\n", 2, 'Line 3: Expected a line of this split, got "20\\t1\\t1\\tx"'],
    [first.replace("\t1\t1\t", "\t2\t1\t"), 2, "Line 1: Expected a line of this split, got"],
    [first.replace("\t1\t1\t", "\t1\t2\t"), 2, "Line 1: Expected a line of this split, got"],
    [counts + "20\t1", 2, 'Line 21: Expected a line that "split" or "work" printed, got "20\\t1"'],
  ];
  for (const [input, code, message] of cases) {
    const result = await perft(["sum", "1", "2"], input);
    assertStringIncludes(result.out + result.err, message);
    assertEquals(result.code, code);
  }
  const { code, err } = await perft(["work"], "1\t2\t8/8 w - -\n");
  assertEquals([code, err], [2, 'Line 1: Expected eight ranks, got "8/8"\n']);
});

Deno.test(needs(["parallel"], "perft resumes after a job of GNU parallel was killed"), async () => {
  const version = await run(["sh", "-c", "parallel --version"]);
  assert(
    version.out.startsWith("GNU parallel"),
    "This test needs GNU parallel (not that of moreutils): apt-get install parallel",
  );
  const directory = await Deno.makeTempDir();
  const tasks = await succeed(["split", "2", "6"]);
  const read = (name: string) => Deno.readTextFile(`${directory}/${name}`).catch(() => "");
  // Two jobs of 200 lines; each leaves its process id, so that it can be killed.
  const script = `cd '${directory}' && parallel --pipe -N 200 -j 1 --line-buffer ` +
    `--joblog log --resume-failed 'echo $$ > job-{#}; exec ${COMMAND.join(" ")} work' >> counts`;
  const parallel = () => run(["sh", "-c", script], tasks);
  const lines = async () => (await read("counts")).split("\n").length - 1;

  let ended = false;
  const first = parallel().finally(() => ended = true);
  while (!ended && await lines() <= 200) await new Promise((wake) => setTimeout(wake, 5));
  assert(!ended, "The second job ended before it could be killed");
  Deno.kill(Number(await read("job-2")), "SIGKILL");
  assert((await first).code !== 0);
  const before = await lines();
  assert(before > 200 && before < 400, `${before} lines`);
  assertStringIncludes((await perft(["sum", "2", "6"], await read("counts"))).err, "are missing");

  const second = await parallel();
  assertEquals(second.code, 0, second.err);
  assertEquals(await lines(), before + 200); // the second job again, all of it, and nothing else
  assertEquals(await succeed(["sum", "2", "6"], await read("counts")), "119060324 ok\n");
  await Deno.remove(directory, { recursive: true });
});

// In the following tests the work would take hours: that it ends is what they show.

Deno.test("perft ends when its reader has gone away", async () => {
  const tasks = await succeed(["split", "2", "9"]); // lines that take long, behind some that do not
  const quick = "1\t1\t8/8/4k3/8/8/4K3/8/8 w - -\n".repeat(10);
  for (const [args, input] of [["12", ""], ["work", quick + tasks]]) {
    const { out, err } = await run(["sh", "-c", `${COMMAND.join(" ")} ${args} | head -1`], input);
    assertMatch(out, /^.+\n$/);
    assertEquals(err, "");
  }
});

Deno.test({
  name: "perft says so when the disk is full",
  ignore: Deno.build.os !== "linux", // which has a full disk to try
}, async () => {
  for (const args of ["12", "split 3 4", "1 --divide", "--help"]) {
    const { code, err } = await run(["sh", "-c", `${COMMAND.join(" ")} ${args} > /dev/full`]);
    assertEquals([code, err], [2, "No space left on device (os error 28)\n"], args);
  }
});

Deno.test("perft sum ends at Ctrl-C while it reads", async () => {
  const [program, ...args] = [...COMMAND, "sum"];
  const child = new Deno.Command(program, { args, stdin: "piped", stdout: "null" }).spawn();
  const writer = child.stdin.getWriter();
  const lines = new TextEncoder().encode("1\t1\t1\tx\n".repeat(10_000));
  for (let i = 0; i < 20; i++) await writer.write(lines); // more than fits into a pipe: it reads
  const fed = assertRejects(async () => {
    while (true) await writer.write(lines);
  }, Deno.errors.BrokenPipe);
  child.kill("SIGINT");
  assertEquals((await child.status).code, 130);
  await fed;
});

const SPLITTING = /\[#* *\] +\d+\.\d % {2}\d+ positions at ply \d {2}\d+ s left/;
const BARS: [args: string, bar: RegExp][] = [
  ["12", /\[#* *\] +\d+\.\d % {2}\d+ nodes {2}\d+\.\d Mnps/],
  ["split 9 12", SPLITTING],
  ["sum 9 12", SPLITTING],
];
for (const [args, bar] of BARS) {
  const name = `perft ${args} shows a bar, and leaves the terminal clean at Ctrl-C`;
  Deno.test(needs(["script"], name), async () => {
    // script(1) lends the program a terminal.
    const child = new Deno.Command("script", {
      args: ["-qefc", `${COMMAND.join(" ")} ${args}`, "/dev/null"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    let screen = "", stopped = false;
    const writer = child.stdin.getWriter();
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      screen += text;
      if (stopped || !bar.test(screen)) continue;
      stopped = true;
      await writer.write(new Uint8Array([3])); // Ctrl-C
    }
    await writer.close().catch(() => {});
    assertEquals((await child.status).code, 130);
    assert(screen.endsWith("\r\x1b[K"), JSON.stringify(screen.slice(-200)));
    assertEquals(screen.includes("warming up"), args === "12");
  });
}
