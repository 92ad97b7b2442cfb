/**
 * Measures Quintessence beside Stockfish and the chess libraries that people use: how many leaves
 * of the tree of moves each counts in a second, and how long each takes for daily work.
 *
 * @module
 */

import { cpus } from "node:os";
import { Board, START, toUci } from "@quintessence/chess";
import { label, type Named, Peers } from "./children.ts";
import { fail, progress, readArguments, wholeNumber } from "./cli.ts";
import { comparePgn, findGames, pgnRows } from "./compare_pgn.ts";
import { type Corpus, TASKS } from "./daily.ts";
import { type Answer, PEERS, type Question } from "./peers.ts";
import { POSITIONS } from "../examples/positions.ts";
import { Random } from "./random.ts";
import { measureRuntimes } from "./runtimes.ts";

const HELP = `Compare the speed of move generators, side by side.

deno task compare [options]

--perft      leaves of the tree of moves in a second, beside Stockfish and others
--daily      the time for FENs, games, moves and sets, beside chessops and chess.js
--runtimes   perft under Deno, Node, Bun, Chromium and Firefox, and bundled
--pgn        games read and replayed, beside pgn-extract and others
--games DIR  the PGN files for that, instead of games that are made up
--rounds N   how often to measure each program on each position, 5 unless given
--svg FILE   draw the means of --perft as a bar chart
--json       print JSON instead of tables
--help, -h   print this

Without a choice of tables: --perft and --daily.

Stockfish is the installed one, or STOCKFISH=path; the libraries are fetched from
npm on first use, about 170 MB, as are Node and Bun. Programs that are missing are
named and left out. On a quiet machine, a round takes about twenty seconds with
--perft, five with --daily, and thirty with --runtimes.`;

/** The best speeds of one program, in millions of leaves a second, by position. */
export interface Result extends Named {
  kind: string;
  speeds: Record<string, number>;
}

/** What was measured, and who is missing and why. */
export interface Measured {
  results: Result[];
  failures: string[];
}

/** The least time of one library for each task, in nanoseconds: used in a row, and in turn. */
export interface DailyResult extends Named {
  inARow: Record<string, number | undefined>;
  inTurn: Record<string, number | undefined>;
}

/** The library that the times for daily work are compared with. */
const LIBRARY = "chessops";

/**
 * The mean that treats twice as fast and half as fast alike.
 *
 * @param values Numbers above 0.
 * @returns Their geometric mean.
 */
export function geometricMean(values: number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function mean({ speeds }: Result): number {
  return geometricMean(Object.values(speeds));
}

/** The speeds of a program as parts of the first one's with a name, or none if that is missing. */
function ratios(result: Result, results: Result[], to: string): Record<string, number> {
  const reference = results.find(({ name }) => name === to);
  return Object.fromEntries(
    Object.entries(reference?.speeds ?? {}).map(([position, speed]) => [
      position,
      result.speeds[position] / speed,
    ]),
  );
}

/** Writes a number with the digits that mean something: 123, 12.3, 1.23, 0.12, 0.012. */
function short(value: number): string {
  if (value < 0.1) return value.toPrecision(2);
  const rounded = Number(value.toPrecision(3)); // 99.99 has as many digits as 100
  return rounded.toFixed(rounded < 10 ? 2 : rounded < 100 ? 1 : 0);
}

/** Lays a table out in Markdown, with columns that also line up as text. */
function layOut(rows: string[][], textColumns: number): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const isText = (column: number) => column < textColumns;
  const rule = widths.map((width, column) => "-".repeat(width - 1) + (isText(column) ? "-" : ":"));
  return [rows[0], rule, ...rows.slice(1)].map((row) =>
    `| ${
      row.map((cell, column) =>
        isText(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])
      ).join(" | ")
    } |`
  ).join("\n");
}

/**
 * Writes results as two tables in Markdown: speeds, and ratios to one of them if it was measured.
 *
 * @param results What was measured.
 * @param reference The name of the program that the ratios refer to.
 * @returns The tables.
 */
export function tables(results: Result[], reference: string): string {
  const table = (title: string, numbers: (result: Result) => number[]) =>
    layOut([
      [title, "", ...Object.keys(results[0].speeds), "mean"],
      ...results.map((result) => [
        label(result),
        result.kind,
        ...[...numbers(result), geometricMean(numbers(result))].map(short),
      ]),
    ], 2);
  const speeds = table("Million leaves/s", ({ speeds }) => Object.values(speeds));
  if (!results.some(({ name }) => name === reference)) return speeds;
  const parts = table(
    `Ratio to ${reference}`,
    (one) => Object.values(ratios(one, results, reference)),
  );
  return `${speeds}\n\n${parts}`;
}

/**
 * Writes the times for daily work as two tables in Markdown.
 *
 * @param results What was measured, ours first.
 * @returns The tables; the last column says how many times as fast as chessops we are.
 */
