/**
 * Perft counts the leaves of the tree of legal moves, on all cores of a machine or on many machines.
 *
 * ```sh
 * deno run jsr:@quintessence/chess/perft --help
 * ```
 *
 * The main thread cuts the tree into tasks, the positions after the first half-moves; workers, which
 * load this same file, pull tasks from a common queue until it is empty.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { Board, toUci } from "../mod.ts";
import { POSITIONS } from "./positions.ts";

const NAMES = Object.keys(POSITIONS).join(", ");
const HELP = `Count the leaves of the tree of legal chess moves.

perft [DEPTH]            one line for each depth up to this one, 6 unless given
perft split PLIES DEPTH  print the distinct positions after PLIES half-moves, each as
                         "occurrences<TAB>depth left<TAB>FEN"
perft work               read such lines, print each as "nodes<TAB>line" when it is counted
perft sum [PLIES DEPTH]  read what "work" printed and add it up, every line once;
                         given what was split, also check that it is all there

  --fen FEN              start from this position
  --position NAME        or from one whose counts are known and checked:
                         ${NAMES}
  --divide               list the first moves as Stockfish does, sorted
  --hash MB              share a table of positions already counted, of this size
  --workers N            how many threads count, up to four for each core; one unless given
  --json                 print a line of JSON for each depth
  -h, --help             print this`;

interface Task {
  readonly fen: string;
  readonly depth: number;
  /** What the count is for: a first move, or a line of `split`. */
  readonly label: string;
}

/** What every worker is sent; `taken` and `table` are memory that they share. */
interface Job {
  readonly tasks: Task[];
  readonly taken: Int32Array;
  readonly table: BigUint64Array | undefined;
}

// ---------------------------------------------------------------------------------------------
// In a worker: take tasks and count
// ---------------------------------------------------------------------------------------------

function serve({ tasks, taken, table }: Job): void {
  for (let i; (i = Atomics.add(taken, 0, 1)) < tasks.length;) {
    self.postMessage([i, count(new Board(tasks[i].fen), tasks[i].depth, table)]);
  }
}

/**
 * Perft that remembers. An entry of the table is two words: a count, and the hash of the position
 * exclusive-or the count. They need no lock: if two workers write at once and leave words that do
 * not belong together, these give a hash that nobody looks for. One position with different depths
 * left has different entries, because the depth is part of where the entry lies.
 */
function count(board: Board, depth: number, table?: BigUint64Array): number {
  if (table === undefined || depth < 2) return board.perft(depth); // less than a look-up costs
  const hash = board.hash;
  const entry = (Number(BigInt.asUintN(32, hash)) + depth) % (table.length / 2) * 2;
  const found = table[entry];
  if ((table[entry + 1] ^ found) === hash) return Number(found);
  let nodes = 0;
  if (depth === 2) nodes = board.perft(2);
  else {
    for (const move of board.moves()) {
      board.make(move);
      nodes += count(board, depth - 1, table);
      board.undo();
    }
  }
  table[entry] = BigInt(nodes);
  table[entry + 1] = hash ^ BigInt(nodes);
  return nodes;
}

// ---------------------------------------------------------------------------------------------
// In the main thread: cut the tree into tasks, have them counted, add up
// ---------------------------------------------------------------------------------------------

/** The moves and the positions after them, without the counters, which mean nothing to perft. */
function children(fen: string): [move: string, fen: string][] {
  const board = new Board(fen);
  return board.moves().map((move) => {
    board.make(move);
    const child = board.fen().split(" ", 4).join(" ");
    board.undo();
    return [toUci(move), child];
  });
}

/** Tasks enough that no core idles at the end, and large enough to be worth a message. */
function cut(fen: string, depth: number): Task[] {
  let tasks = children(fen).map(([label, fen]) => ({ label, fen, depth: depth - 1 }));
  while (tasks.length > 0 && tasks.length < 1000 && tasks[0].depth > 4) {
    tasks = tasks.flatMap(({ label, fen, depth }) =>
      children(fen).map(([, fen]) => ({ label, fen, depth: depth - 1 }))
    );
  }
  return tasks;
}

/** As many as fit into V8's memory; six half-moves from the start lead to 9417681. */
const MOST_POSITIONS = 1e7;

