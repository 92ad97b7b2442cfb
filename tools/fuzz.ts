/**
 * Plays random games and compares every position with Stockfish: the legal moves, the counts below
 * them, the FEN and the checkers. Stockfish does not say how a game has ended, so a slow reading of
 * the laws of chess judges that from what Stockfish says about all its positions. Stops at the first
 * disagreement, with the shortest line to it.
 *
 * @module
 */

import {
  Board,
  isCapture,
  type Move,
  moveFrom,
  moveTo,
  promotion,
  squareName,
  squares,
  START,
  toUci,
} from "@quintessence/chess";
import { POSITIONS } from "../examples/positions.ts";
import { fail, progress, readArguments, wholeNumber } from "./cli.ts";
import { Random } from "./random.ts";
import { Stockfish } from "./stockfish.ts";

/** A game: the FEN it starts from, and its moves as UCI texts. */
export interface Line {
  fen: string;
  moves: string[];
}

/** What two programs must agree on: a position, and the leaves below each move at some depth. */
export interface Facts {
  fen: string;
  checkers: string;
  total: number;
  moves: Map<string, number>;
  outcome: string; // "none" while the game goes on
}

/** What both programs say about the end of a line. */
interface Verdict {
  line: Line;
  depth: number;
  us: Facts;
  them: Facts;
}

const HELP = `Play random games and compare every position with Stockfish.

deno task fuzz [games] [seed]      games from the seeds seed, seed + 1, ...
deno task fuzz "FEN" [move ...]    one line, to repeat a disagreement

1000 games unless given, and a seed of its own, which it prints first.
Stockfish is the installed one, or STOCKFISH=path.`;

const LONGEST_GAME = 200;
const DULLEST = 24; // a game ends when so many moves in a row have used none of the rules below
const DEEPEST = 3;
const AHEAD = 64; // how many questions wait for an answer while the next is being thought of

// Openings, castling on both sides, pawns about to promote, to meet or to pass each other.
const STARTS = [
  START,
  ...Object.values(POSITIONS).map(({ fen }) => fen),
  "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
  "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 0 1",
  "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
  "4k3/8/8/pppppppp/8/8/PPPPPPPP/4K3 w - - 0 1",
  "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
];

/** How much more often to play a move that uses a rule; a quiet one has the weight 2. */
const WEIGHTS: Record<string, number> = {
  "captures": 4,
  "checks": 6,
  "double pushes": 4, // may be taken en passant
  "promotions": 6,
  "castlings": 40,
  "en passant": 60,
};

/** Scatters some pieces over the board, few or many, until that makes a position. */
function scatter(random: Random): string {
  const board = Array.from({ length: 64 }, () => "."), most = random.oneIn(8) ? 3 : 11;
  for (const pieces of ["PPPPNNBBRRQ", "ppppnnbbrrq"]) {
    for (let i = random.below(most); i > 0; i--) board[random.below(64)] = random.pick(pieces);
  }
  board[random.below(64)] = "K";
  board[random.below(64)] = "k";
  const placement = board.join("").replaceAll(/.{8}/g, "$&/").slice(0, -1)
    .replaceAll(/\.+/g, (dots) => String(dots.length));
  try {
    const clock = random.oneIn(2) ? random.below(120) : 0;
    return new Board(`${placement} ${random.pick("wb")} - - ${clock} 1`).fen();
  } catch {
    return scatter(random);
  }
}

/** The rules that a move uses, by the names under which the summary counts them. */
function rules(board: Board, move: Move): string[] {
  const from = moveFrom(move), to = moveTo(move), jump = Math.abs(from - to);
  const piece = board.at(from)!.toLowerCase(), found: string[] = [];
  if (isCapture(move)) found.push(board.at(to) === undefined ? "en passant" : "captures");
  if (promotion(move)) found.push("promotions");
  if (piece === "p" && jump === 16) found.push("double pushes");
  if (piece === "k" && jump === 2) found.push("castlings");
  board.make(move);
  if (board.isCheck()) found.push("checks");
  board.undo();
  return found;
}

/**
 * Plays a random move and returns it with its rules: more likely one that uses rare rules or, to
 * shuffle, one that takes the side's last move back, and hardly ever one that cannot be taken back.
 */
