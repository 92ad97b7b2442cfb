/**
 * Measures Quintessence beside Stockfish and the chess libraries that people use: how many leaves
 * of the tree of moves each counts in a second.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { fail, progress, wholeNumber } from "./cli.ts";
import { type Answer, PEERS, type Question } from "./peers.ts";
import { POSITIONS } from "../examples/positions.ts";

const HELP = `Compare the speed of move generators, side by side.

deno task compare [options]

--rounds N   how often to measure each program on each position, 5 unless given
--svg FILE   draw the means as a bar chart
--json       print JSON instead of tables
--help       print this

Stockfish is the installed one, or STOCKFISH=path; the others are fetched from
npm on first use, about 170 MB. Programs that are missing are left out.
A round takes about twenty seconds on a quiet machine.`;

/** All ratios are to this peer. */
const REFERENCE = "Stockfish";

/** The best speeds of one program, in millions of leaves a second, by position. */
export interface Result {
  name: string;
  version?: string;
  kind: string;
  speeds: Record<string, number>;
}

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

/** The speeds of a program as parts of the reference's, which leaves none if that is missing. */
function ratios(result: Result, results: Result[]): Record<string, number> {
  const reference = results.find(({ name }) => name === REFERENCE);
  return Object.fromEntries(
    Object.entries(reference?.speeds ?? {}).map(([position, speed]) => [
      position,
      result.speeds[position] / speed,
    ]),
  );
}

function label({ name, version = "" }: Result): string {
  return `${name} ${version}`.trim();
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
 * Writes results as two tables in Markdown: speeds, and ratios to Stockfish if it was measured.
 *
 * @param results What was measured.
 * @returns The tables.
 */
export function tables(results: Result[]): string {
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
  if (!results.some(({ name }) => name === REFERENCE)) return speeds;
  const parts = table(`Ratio to ${REFERENCE}`, (one) => Object.values(ratios(one, results)));
  return `${speeds}\n\n${parts}`;
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
    const ours = result.name === "Quintessence" ? ` class="ours"` : "";
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

/** Starts a peer in a process of its own, and returns how to ask it; at first, whether it is up. */
function start(name: string) {
  const worker = new URL("peers.ts", import.meta.url).href;
  const child = spawn(Deno.execPath(), ["run", "-A", "--no-lock", worker, name], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const ended = new Promise<Answer>((resolve) => {
    child.on("exit", (code) => resolve({ error: `its process ended with exit code ${code}` }));
  });
  return {
    ask: (question?: Question): Promise<Answer> => {
      const answered = new Promise<Answer>((resolve) => child.once("message", resolve));
      if (question) child.send(question);
      return Promise.race([answered, ended]);
    },
    stop: () => child.kill(),
  };
}

/** Measures all peers in turn, and keeps each one's best. */
async function measure(rounds: number): Promise<{ results: Result[]; failures: string[] }> {
  const running = new Map<Result, ReturnType<typeof start>>(), failures: string[] = [];
  const drop = (result: Result, reason: string) => {
    failures.push(`${label(result)} is left out: ${reason}`);
    running.get(result)!.stop();
    running.delete(result);
  };
  for (const [name, { kind, version }] of Object.entries(PEERS)) {
    progress(`loading ${name}`);
    const result: Result = { name, kind, version, speeds: {} }, peer = start(name);
    running.set(result, peer);
    const answer = await peer.ask();
    if ("error" in answer) drop(result, answer.error);
    else if ("version" in answer) result.version = answer.version;
  }
  for (let round = 1; round <= rounds; round++) {
    for (const [position, { fen, counts }] of Object.entries(POSITIONS)) {
      for (const [result, peer] of running) {
        progress(`round ${round} of ${rounds}, ${position}: ${label(result)}`);
        const depth = counts.findLastIndex((count) => count <= PEERS[result.name].leaves) + 1;
        const answer = await peer.ask([fen, depth]);
        if ("error" in answer) drop(result, answer.error);
        else if ("count" in answer && answer.count !== counts[depth - 1]) {
          drop(result, `it counts ${answer.count} leaves, not ${counts[depth - 1]}, in ${fen}`);
          Deno.exitCode = 1;
        } else if ("count" in answer) {
          const speed = answer.count / answer.time / 1e3;
          result.speeds[position] = Math.max(result.speeds[position] ?? 0, speed);
        }
      }
    }
  }
  progress("");
  for (const peer of running.values()) peer.stop();
  return { results: [...running.keys()], failures };
}

function parseOptions() {
  try {
    return parseArgs({
      args: Deno.args,
      options: {
        rounds: { type: "string" },
        svg: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    fail(error);
  }
}

if (import.meta.main) {
  const options = parseOptions();
  if (options.help) {
    console.log(HELP);
    Deno.exit();
  }
  const rounds = wholeNumber("--rounds", options.rounds, 5);
  if (rounds === 0) fail(`Expected at least one round, got "0"`);
  try { // before the long work rather than after
    if (options.svg) Deno.openSync(options.svg, { append: true, create: true }).close();
  } catch (error) {
    fail(error);
  }
  const { results, failures } = await measure(rounds);
  for (const failure of failures) console.error(failure);
  if (results.length === 0) Deno.exit(1);
  const setting = {
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    machine: cpus()[0].model,
    date: new Date().toISOString().slice(0, 10),
    rounds,
  };
  if (options.svg) Deno.writeTextFileSync(options.svg, chart(results));
  if (options.json) {
    const detailed = results.map((result) => ({
      ...result,
      mean: mean(result),
      ratios: ratios(result, results),
      meanRatio: geometricMean(Object.values(ratios(result, results))),
    }));
    console.log(JSON.stringify({ ...setting, results: detailed, failures }, null, 2));
  } else {
    console.log(`${tables(results)}\n`);
    console.log(
      `Deno ${setting.deno} (V8 ${setting.v8}) on ${setting.machine}, ${setting.date}; ` +
        `each in turn, best of ${rounds}; the mean is geometric.`,
    );
  }
}