/** The distinct positions after so many half-moves, and how often each occurs. */
async function split(fen: string, plies: number): Promise<Map<string, number>> {
  let level = new Map([[fen, 1]]);
  for (let ply = 1; ply <= plies; ply++) {
    const next = new Map<string, number>(), start = performance.now();
    let done = 0;
    for (const [fen, occurrences] of level) {
      for (const [, child] of children(fen)) next.set(child, (next.get(child) ?? 0) + occurrences);
      if (next.size > MOST_POSITIONS) {
        throw new RangeError(`More than ${MOST_POSITIONS} positions after ${ply} half-moves`);
      }
      done++;
      await breathe(() => bar(start, done / level.size, `${next.size} positions at ply ${ply}`));
    }
    level = next;
  }
  return level;
}

/**
 * Adds up what `work` printed, and compares it with what was split and the depth that was left. A job
 * that was killed and run again may have printed a line twice.
 */
async function sum(level?: Map<string, number>, left?: number): Promise<bigint> {
  const form = /^(\d+)\t((\d+)\t(\d+)\t([^\t]+))$/;
  const counts = new Map<string, bigint>(), start = performance.now();
  let total = 0n;
  await readLines(async (line) => {
    const [, digits, task, occurrences, depth, fen] = match(line, form);
    const nodes = BigInt(digits), before = counts.get(task);
    if (level && (level.get(fen) !== Number(occurrences) || left !== Number(depth))) {
      refuse("a line of this split", line);
    }
    if (before === undefined) total += nodes * BigInt(occurrences);
    else if (before !== nodes) refuse(`${before} nodes as in an earlier line`, line);
    counts.set(task, nodes);
    await breathe(() => bar(start, level && counts.size / level.size, `${counts.size} lines`));
  });
  if (level && counts.size < level.size) {
    const missing = level.entries().map(([fen, occurrences]) => `${occurrences}\t${left}\t${fen}`)
      .find((task) => !counts.has(task));
    throw new RangeError(
      `${level.size - counts.size} of ${level.size} lines are missing: ${missing} ...`,
    );
  }
  return total;
}

/** Has all tasks counted, and returns the sum; whoever hears of each is also shown a bar. */
async function run(
  tasks: Task[],
  workers: Worker[],
  table: BigUint64Array | undefined,
  hear?: (label: string, nodes: number) => void,
): Promise<number> {
  const start = performance.now(), taken = new Int32Array(new SharedArrayBuffer(4));
  const { promise: finished, resolve: finish, reject: fail } = Promise.withResolvers<void>();
  let done = 0, sum = 0;
  for (const worker of workers) {
    worker.onmessage = ({ data: [i, nodes] }: MessageEvent<[number, number]>) => {
      sum += nodes;
      // If a sum of counts is a safe integer, all of them were, and none was rounded.
      if (!Number.isSafeInteger(sum)) return fail(new RangeError("The count is not below 2^53"));
      hear?.(tasks[i].label, nodes);
      if (++done === tasks.length) finish();
    };
    worker.postMessage({ tasks, taken, table } satisfies Job);
  }
  const timer = hear && setInterval(() => {
    bar(start, done / tasks.length, `${sum} nodes  ${mnps(sum, since(start))} Mnps`);
  }, 200);
  if (tasks.length > 0) await finished;
  clearInterval(timer);
  return sum;
}

/** Has a worker count until it has got no faster for half a second: now V8 has compiled the code. */
async function warmUp(fen: string, worker: Worker, remember: boolean): Promise<void> {
  // What V8 has met in one position only, it compiles for that one only.
  const tasks = [POSITIONS.kiwipete.fen, fen].map((fen) => ({ label: "", fen, depth: 4 }));
  for (let best = Infinity, last = performance.now(); since(last) < 0.5;) {
    const start = performance.now();
    await run(tasks, [worker], remember ? allocate(1) : undefined);
    if (since(start) < 0.9 * best) best = since(start), last = performance.now();
  }
}

const ENOUGH = 0.2; // seconds: a speed from less is chance

function since(start: number): number {
  return (performance.now() - start) / 1000;
}

function mnps(nodes: number, seconds: number): string {
  return (nodes / seconds / 1e6).toFixed(1);
}

let breath = 0;