function playAny(
  board: Board,
  random: Random,
  shuffled?: { last?: Move },
): { move: Move; used: string[] } | undefined {
  const options = board.moves().map((move) => ({ move, used: rules(board, move) }));
  const weights = options.map(({ move, used }) => {
    if (shuffled === undefined) return used.reduce((sum, rule) => sum + WEIGHTS[rule], 2);
    const from = moveFrom(move), to = moveTo(move), { last } = shuffled;
    if (last !== undefined && moveFrom(last) === to && moveTo(last) === from) {
      return 60 * options.length;
    }
    return isCapture(move) || /p/i.test(board.at(from)!) ? 1 : 60;
  });
  let left = random.below(weights.reduce((sum, weight) => sum + weight, 0));
  const chosen = options.find((_, i) => (left -= weights[i]) < 0);
  if (chosen) board.make(chosen.move);
  return chosen;
}

/** What this module says about a position. */
function ours(board: Board, depth: number): Facts {
  const king = board.pieces(board.turn === "w" ? "K" : "k");
  const checkers = board.attackers(squares(king)[0], board.turn === "w" ? "b" : "w");
  return {
    fen: board.fen(),
    checkers: squares(checkers).map(squareName).join(" "),
    total: board.perft(depth), // counts the last moves, where divide(1) lists them
    moves: board.divide(depth),
    outcome: board.outcome() ?? "none",
  };
}

/** What Stockfish says about the position that a line leads to; how the game ends is not known. */
async function theirs(
  stockfish: Stockfish,
  line: Line,
  depth: number,
): Promise<Omit<Facts, "outcome">> {
  stockfish.position(line.fen, line.moves);
  const [display, perft] = await Promise.all([stockfish.display(), stockfish.perft(depth)]);
  return { ...display, ...perft };
}

/**
 * The FEN of Stockfish with the en passant square as this module writes it. Stockfish names the
 * square if a pawn stands ready to capture there, even if it is pinned; this module only if the
 * capture is legal. So the square stays if the legal moves that Stockfish lists hold the capture.
 */
function strictFen({ fen, moves }: Pick<Facts, "fen" | "moves">): string {
  const fields = fen.split(" "), passed = fields[3];
  if (passed === "-") return fen;
  const rank = passed[1] === "6" ? 5 : 4;
  const row = fen.split("/")[8 - rank].replaceAll(/\d/g, (digit) => " ".repeat(Number(digit)));
  const isCaptured = [-1, 1].some((step) => {
    const file = "abcdefgh".indexOf(passed[0]) + step;
    return /p/i.test(row[file] ?? "") && moves.has("abcdefgh"[file] + rank + passed);
  });
  return isCaptured ? fen : fields.with(3, "-").join(" ");
}

/** What the laws call the same position: pieces, side to move, castling and en passant captures. */
function identity(facts: Pick<Facts, "fen" | "moves">): string {
  return strictFen(facts).split(" ").slice(0, 4).join(" ");
}

/**
 * Reads the laws of chess slowly, from texts.
 *
 * @param facts What Stockfish says about a position.
 * @param before The identities of all positions that came before it in the game.
 * @returns How the game has ended, in the words of `board.outcome()`, or "none".
 */
export function outcomeByLaw(facts: Omit<Facts, "outcome">, before: string[]): string {
  if (facts.moves.size === 0) return facts.checkers === "" ? "stalemate" : "checkmate";
  // A mate can be thought of if anybody has a pawn, a rook or a queen, or a knight beside another
  // piece, or if there are bishops on both shades. With the slashes, a rank has nine signs, so that
  // the shade changes from each sign to the next.
  const [placement, , , , clock] = facts.fen.split(" ");
  const signs = placement.replaceAll(/\d/g, (digit) => ".".repeat(Number(digit)));
  const bishops = [...signs.matchAll(/b/gi)].map(({ index }) => index % 2);
  const canMate = /[prq]/i.test(signs) || /n.*[bn]|b.*n/i.test(signs) ||
    bishops.includes(0) && bishops.includes(1);
  if (!canMate) return "insufficient material";
  if (Number(clock) >= 100) return "fifty-move rule";
  const present = identity(facts), same = before.filter((position) => position === present);
  return same.length >= 2 ? "threefold repetition" : "none";
}

/**
 * Compares what two programs say about a position.
 *
 * @param ours What this module says.
 * @param theirs What Stockfish says.
 * @returns What they disagree on.
 */
export function disagreements(ours: Facts, theirs: Facts): (keyof Facts)[] {
  const differ: (keyof Facts)[] = [];
  if (ours.fen !== strictFen(theirs)) differ.push("fen");
  const sorted = (checkers: string) => checkers.split(" ").sort().join(" ");
  if (sorted(ours.checkers) !== sorted(theirs.checkers)) differ.push("checkers");
  if (ours.outcome !== theirs.outcome) differ.push("outcome");
  if (ours.total !== theirs.total) differ.push("total");
  const isSame = ours.moves.size === theirs.moves.size &&
    ours.moves.entries().every(([move, count]) => theirs.moves.get(move) === count);
  if (!isSame) differ.push("moves");
  return differ;
}