export function dailyTables(results: DailyResult[]): string {
  const table = (title: string, times: (result: DailyResult) => DailyResult["inTurn"]) => {
    const theirs = results.find(({ name }) => name === LIBRARY);
    const write = (value?: number) => value === undefined ? "" : short(value);
    return layOut([
      [title, ...results.map(label), ...(theirs ? [`${LIBRARY} / ours`] : [])],
      ...Object.keys(TASKS).map((task) => {
        const [ours] = results, other = theirs && times(theirs)[task];
        const ratio = other && other / times(ours)[task]!;
        return [
          task,
          ...results.map((one) => write(times(one)[task])),
          ...(theirs ? [write(ratio)] : []),
        ];
      }),
    ], 1);
  };
  return `${table("Nanoseconds, one board at a time", (one) => one.inARow)}\n\n${
    table("Nanoseconds, 10,000 boards in turn", (one) => one.inTurn)
  }`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/**
 * Draws the mean speeds as bars over a logarithmic axis. The colours are halfway between black and
 * white, so that the drawing stands on a page of either.
 *
 * @param results What was measured.
 * @returns The text of an SVG file.
 */
export function chart(results: Result[]): string {
  const sorted = results.toSorted((a, b) => mean(b) - mean(a));
  const logs = sorted.map((result) => Math.log10(mean(result)));
  // From a decade that even the slowest has passed to one that the fastest has not.
  const first = Math.ceil(Math.min(...logs)) - 1, last = Math.floor(Math.max(...logs)) + 1;
  const left = 270, right = 680, top = 44, step = 30;
  const bottom = top + step * sorted.length;
  const x = (log: number) => Math.round(left + (right - left) * (log - first) / (last - first));
  const decades = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const grid = decades.flatMap((decade) => [
    `<path class="grid" d="M${x(decade)} ${top}V${bottom}"/>`,
    `<text x="${x(decade)}" y="${bottom + 18}" text-anchor="middle">${
      Number(`1e${decade}`)
    }</text>`,
  ]);
  const bars = sorted.flatMap((result, i) => {
    const y = top + step * i, end = x(logs[i]);
    const ours = result.name.startsWith("Quintessence") ? ` class="ours"` : "";
    return [
      `<text${ours} x="${left - 10}" y="${y + 20}" text-anchor="end">${
        escape(`${label(result)} (${result.kind})`)
      }</text>`,
      `<rect${ours} x="${left}" y="${y + 6}" width="${end - left}" height="${step - 12}"/>`,
      `<text${ours} x="${end + 8}" y="${y + 20}">${short(mean(result))}</text>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 ${bottom + 48}" role="img">`,
    `<title>Speed of move generators, in million leaves a second</title>`,
    `<style>`,
    `text { font: 13px sans-serif; fill: #777; }`,
    `rect { fill: #6b8cae; }`,
    `.grid { stroke: #777; stroke-opacity: 0.4; }`,
    `.ours { font-weight: bold; fill: #c8641e; }`,
    `</style>`,
    `<text x="${left}" y="24">Perft, million leaves a second</text>`,
    ...grid,
    ...bars,
    `<text x="${left}" y="${bottom + 38}">geometric mean of six positions, logarithmic</text>`,
    `</svg>`,
    ``,
  ].join("\n");
}

/** Measures all peers in turn, and keeps each one's best. */
async function measurePerft(rounds: number): Promise<Measured> {
  const peers = new Peers<Result, Question, Answer>(import.meta.resolve("./peers.ts"));
  for (const [name, { kind, version, flags }] of Object.entries(PEERS)) {
    await peers.start({ name, kind, version, speeds: {} }, flags);
  }
  for (let round = 0; round <= rounds; round++) { // at first to warm up, one half-move less deep
    for (const [position, { fen, counts }] of Object.entries(POSITIONS)) {
      for (const result of peers.running.keys()) {
        progress(`round ${round} of ${rounds}, ${position}: ${label(result)}`);
        const most = counts.findLastIndex((count) => count <= PEERS[result.name].leaves) + 1;
        const depth = round === 0 ? most - 1 : most;
        const answer = await peers.ask(result, { fen, depth });
        if (answer === undefined) continue;
        if (answer.count !== counts[depth - 1]) {
          const reason = `it counts ${answer.count} leaves, not ${counts[depth - 1]}, in ${fen}`;
          peers.drop(result, reason);
          Deno.exitCode = 1;
        } else if (round > 0) {
          const speed = answer.count / answer.time! / 1e3;
          result.speeds[position] = Math.max(result.speeds[position] ?? 0, speed);
        }
      }
    }
  }
  return peers.finish();
}

/**
 * Plays random games, the same in every run, and takes from each a position, early or late.
 *
 * @param size How many.
 * @returns The games and positions.
 */
export function makeCorpus(size: number): Corpus {
  const random = new Random(1), corpus: Corpus = { start: START, games: [], fens: [] };
  while (corpus.games.length < size) {
    const board = new Board(), game: string[] = [], stop = 1 + random.below(60);
    while (game.length < 60 && board.outcome() === undefined) {
      const move = random.pick(board.moves());
      board.make(move);
      if (game.push(toUci(move)) === stop) corpus.fens.push(board.fen());
    }
    if (game.length >= stop) corpus.games.push(game);
  }
  return corpus;
}

const ORDERS = ["inARow", "inTurn"] as const;

/** Measures daily work, library by library in turn, and keeps each one's best. */
async function measureDaily(
  rounds: number,
): Promise<{ results: DailyResult[]; failures: string[] }> {
  const peers = new Peers<DailyResult, Question, Answer>(import.meta.resolve("./peers.ts"));
  const corpus = makeCorpus(10_000), looks = 100;
  let expected: string | undefined;
  for (const name of ["Quintessence", LIBRARY, "chess.js"]) {
    const result: DailyResult = { name, version: PEERS[name].version, inARow: {}, inTurn: {} };
    await peers.start(result);
    const answer = await peers.ask(result, { corpus, looks });
    const found = JSON.stringify(answer?.findings);
    if (answer && found !== (expected ??= found)) {
      peers.drop(result, "it finds other moves");
      Deno.exitCode = 1;
    }
  }
  for (let round = 0; round <= rounds; round++) { // at first to warm up, in turn and shortly
    for (const task of Object.keys(TASKS)) {
      for (const result of peers.running.keys()) {
        for (const order of round === 0 ? ORDERS.slice(1) : ORDERS) {
          progress(`round ${round} of ${rounds}, ${task}: ${label(result)}`);
          const milliseconds = round === 0 ? 20 : 100;
          const question = { task, inTurn: order === "inTurn", milliseconds };
          const time = (await peers.ask(result, question))?.nanoseconds;
          if (time && round > 0) {
            result[order][task] = Math.min(result[order][task] ?? Infinity, time);
          }
        }
      }
    }
  }
  return peers.finish();
}

/** Adds means and ratios, for programs that read the results. */
function detail(results: Result[], reference: string) {
  return results.map((result) => {
    const parts = ratios(result, results, reference);
    const meanRatio = geometricMean(Object.values(parts));
    return { ...result, mean: mean(result), ratios: parts, meanRatio };
  });
}

async function main(): Promise<void> {
  const { values } = readArguments(HELP, 0, {
    perft: false,
    daily: false,
    runtimes: false,
    pgn: false,
    games: "",
    rounds: "5",
    svg: "",
    json: false,
  });
  const rounds = wholeNumber("--rounds", values.rounds, 1);
  const { perft, daily, runtimes, pgn, games: folder, svg, json } = values;
  const chosen = { perft, daily, runtimes, pgn: pgn || folder !== "" };
  if (!Object.values(chosen).includes(true)) chosen.perft = chosen.daily = true;
  if (svg) chosen.perft = true;
  // What is wrong with files shows before the long work rather than after.
  const games = chosen.pgn ? findGames(folder) : [];
  if (svg) Deno.openSync(svg, { append: true, create: true }).close();

  const output: Record<string, unknown> = {
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    machine: cpus()[0].model,
    date: new Date().toISOString().slice(0, 10),
    rounds,
  };
  const text: string[] = [], failures: string[] = output.failures = [];
  if (chosen.perft) {
    const measured = await measurePerft(rounds), { results } = measured;
    failures.push(...measured.failures);
    if (results.length > 0) text.push(tables(results, "Stockfish"));
    if (results.length > 0 && svg) Deno.writeTextFileSync(svg, chart(results));
    output.perft = detail(results, "Stockfish");
  }
  if (chosen.daily) {
    const measured = await measureDaily(rounds), { results } = measured;
    failures.push(...measured.failures);
    if (results.length > 0) text.push(dailyTables(results));
    output.daily = results;
  }
  if (chosen.pgn) {
    const measured = await comparePgn(games, rounds);
    failures.push(...measured.failures);
    if (measured.results.length > 0) text.push(layOut(pgnRows(measured.results), 2));
    output.pgn = measured.results;
  }
  if (chosen.runtimes) {
    const measured = await measureRuntimes(rounds), { results } = measured;
    failures.push(...measured.failures);
    if (results.length > 0) text.push(tables(results, "Deno"));
    output.runtimes = detail(results, "Deno");
  }

  for (const failure of failures) console.error(failure);
  if (text.length === 0) Deno.exit(1);
  if (json) console.log(JSON.stringify(output, null, 2));
  else {
    console.log(`${text.join("\n\n")}\n`);
    console.log(
      `Deno ${output.deno} (V8 ${output.v8}) on ${output.machine}, ${output.date}; ` +
        `each in turn, best of ${rounds}; means are geometric.`,
    );
  }
}

if (import.meta.main) await main().catch(fail);
