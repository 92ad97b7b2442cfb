/**
 * Feeds damaged texts to everything that reads text. Each must be refused with a short SyntaxError
 * or RangeError, or be read as something that is written and read again without a change.
 *
 * What is accepted as a position is also shown to Stockfish, which must count the same moves.
 *
 * @module
 */

import {
  Board,
  drawBitboard,
  moveFrom,
  moveTo,
  parseBitboard,
  parseSquare,
  promotion,
  squareName,
  toUci,
} from "@quintessence/chess";
import { POSITIONS } from "../examples/positions.ts";
import { equal, fail, heapInUse, progress, readArguments, wholeNumber } from "./cli.ts";
import { Random } from "./random.ts";
import { Stockfish } from "./stockfish.ts";

/** What became of the inputs. */
export interface Tally {
  inputs: number;
  accepted: number;
  /** The FENs of the positions that were accepted, with their numbers of moves. */
  positions: { fen: string; moves: number }[];
}

const HELP = `Feed damaged texts to everything that reads text.

deno task fuzz:input [inputs] [seed]

100000 inputs unless given, and a seed of its own, which it prints first.
Stockfish, the judge of what is accepted, is the installed one, or STOCKFISH=path.`;

const LONGEST_MESSAGE = 300;

const FENS = [
  ...Object.values(POSITIONS).map(({ fen }) => fen),
  "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
  "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
  "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
  "4k3/8/8/8/8/8/4P3/4K3 w - -",
];
const MOVES = ["e2e4", "e1g1", "e1c1", "a7a8q", "b7b8n", "d5e6", "e5f6", "c4d3", "g1f3"];
const DRAWING = drawBitboard(0x8100_0018_1800_0081n);

// Letters that may make another text of the same sort, and texts that nobody should expect.
const LETTERS = "PNBRQKpnbrqk12345678/ -abcdefghw0.X\n";
const SURPRISES = [
  "\0",
  "\r\n",
  "\t",
  "\u00a0", // a space that does not break
  "\u2028", // ends a line, for some
  "\u202e", // turns the writing direction
  "\ud83d", // half of a sign
  "😀",
  "♔",
  "Ｋ",
  "\u212a", // the sign of kelvin, a k for whoever ignores case
  "ı",
  "８",
  "٣",
  "-1",
  "1e9",
  "0x10",
  "Infinity",
  "__proto__",
  "$&",
  "2147483648",
  "999999999",
  "9007199254740993",
  "9".repeat(400),
  "/".repeat(5000),
  "Q".repeat(50000),
  " ".repeat(50000),
];

/** Damages a text in one place. */
function damage(text: string, random: Random): string {
  const at = random.below(text.length + 1), to = at + 1 + random.below(3);
  const before = text.slice(0, at), there = text.slice(at, to), after = text.slice(to);
  switch (random.below(10)) {
    case 0:
      return before + after;
    case 1:
      return before + random.pick(SURPRISES) + there + after;
    case 2:
      return before + random.pick(LETTERS) + there + after;
    case 3: // swap
      return before + [...there].reverse().join("") + after;
    case 4:
      return before + there + there + after;
    case 5: // a long text
      return text.length < 1000 && random.oneIn(20) ? text.repeat(1 + random.below(300)) : before;
    case 6: { // a field of another text
      const fields = text.split(" "), others = random.pick(FENS).split(" ");
      const i = random.below(fields.length);
      return fields.with(i, others[i % others.length]).join(" ");
    }
    case 7: // another number
      return text.replace(/\d+$/, String(random.pick(SURPRISES)));
    default: { // a letter of the same sort: the damage that is most often accepted
      const sort = ["PNBRQpnbrq", "12345678", "abcdefgh"].find((sort) => sort.includes(text[at]));
      return text.slice(0, at) + random.pick(sort ?? LETTERS) + text.slice(at + 1);
    }
  }
}