/**
 * Shortens a line while it still shows the disagreement: later starts first, then fewer moves.
 *
 * @param line The line.
 * @param disagrees Tells whether the two programs disagree at the end of a line.
 * @returns The shortest line found.
 */
export async function shrink(
  line: Line,
  disagrees: (line: Line) => Promise<boolean>,
): Promise<Line> {
  const board = new Board(line.fen);
  const tails = [line];
  for (const [i, move] of line.moves.entries()) {
    tails.unshift({ fen: board.play(move).fen(), moves: line.moves.slice(i + 1) });
  }
  let shortest = line;
  for (const tail of tails) {
    if (await disagrees(tail)) {
      shortest = tail;
      break;
    }
  }
  for (let i = 0, dropped = 2; dropped > 0; i++) { // a move and its reply, then single moves
    const shorter = { ...shortest, moves: shortest.moves.toSpliced(i, dropped) };
    if (i + dropped > shortest.moves.length) i = -1, dropped--;
    else if (await disagrees(shorter)) shortest = shorter, i = -1;
  }
  return shortest;
}

/** Compares the end of a line, after all the questions on the way that a game asks. */
async function judge(stockfish: Stockfish, line: Line, depth: number): Promise<Verdict> {
  const board = new Board(line.fen);
  for (const move of line.moves) {
    ours(board, depth);
    for (const move of board.moves()) rules(board, move);
    board.play(move);
  }
  const us = ours(board, depth), { moves, fen } = line;
  const before = moves.map((_, i) => theirs(stockfish, { fen, moves: moves.slice(0, i) }, 1));
  const said = await theirs(stockfish, line, depth);
  const outcome = outcomeByLaw(said, (await Promise.all(before)).map(identity));
  return { line, depth, us, them: { ...said, outcome } };
}

/** Finds the shortest line and the least depth that show what a game has shown. */
async function explain(stockfish: Stockfish, found: Verdict): Promise<Verdict> {
  const isWrong = (line: Line, depth: number) =>
    judge(stockfish, line, depth).then(
      ({ us, them }) => disagreements(us, them).length > 0,
      () => false, // a move is not legal: this is not a line
    );
  let { line, depth, us, them } = found;
  if (!await isWrong(line, depth)) return found; // a matter of what came before the game
  while (depth > 1) { // what is counted wrongly below a move is wrong after the move
    const move = us.moves.keys().find((move) =>
      them.moves.has(move) && them.moves.get(move) !== us.moves.get(move)
    );
    if (!await isWrong(line, depth - 1)) {
      line = { ...line, moves: [...line.moves, move ?? ""] };
      if (!await isWrong(line, depth - 1)) {
        line.moves.pop();
        break;
      }
    }
    ({ line, depth, us, them } = await judge(stockfish, line, depth - 1));
  }
  return judge(stockfish, await shrink(line, (shorter) => isWrong(shorter, depth)), depth);
}

/** Describes a disagreement, with the command that repeats it. */
function describe({ line, depth, us, them }: Verdict): string {
  const side = (name: string, facts: Facts, other: Facts) => {
    const own = [...facts.moves].filter(([move, count]) => other.moves.get(move) !== count);
    return `${name}
  FEN       ${facts.fen}
  checkers  ${facts.checkers || "none"}
  outcome   ${facts.outcome}
  moves     ${[...facts.moves.keys()].sort().join(" ") || "none"}
  leaves    ${facts.total}
  differ    ${own.map(([move, count]) => `${move}: ${count}`).sort().join(" ") || "none"}`;
  };
  return `Disagreement about ${disagreements(us, them).join(", ")} at depth ${depth}
${side("Quintessence", us, them)}
${side("Stockfish", them, us)}
Repeat with: deno task fuzz ${[JSON.stringify(line.fen), ...line.moves].join(" ")}`;
}

/** Compares the end of one line at every depth; returns whether the programs agree. */
async function compareLine(stockfish: Stockfish, line: Line): Promise<boolean> {
  for (let depth = 1; depth <= DEEPEST; depth++) {
    const verdict = await judge(stockfish, line, depth);
    if (disagreements(verdict.us, verdict.them).length === 0) continue;
    console.log(describe(verdict));
    return false;
  }
  console.log(`Both agree, from depth 1 to ${DEEPEST}`);
  return true;
}

