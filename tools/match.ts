/**
 * Plays a match between two UCI engines, by default the example engine against Stockfish held back
 * to a given strength, and referees it: every move must be legal and in time.
 *
 * `deno task match --games 20 --clock 2+0.02 --elo 2000`
 *
 * @module
 */

import { Board } from "@quintessence/chess";
import { fail, progress, readArguments, whenEnding, wholeNumber } from "./cli.ts";
import { spawnStockfish } from "./stockfish.ts";

const HELP = `Play a match between two UCI engines, and referee it.

deno task match [options]

--games N           how many games, two for each opening; 20 unless given
--clock S+S         seconds for the game and for each move; 2+0.02 unless given
--go LIMIT          a limit for every move instead of the clock, such as "nodes 20000"
--margin MS         how late a move may be before the game is lost; 50 unless given
--elo N             the opponent's UCI_Elo; its full strength unless given
--engine COMMAND    the example engine unless given
--opponent COMMAND  Stockfish unless given: the installed one, or STOCKFISH=path
--help              print this

Ctrl-C ends the match, and prints the tally of the games that are finished.`;

// Each opening is played twice, with colours changed.
const OPENINGS = [
  "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
  "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3",
  "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6",
  "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6",
  "e2e4 e7e6 d2d4 d7d5 b1c3 f8b4",
  "e2e4 c7c6 d2d4 d7d5 b1c3 d5e4 c3e4",
  "c2c4 e7e5 b1c3 g8f6 g1f3 b8c6",
  "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4",
  "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5",
  "e2e4 d7d6 d2d4 g8f6 b1c3 g7g6",
  "d2d4 d7d5 c2c4 c7c6 g1f3 g8f6",
  "g1f3 d7d5 g2g3 g8f6 f1g2 e7e6",
].map((line) => line.split(" "));
const MOST_PLIES = 400; // a longer game is a draw

interface Rules {
  base: number; // milliseconds, as are the next two
  increment: number;
  margin: number;
  go: string;
}

/** An engine that runs as a process of its own. */
export class UciEngine {
  readonly #command: string;
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<string>;
  #rest = "";
  late = 0; // moves made after the time was up