/** Reads a position; returns what Stockfish should count. */
function tryFen(text: string): Tally["positions"][0] {
  const board = new Board(text), fen = board.fen(), again = new Board(fen);
  equal("FEN", again.fen(), fen);
  equal("hash", again.hash, board.hash);
  equal("drawing", `${again}`, `${board}`);
  equal("moves", again.moves().map(toUci).join(), board.moves().map(toUci).join());
  equal("count", board.count(), board.moves().length);
  return { fen, moves: board.count() };
}

/** Plays a move, takes it back, and sees that the text says what was played. */
function tryMove(text: string, board: Board): void {
  const before = `${board}`;
  try {
    board.play(text);
    const move = board.undo();
    const told = squareName(moveFrom(move)) + squareName(moveTo(move)) + (promotion(move) ?? "");
    equal("move", told, text);
  } finally {
    equal("board", `${board}`, before);
  }
}

/**
 * Damages texts and feeds them to all that reads text.
 *
 * @param inputs How many texts.
 * @param seed Where the random numbers start.
 * @returns What became of them.
 * @throws {Error} If one of them is treated wrongly.
 */
export function feed(inputs: number, seed: number): Tally {
  const random = new Random(seed), tally: Tally = { inputs: 0, accepted: 0, positions: [] };
  const boards = FENS.map((fen) => new Board(fen));
  const readers: [texts: string[], read: (text: string) => void][] = [
    [FENS, (text) => tally.positions.push(tryFen(text))],
    [FENS, (text) => tally.positions.push(tryFen(text))],
    [MOVES, (text) => tryMove(text, random.pick(boards))],
    [["a1", "e4", "h8"], (text) => equal("square", squareName(parseSquare(text)), text)],
    [[DRAWING], (text) => {
      const set = parseBitboard(text);
      equal("set", parseBitboard(drawBitboard(set)), set);
    }],
  ];
  while (tally.inputs < inputs) {
    const [texts, read] = random.pick(readers);
    let text = random.pick(texts);
    do text = damage(text, random); while (random.oneIn(2));
    tally.inputs++;
    try {
      read(text);
      tally.accepted++;
    } catch (error) {
      const isRefusal = error instanceof SyntaxError || error instanceof RangeError;
      if (isRefusal && error.message.length < LONGEST_MESSAGE) continue;
      const shown = JSON.stringify(text.length > 500 ? text.slice(0, 500) + "…" : text);
      throw new Error(`Seed ${seed}, input ${tally.inputs}, ${shown}`, { cause: error });
    }
  }
  return tally;
}

const BATCH = 1000;
const MOST_MOVES = 256; // what Stockfish has room for; with sixteen queens there may be more

if (import.meta.main) {
  const { words } = readArguments(HELP, 2, {});
  const inputs = wholeNumber("the inputs", words[0] ?? "100000", 1);
  const seed = wholeNumber("the seed", words[1] ?? `${Date.now()}`);
  const stockfish = await Stockfish.start().catch(fail);
  console.log(`${inputs} inputs from the seed ${seed}, judged by ${stockfish.name}`);
  let accepted = 0, compared = 0, slowest = 0, heap = "";
  for (let done = 0; done < inputs; done += BATCH) {
    const started = performance.now();
    const tally = feed(Math.min(BATCH, inputs - done), seed + done);
    slowest = Math.max(slowest, performance.now() - started);
    accepted += tally.accepted;
    const asked = tally.positions.filter(({ moves }) => moves <= MOST_MOVES).map((position) => {
      stockfish.position(position.fen);
      return { ...position, answer: stockfish.perft(1) };
    });
    for (const { fen, moves, answer } of asked) {
      const { total } = await answer;
      if (total === moves) compared++;
      else {
        console.log(`Seed ${seed + done}: ${moves} moves, but ${total} for Stockfish, in ${fen}`);
        Deno.exit(1);
      }
    }
    if (done === 0) heap = heapInUse();
    progress(`${done} inputs, ${accepted} accepted, ${compared} compared with Stockfish`);
  }
  progress("");
  await stockfish.quit();
  console.log(
    `${inputs - accepted} refused, ${accepted} accepted, of which ${compared} positions compared`,
  );
  console.log(
    `Heap ${heap} at first, ${heapInUse()} at last; slowest ${BATCH} inputs ${
      Math.round(slowest)
    } ms`,
  );
}
