/**
 * Plays on one board for a long time, back and forth over deep histories, and watches that the
 * board stays right and the memory flat.
 *
 *     deno task soak [minutes] [seed]
 *
 * @module
 */

import { Board, type Piece, START, toUci } from "@quintessence/chess";
import { heapInUse, progress, wholeNumber } from "./cli.ts";
import { Random } from "./random.ts";

const DEEPEST = 5000;
const FIRST = 100_000; // moves until the program is warm, and the memory worth a look

/** All that a board tells of its position. */
function describe(board: Board): string {
  const pieces = [..."PNBRQKpnbrqk"].map((piece) => board.pieces(piece as Piece));
  return [`${board}`, board.fen(), board.hash, board.occupied, ...pieces, board.isCheck()].join() +
    [board.moves().map(toUci), board.count(), board.perft(2)].join();
}

function same(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}

const minutes = wholeNumber("the minutes", Deno.args[0], 10);
const seed = wholeNumber("the seed", Deno.args[1], Date.now());
const random = new Random(seed), board = new Board();
const hashes: bigint[] = []; // of the positions before each move
const end = performance.now() + minutes * 60_000;
let made = 0, undone = 0, checked = 0, deepest = 0, heap = "";
while (performance.now() < end) {
  const high = random.below(DEEPEST);
  for (; hashes.length < high; made++) {
    const moves = board.moves();
    if (moves.length === 0) break;
    hashes.push(board.hash);
    board.make(random.pick(moves));
    if (random.oneIn(100)) {
      same("position", describe(board), describe(new Board(board.fen())));
      checked++;
    }
    if (made === FIRST) heap = heapInUse();
  }
  deepest = Math.max(deepest, hashes.length);
  const low = random.below(hashes.length + 1);
  for (; hashes.length > low; undone++) {
    board.undo();
    same("hash", board.hash, hashes.pop());
  }
  if (hashes.length === 0) same("start", board.fen(), START);
  progress(`${made} moves made, ${undone} undone, ${checked} positions checked`);
}
progress("");
console.log(
  `${made} moves made, ${undone} undone, ${checked} positions checked from the seed ${seed}`,
);
console.log(`Heap ${heap} at first, ${heapInUse()} at last; longest history ${deepest} moves`);