  constructor(command: string) {
    this.#command = command;
    const [program, ...args] = command.split(" ");
    this.#process = command === "stockfish"
      ? spawnStockfish()
      : new Deno.Command(program, { args, stdin: "piped", stdout: "piped" }).spawn();
    this.#input = this.#process.stdin.getWriter();
    this.#output = this.#process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Says something and, if an answer is expected, waits for the line that begins with it. */
  async ask(text: string, answer?: string): Promise<string> {
    return (await this.hear(text, answer)).at(-1) ?? "";
  }

  /** Says something, and returns all lines that come up to the one that begins with the answer. */
  async hear(text: string, answer?: string): Promise<string[]> {
    // A broken pipe shows when the output ends.
    await this.#input.write(new TextEncoder().encode(text + "\n")).catch(() => {});
    const heard: string[] = [];
    while (answer !== undefined && !heard.at(-1)?.startsWith(answer)) {
      const end = this.#rest.indexOf("\n");
      if (end >= 0) {
        heard.push(this.#rest.slice(0, end).trim());
        this.#rest = this.#rest.slice(end + 1);
        continue;
      }
      const { value, done } = await this.#output.read();
      if (done) {
        const { code, signal } = await this.#process.status;
        throw new Error(
          `Expected "${answer}" from ${JSON.stringify(this.#command)}, but the engine has ended ` +
            `(${signal ?? `exit code ${code}`})`,
        );
      }
      this.#rest += value;
    }
    return heard;
  }

  /** Tells the engine to quit, and returns its exit code once it has. */
  async quit(): Promise<number> {
    await this.ask("quit");
    const code = await this.#end();
    await this.#input.close();
    return code;
  }

  /** Ends the engine's input, and returns its exit code once it has ended. */
  async hangUp(): Promise<number> {
    await this.#input.close();
    return await this.#end();
  }

  async #end(): Promise<number> {
    while (!(await this.#output.read()).done);
    return (await this.#process.status).code;
  }
}

interface Result {
  winner?: 0 | 1; // White or Black; nobody if drawn
  how: string;
}

async function playGame(
  players: UciEngine[],
  opening: string[],
  rules: Rules,
): Promise<Result> {
  for (const player of players) {
    await player.ask("ucinewgame\nisready", "readyok");
  }
  const board = new Board(), moves = [...opening];
  for (const move of moves) board.play(move);
  const { increment, margin, go } = rules, left = [rules.base, rules.base];
  for (; moves.length < MOST_PLIES; board.play(moves.at(-1)!)) {
    const side = board.turn === "w" ? 0 : 1, other = side === 0 ? 1 : 0;
    const outcome = board.outcome();
    if (outcome !== undefined) {
      return { winner: outcome === "checkmate" ? other : undefined, how: outcome };
    }
    const limit = go ||
      `wtime ${left[0] | 0} btime ${left[1] | 0} winc ${increment} binc ${increment}`;
    await players[side].ask(`position startpos moves ${moves.join(" ")}`);
    const start = performance.now();
    const answer = await players[side].ask(`go ${limit}`, "bestmove");
    left[side] -= go === "" ? performance.now() - start : 0;
    if (left[side] < 0) players[side].late++;
    if (left[side] < -margin) {
      return { winner: other, how: `time, ${-left[side] | 0} ms late` };
    }
    left[side] = Math.max(left[side], 0) + increment;
    const move = answer.split(" ")[1];
    try {
      board.play(move).undo();
    } catch {
      return { winner: other, how: `illegal move "${move}" in ${board.fen()}` };
    }
    moves.push(move);
  }
  return { how: "too long" };
}

/** The difference in rating that a share of the points speaks for. */
function eloDifference(share: number): string {
  const elo = Math.round(-400 * Math.log10(1 / share - 1));
  return Number.isFinite(elo) ? (elo > 0 ? "+" : "") + elo : "beyond measure";
}

async function main(): Promise<void> {
  const { values } = readArguments(HELP, 0, {
    games: "20",
    clock: "2+0.02",
    go: "",
    margin: "50",
    elo: "0",
    engine: `${Deno.execPath()} task --quiet engine`,
    opponent: "stockfish",
  });
  const games = wholeNumber("--games", values.games, 1);
  const elo = wholeNumber("--elo", values.elo);
  const margin = wholeNumber("--margin", values.margin);
  const clock = /^(\d+(?:\.\d+)?)\+(\d+(?:\.\d+)?)$/.exec(values.clock);
  if (clock === null) fail(`Expected a clock such as 2+0.02, got ${JSON.stringify(values.clock)}`);
  const [base, increment] = clock.slice(1).map((seconds) => 1000 * Number(seconds));

  const tally = [0, 0, 0], endings = new Map<string, number>(), players: UciEngine[] = [];
  const report = () => {
    progress("");
    const played = tally[0] + tally[1] + tally[2], share = (tally[0] + tally[1] / 2) / played;
    const rest = played < games ? `, ${games - played} not played` : "";
    console.log(`${tally[0]} won, ${tally[1]} drawn, ${tally[2]} lost${rest}`);
    if (played === 0) return;
    console.log(`${(100 * share).toFixed(1)} % of the points, Elo ${eloDifference(share)}`);
    console.log(`moves after the flag: ${players[0].late}, the opponent's ${players[1].late}`);
    for (const [ending, count] of [...endings].sort()) console.log(`  ${count} ${ending}`);
  };
  for (const command of [values.engine, values.opponent]) {
    progress(`Waiting for ${command} to answer`);
    const player = new UciEngine(command);
    await player.ask("uci", "uciok");
    players.push(player);
  }
  if (elo > 0) {
    await players[1].ask("setoption name UCI_LimitStrength value true");
    await players[1].ask(`setoption name UCI_Elo value ${elo}`);
  }
  whenEnding(report);
  const rules = { base, increment, margin, go: values.go };
  try {
    for (let game = 0; game < games; game++) {
      progress(`${game} of ${games} games: ${tally.join(" ")}`);
      const ours = game % 2; // our colour
      const pair = ours === 0 ? players : players.toReversed();
      const { winner, how } = await playGame(pair, OPENINGS[(game >> 1) % OPENINGS.length], rules);
      const result = winner === undefined ? 1 : winner === ours ? 0 : 2;
      tally[result]++;
      const ending = `${["won", "drawn", "lost"][result]} by ${how}`;
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
    }
  } catch (error) { // an engine has ended; if that is because of Ctrl-C, we are about to hear of it
    await new Promise((resolve) => setTimeout(resolve, 200));
    throw error;
  }
  for (const player of players) await player.quit();
}

if (import.meta.main) await main().catch(fail);
