// What programs do with boards all day, and what the ways to do it cost. See bench.ts.

import { Board, rookAttacks } from "@quintessence/chess";
import { makeCorpus } from "./compare.ts";
import { FEW, IN_A_ROW, TASKS } from "./daily.ts";
import { HABITS } from "./habits.ts";
import { PEERS } from "./peers.ts";
import { POSITIONS } from "../examples/positions.ts";
import { type Bench, benchWarm } from "./warm.ts";

// The tasks of `deno task compare --daily`, one board at a time.
const corpus = makeCorpus(FEW), times = FEW * IN_A_ROW;
const { library } = await PEERS.Quintessence.load();
const tasks = Object.entries(TASKS).map(([task, prepare]): Bench => {
  const step = prepare(library!, corpus, (i) => Math.floor(i / IN_A_ROW))!;
  const run = () => {
    for (let i = 0; i < times; i++) step(i);
  };
  return { name: `${task}, ${times} times`, run, n: 50 };
});

// To see the positions after all moves of one: make and undo each move, or set each position up.
const board = new Board(POSITIONS.kiwipete.fen), moves = board.moves();
function makeAll(look: () => void): void {
  for (const move of moves) {
    board.make(move);
    look();
    board.undo();
  }
}
const fens: string[] = [];
makeAll(() => fens.push(board.fen()));

// A rook on each square, among the pieces of a position. The walk has its tables too: the squares
// along each ray, and a byte for each square.
const { occupied } = board, reach = new BigInt64Array(64);
const isEmpty = Uint8Array.from(reach, (_, square) => board.at(square) ? 0 : 1);
const bits = reach.map((_, square) => 1n << BigInt(square));
const rays = Array.from(reach, (_, square) =>
  [8, 1, -8, -1].map((step) => {
    const ray: number[] = [], edge = step === 1 ? square | 7 : square & 56;
    const end = step === 8 ? 63 : step === -8 ? 0 : edge;
    for (let to = square + step; step > 0 ? to <= end : to >= end; to += step) ray.push(to);
    return ray;
  }));
function hyperbola(): void {
  for (let square = 0; square < 64; square++) reach[square] = rookAttacks(square, occupied);
}
function walk(): void {
  for (let square = 0; square < 64; square++) {
    reach[square] = 0n;
    for (const ray of rays[square]) {
      for (const to of ray) {
        reach[square] |= bits[to];
        if (isEmpty[to] === 0) break;
      }
    }
  }
}
hyperbola();
const found = reach.join();
walk();
if (reach.join() !== found) throw new Error("Expected the same attacks from both");

// One of the habits that `deno task habits` shows.
const [habit, ...forms] = HABITS.find(([, [code]]) => code.includes("BIT[square]"))!;

benchWarm([
  ...tasks,
  { group: "count or list", name: "count 48 moves", run: () => board.count() },
  { group: "count or list", name: "list 48 moves", run: () => board.moves() },
  { group: "make or set up", name: "make and undo 48 moves", run: () => makeAll(() => {}) },
  {
    group: "make or set up",
    name: "set up 48 positions",
    run: () => fens.map((fen) => new Board(fen)),
  },
  { group: "sliders", name: "Hyperbola Quintessence, 64 rooks", run: hyperbola },
  { group: "sliders", name: "a walk along the rays, 64 rooks", run: walk },
  ...forms.map(([code, run]) => ({
    group: habit.toLowerCase(),
    name: `${code.replaceAll("`", "")}, 1000 times`,
    run: () => run(1000),
  })),
]);