/** Compares random games; returns whether the programs agree. */
async function compareGames(stockfish: Stockfish, games: number, seed: number): Promise<boolean> {
  const started = performance.now(), tally = new Map<string, number>();
  const count = (name: string) => tally.set(name, (tally.get(name) ?? 0) + 1);
  const summary = (game: number) => {
    const positions = tally.get("positions") ?? 0;
    const rate = Math.round(positions / (performance.now() - started) * 1000);
    return `${game} games, ${positions} positions, ${rate} a second`;
  };
  type Answer = Awaited<ReturnType<typeof theirs>>;
  const asked: (Omit<Verdict, "them"> & { seed: number; answer: Promise<Answer> })[] = [];
  let before: string[] = []; // what was heard of the game that the oldest question belongs to

  /** Hears the answer to the oldest question; returns whether it is ours. */
  async function hear(): Promise<boolean> {
    const { seed, answer, ...question } = asked.shift()!;
    const said = await answer.catch((error) =>
      fail(`${error.message}, in the game of seed ${seed}`)
    );
    if (question.line.moves.length === 0) before = [];
    const them = { ...said, outcome: outcomeByLaw(said, before) };
    before.push(identity(said));
    if (disagreements(question.us, them).length === 0) return true;
    progress("");
    console.log(`Found after ${question.line.moves.length} moves of the game of seed ${seed}`);
    const fresh = await Stockfish.start(); // the old one is busy with questions of no more use
    console.log(describe(await explain(fresh, { ...question, them })));
    return false;
  }

  /** Plays a game, and asks about all its positions; returns whether the answers heard are ours. */
  async function play(seed: number): Promise<boolean> {
    const random = new Random(seed);
    const board = new Board(random.oneIn(3) ? scatter(random) : random.pick(STARTS));
    const line: Line = { fen: board.fen(), moves: [] }, played: Move[] = [];
    const shuffles = random.oneIn(8);
    let last = line;
    for (let ply = 0, dull = 0; ply < LONGEST_GAME && (shuffles || dull < DULLEST); ply++) {
      const depth = random.oneIn(100) ? DEEPEST : random.oneIn(10) ? 2 : 1;
      const us = ours(board, depth), answer = theirs(stockfish, last, depth);
      answer.catch(() => {}); // it is heard later
      asked.push({ seed, line: structuredClone(line), depth, us, answer });
      if (asked.length > AHEAD && !await hear()) return false;
      ["positions", `compared at depth ${depth}`].forEach(count);
      if (us.outcome !== "none") count(`outcomes by ${us.outcome}`);
      const next = playAny(board, random, shuffles ? { last: played.at(-2) } : undefined);
      if (next === undefined) return true;
      next.used.forEach(count);
      dull = next.used.length > 0 ? 0 : dull + 1;
      played.push(next.move);
      line.moves.push(toUci(next.move));
      // A move from a position that has been asked about is as good as the whole game, and faster.
      last = { fen: us.fen, moves: [toUci(next.move)] };
    }
    return true;
  }

  async function hearAll(): Promise<boolean> {
    while (asked.length > 0) if (!await hear()) return false;
    return true;
  }

  for (let game = 0; game < games; game++) {
    try {
      if (!await play(seed + game)) return false;
    } catch (error) { // it may come from a mistake that has been asked about
      if (!await hearAll()) return false;
      throw new Error(`In the game of seed ${seed + game}`, { cause: error });
    }
    if (game % 16 === 0) progress(summary(game));
  }
  if (!await hearAll()) return false;
  progress("");
  console.log(`Both agree: ${summary(games)}`);
  console.log([...tally].sort().map(([name, count]) => `${count} ${name}`).join(", "));
  return true;
}

if (import.meta.main) {
  const isLine = Deno.args[0]?.includes("/");
  const { words: [first, ...rest] } = readArguments(HELP, isLine ? Infinity : 2, {});
  const games = isLine ? 0 : wholeNumber("the games", first ?? "1000", 1);
  const seed = isLine ? 0 : wholeNumber("the seed", rest[0] ?? `${Date.now()}`);
  const stockfish = await Stockfish.start().catch(fail);
  if (!isLine) console.log(`${games} games from the seed ${seed}, judged by ${stockfish.name}`);
  const agree = isLine
    ? await compareLine(stockfish, { fen: first, moves: rest }).catch(fail)
    : await compareGames(stockfish, games, seed);
  Deno.exit(agree ? 0 : 1);
}
