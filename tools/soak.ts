/**
 * Plays on one board for a long time, back and forth over deep histories, and watches that the
 * board stays right and the memory flat.
 *
 * @module
 */

import { Board, type Piece, START, toUci } from "@quintessence/chess";
import { equal, heapInUse, progress, readArguments, wholeNumber } from "./cli.ts";
import { Random } from "./random.ts";

const HELP = `Play on one board for a long time, and watch that it stays right and the memory flat.

deno task soak [minutes] [seed]

10 minutes unless given, and a seed of its own, which it prints first.`;

const DEEPEST = 5000;
const FIRST = 100_000; // moves until the program is warm, and the memory worth a look

/** All that a board tells of its position. */
function describe(board: Board): string {
  const pieces = [..."PNBRQKpnbrqk"].map((piece) => board.pieces(piece as Piece));
  return [`${board}`, board.fen(), board.hash, board.occupied, ...pieces, board.isCheck()].join() +
    [board.moves().map(toUci), board.count(), board.perft(2)].join();
}

const { words } = readArguments(HELP, 2, {});
const minutes = wholeNumber("the minutes", words[0] ?? "10", 1);
const seed = wholeNumber("the seed", words[1] ?? `${Date.now()}`);
console.log(`Playing ${minutes} min from the seed ${seed}`);
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
      equal("position", describe(board), describe(new Board(board.fen())));
      checked++;
    }
    if (made === FIRST) heap = heapInUse();
  }
  deepest = Math.max(deepest, hashes.length);
  const low = random.below(hashes.length + 1);
  for (; hashes.length > low; undone++) {
    board.undo();
    equal("hash", board.hash, hashes.pop());
  }
  if (hashes.length === 0) equal("start", board.fen(), START);
  progress(`${made} moves made, ${undone} undone, ${checked} positions checked`);
}
progress("");
console.log(`${made} moves made, ${undone} undone, ${checked} positions checked`);
console.log(`Heap ${heap} at first, ${heapInUse()} at last; longest history ${deepest} moves`);
