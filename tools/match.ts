/**
 * Plays a match between two UCI engines, by default the example engine against Stockfish held back
 * to a given strength, and referees it: every move must be legal and in time.
 *
 * `deno task match --games 20 --clock 2+0.02 --elo 2000`
 *
 * @module
 */

import { Board } from "@quintessence/chess";

const USAGE = `Usage: deno task match [options]
  --games <n>              games to play, two for each opening (20)
  --clock <s>+<s>          seconds a game and seconds a move (2+0.02)
  --go <limit>             a limit for every move instead of a clock, such as "nodes 20000"
  --elo <n>                the opponent's UCI_Elo (full strength)
  --engine <command>       the first engine (examples/engine.ts)
  --opponent <command>     the second engine (stockfish)`;

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
const GRACE = 50; // milliseconds that a move may be late: pipes and a busy machine are no fault

interface Options {
  games: number;
  clock: { base: number; increment: number }; // milliseconds
  go?: string;
  elo?: number;
  commands: string[];
}

function parseOptions(args: string[]): Options {
  const options: Options = {
    games: 20,
    clock: { base: 2000, increment: 20 },
    commands: [`${Deno.execPath()} task --quiet engine`, "stockfish"],
  };
  const positive = (name: string, text: string): number => {
    if (/^[1-9]\d*$/.test(text)) return Number(text);
    throw new SyntaxError(`Expected a whole number above 0 for ${name}, got "${text}"`);
  };
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i], value = args[i + 1] ?? "";
    if (name === "--games") options.games = positive(name, value);
    else if (name === "--elo") options.elo = positive(name, value);
    else if (name === "--engine" && value !== "") options.commands[0] = value;
    else if (name === "--opponent" && value !== "") options.commands[1] = value;
    else if (name === "--go" && value !== "") options.go = value;
    else if (name === "--clock") {
      const match = /^(\d+(?:\.\d+)?)\+(\d+(?:\.\d+)?)$/.exec(value);
      if (match === null) {
        throw new SyntaxError(`Expected a clock such as 2+0.02 for ${name}, got "${value}"`);
      }
      options.clock = { base: 1000 * Number(match[1]), increment: 1000 * Number(match[2]) };
    } else throw new SyntaxError(`Expected an option with its value, got "${name} ${value}"`);
  }
  return options;
}

/** An engine that runs as a process of its own. */
export class UciEngine {
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<string>;
  #rest = "";

  constructor(command: string) {
    const [program, ...args] = command.split(" ");
    this.#process = new Deno.Command(program, { args, stdin: "piped", stdout: "piped" }).spawn();
    this.#input = this.#process.stdin.getWriter();
    this.#output = this.#process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Says something and, if an answer is expected, waits for the line that begins with it. */
  async ask(text: string, answer?: string): Promise<string> {
    await this.#input.write(new TextEncoder().encode(text + "\n"));
    while (answer !== undefined) {
      const end = this.#rest.indexOf("\n");
      if (end >= 0) {
        const line = this.#rest.slice(0, end).trim();
        this.#rest = this.#rest.slice(end + 1);
        if (line.startsWith(answer)) return line;
        continue;
      }
      const { value, done } = await this.#output.read();
      if (done) throw new Error(`Expected "${answer}" after "${text}", but the engine has ended`);
      this.#rest += value;
    }
    return "";
  }

  /** Tells the engine to quit, and returns its exit code. */
  async quit(): Promise<number> {
    await this.ask("quit");
    return await this.hangUp();
  }

  /** Ends the engine's input, and returns its exit code. */
  async hangUp(): Promise<number> {
    await this.#input.close();
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
  options: Options,
): Promise<Result> {
  for (const player of players) {
    await player.ask("ucinewgame\nisready", "readyok");
  }
  const board = new Board(), moves = [...opening];
  for (const move of moves) board.play(move);
  const { base, increment } = options.clock, left = [base, base];
  for (; moves.length < MOST_PLIES; board.play(moves.at(-1)!)) {
    const side = board.turn === "w" ? 0 : 1, other = side === 0 ? 1 : 0;
    const outcome = board.outcome();
    if (outcome !== undefined) {
      return { winner: outcome === "checkmate" ? other : undefined, how: outcome };
    }
    const limit = options.go ??
      `wtime ${left[0] | 0} btime ${left[1] | 0} winc ${increment} binc ${increment}`;
    await players[side].ask(`position startpos moves ${moves.join(" ")}`);
    const start = performance.now();
    const answer = await players[side].ask(`go ${limit}`, "bestmove");
    left[side] -= options.go === undefined ? performance.now() - start : 0;
    if (left[side] < -GRACE) return { winner: other, how: `time, ${-left[side] | 0} ms late` };
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

async function main(options: Options): Promise<void> {
  const players = options.commands.map((command) => new UciEngine(command));
  for (const player of players) await player.ask("uci", "uciok");
  if (options.elo !== undefined) {
    await players[1].ask("setoption name UCI_LimitStrength value true");
    await players[1].ask(`setoption name UCI_Elo value ${options.elo}`);
  }
  const tally = [0, 0, 0], endings = new Map<string, number>();
  for (let game = 0; game < options.games; game++) {
    const ours = game % 2; // our colour
    const pair = ours === 0 ? players : players.toReversed();
    const { winner, how } = await playGame(pair, OPENINGS[(game >> 1) % OPENINGS.length], options);
    const result = winner === undefined ? 1 : winner === ours ? 0 : 2;
    tally[result]++;
    const ending = `${["won", "drawn", "lost"][result]} by ${how}`;
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
    if (Deno.stderr.isTerminal()) console.error(`game ${game + 1}: ${ending}`);
  }
  for (const player of players) await player.quit();
  const share = (tally[0] + tally[1] / 2) / options.games;
  console.log(`${tally[0]} won, ${tally[1]} drawn, ${tally[2]} lost of ${options.games}`);
  console.log(`${(100 * share).toFixed(1)} % of the points, Elo ${eloDifference(share)}`);
  for (const [ending, count] of [...endings].sort()) console.log(`  ${count} ${ending}`);
}

if (import.meta.main) {
  let options: Options | undefined;
  try {
    options = parseOptions(Deno.args);
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    Deno.exit(2);
  }
  await main(options);
}