/** Called in a long loop: now and then shows how far it is, and lets Ctrl-C through. */
async function breathe(report: () => void): Promise<void> {
  if (performance.now() - breath < 100) return;
  report();
  await new Promise((wake) => setTimeout(wake));
  breath = performance.now();
}

/** Shows how far the work is, once it has taken a second; the share that is done may be unknown. */
function bar(start: number, share: number | undefined, text: string): void {
  const seconds = since(start);
  if (seconds < 1) return;
  if (share === undefined) return show(text);
  const filled = "#".repeat(20 * share).padEnd(20), percent = (100 * share).toFixed(1).padStart(5);
  const left = share > 0 ? `  ${Math.ceil(seconds / share - seconds)} s left` : "";
  show(`[${filled}] ${percent} %  ${text}${left}`);
}

/** Shows a line in place of the one before, on a terminal only. */
function show(line: string): void {
  if (Deno.stderr.isTerminal()) Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${line}`));
}

const output = Deno.stdout.writable.getWriter();

/** Prints; if it cannot be written, the program ends. */
function print(text: string): Promise<void> {
  show("");
  return output.write(new TextEncoder().encode(text + "\n")).catch(end);
}

/** Ends the program because of an error, with one line; a reader that went away needs none. */
function end(error: Error): never {
  if (error instanceof Deno.errors.BrokenPipe) leave(141); // as a program that SIGPIPE ends
  show("");
  console.error(error.message.split("\n")[0]);
  leave(2);
}

function leave(code?: number): never {
  show("");
  Deno.exit(code);
}

/** Compares with what is known, if anything is. */
function verdict(nodes: number | bigint, known: number | undefined): string | undefined {
  if (known === undefined) return undefined;
  if (BigInt(nodes) === BigInt(known)) return "ok";
  Deno.exitCode = 1;
  return `WRONG, expected ${known}`;
}

// ---------------------------------------------------------------------------------------------
// The command line
// ---------------------------------------------------------------------------------------------

const SOURCE = ["fen", "position"], ENGINE = ["hash", "workers"];
const COMMANDS: Record<string, { arguments: number[]; options: string[] }> = {
  count: { arguments: [0, 1], options: [...SOURCE, ...ENGINE, "divide", "json"] },
  split: { arguments: [2], options: SOURCE },
  work: { arguments: [0], options: ENGINE },
  sum: { arguments: [0, 2], options: SOURCE },
};

function refuse(expected: string, got: unknown): never {
  throw new RangeError(`Expected ${expected}, got ${JSON.stringify(got)}`);
}

function match(line: string, form: RegExp): RegExpMatchArray {
  return line.match(form) ?? refuse('a line that "split" or "work" printed', line);
}

function integer(name: string, text: string, least: number, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most
    ? number
    : refuse(`${name} from ${least} to ${most}`, text);
}

function allocate(megabytes: number): BigUint64Array {
  try {
    return new BigUint64Array(new SharedArrayBuffer(megabytes * 2 ** 20));
  } catch {
    return refuse("megabytes that this machine has", megabytes);
  }
}

/** Hands over the lines of the standard input; an error says which line it is about. */
async function readLines(use: (line: string) => void | Promise<void>): Promise<void> {
  let rest = "", number = 0;
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) await one(line);
  }
  await one(rest);

  async function one(line: string): Promise<void> {
    number++;
    try {
      if (line !== "") await use(line);
    } catch (error) {
      throw new RangeError(`Line ${number}: ${(error as Error).message}`);
    }
  }
}

async function main(): Promise<void> {
  const { values: options, positionals } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      fen: { type: "string" },
      position: { type: "string" },
      divide: { type: "boolean" },
      hash: { type: "string" },
      workers: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (options.help) return await print(HELP);
  const isDepth = positionals.length === 0 || /^\d/.test(positionals[0]);
  const command = isDepth ? "count" : positionals.shift()!;
  if (!Object.hasOwn(COMMANDS, command)) refuse("a depth, split, work or sum", command);
  const usage = COMMANDS[command];
  for (const option of Object.keys(options)) {
    if (!usage.options.includes(option)) refuse(`an option of "${command}"`, `--${option}`);
  }
  if (!usage.arguments.includes(positionals.length)) {
    refuse(`${usage.arguments.join(" or ")} numbers for "${command}"`, positionals);
  }
  const last = integer("a depth", positionals.at(-1) ?? "6", 1, 64);
  const plies = integer("plies", positionals.at(-2) ?? "0", 0, last);

  if (options.fen !== undefined && options.position !== undefined) {
    refuse("--fen or --position", Deno.args);
  }
  const name = options.position ?? "start";
  if (!Object.hasOwn(POSITIONS, name)) refuse(`one of ${NAMES}`, name);
  const board = new Board(options.fen ?? POSITIONS[name].fen), fen = board.fen();
  const known = options.fen === undefined ? POSITIONS[name].counts : [];

  if (command === "split") {
    let lines = "";
    for (const [position, occurrences] of await split(fen, plies)) {
      lines += `${lines && "\n"}${occurrences}\t${last - plies}\t${position}`;
      if (lines.length > 1e5) await print(lines), lines = "";
    }
    if (lines) await print(lines);
    return;
  }
  if (command === "sum") {
    if (positionals.length === 0) return await print(`${await sum()}`);
    const total = await sum(await split(fen, plies), last - plies);
    return await print(`${total} ${verdict(total, known[last - 1]) ?? ""}`.trimEnd());
  }

  const cores = navigator.hardwareConcurrency;
  const size = integer("--workers", options.workers ?? `${cores}`, 1, 4 * cores);
  const table = options.hash === undefined
    ? undefined
    : allocate(integer("--hash", options.hash, 1, 65536));
  const workers = Array.from({ length: size }, () => {
    const worker = new Worker(import.meta.url, { type: "module" });
    worker.onerror = () => leave(1); // what went wrong has been printed
    return worker;
  });
  if (command === "work") {
    const tasks: Task[] = [];
    await readLines((line) => {
      const [, depth, fen] = match(line, /^\d+\t(\d+)\t([^\t]+)$/);
      tasks.push({
        label: line,
        fen: new Board(fen).fen(),
        depth: integer("a depth", depth, 0, 64),
      });
    });
    await run(tasks, workers, table, (line, nodes) => print(`${nodes}\t${line}`));
    return;
  }

  if (!options.divide && !options.json) await print(`${board}\n`);
  for (let depth = options.divide ? last : 1; depth <= last; depth++) {
    const isMeasured = depth > 4 && !options.divide; // before that, there is too little to count
    if (isMeasured && depth === 5) {
      show("warming up");
      await Promise.all(workers.map((worker) => warmUp(fen, worker, table !== undefined)));
      show("");
    }
    const start = performance.now();
    const moves = new Map(children(fen).map(([move]) => [move, 0]));
    const nodes = await run(cut(fen, depth), workers, table, (move, nodes) => {
      moves.set(move, moves.get(move)! + nodes);
    });
    let rounds = 1;
    // A short count is repeated until its speed means something; a table would know the answer.
    for (; isMeasured && nodes > 0 && !table && since(start) < ENOUGH; rounds++) {
      await run(cut(fen, depth), workers, table);
    }
    const spent = since(start), seconds = spent / rounds, judged = verdict(nodes, known[depth - 1]);
    const divided = [...moves].sort();
    if (options.json) {
      const divide = options.divide ? Object.fromEntries(divided) : undefined;
      await print(JSON.stringify({ fen, depth, nodes, seconds, verdict: judged, divide }));
    } else if (options.divide) {
      const lines = divided.map(([move, nodes]) => `${move}: ${nodes}\n`).join("");
      await print(`${lines}\nNodes searched: ${nodes}\n`);
      if (judged) console.error(judged); // apart from what is to be compared
    } else {
      const count = `${nodes}`.padStart(13), time = seconds.toFixed(3).padStart(9);
      const speed = isMeasured && spent >= ENOUGH ? `${mnps(nodes, seconds)} Mnps` : "";
      const line = `depth ${depth}: ${count} nodes ${time} s ${speed.padStart(13)}`;
      await print(`${line}  ${judged ?? ""}`.trimEnd());
    }
  }
}

declare const self: Worker;

if ("WorkerGlobalScope" in globalThis) {
  self.onmessage = ({ data }: MessageEvent<Job>) => serve(data);
} else {
  Deno.addSignalListener("SIGINT", () => leave(130));
  await main().then(() => output.close()).catch(end);
  leave();
}
