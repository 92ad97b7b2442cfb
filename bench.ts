// How fast is it here? `deno bench`. To compare with other programs: `deno task compare`.

import { Board, rookAttacks } from "@quintessence/chess";
import source from "./mod.ts" with { type: "text" };
import { POSITIONS } from "./examples/positions.ts";

// Perft in millions of leaves, as deep as takes about a tenth of a second.
for (const [name, { fen, counts }] of Object.entries(POSITIONS)) {
  const depth = counts.findLastIndex((count) => count <= 2e7) + 1;
  const board = new Board(fen), leaves = (counts[depth - 1] / 1e6).toFixed(1);
  Deno.bench(`perft(${depth}), ${leaves} million`, { group: name }, () => {
    board.perft(depth);
  });
}

// What a program that plays chess does, in a position with 48 moves.
const { fen } = POSITIONS.kiwipete, board = new Board(fen);
const [move] = board.moves();

Deno.bench("board.moves()", () => {
  board.moves();
});

Deno.bench("board.count()", () => {
  board.count();
});

Deno.bench("board.make(move), board.undo()", () => {
  board.make(move);
  board.undo();
});

Deno.bench("new Board(fen)", () => {
  new Board(fen);
});

Deno.bench("board.fen()", () => {
  board.fen();
});

const { occupied } = board;
Deno.bench("rookAttacks(square, occupied)", () => {
  rookAttacks(27, occupied);
});

// A fresh copy from memory: types stripped, code compiled, tables built. Last, because the copies
// would stand in the way of the other benches.
Deno.bench("module load", { group: "load" }, async () => {
  const url = URL.createObjectURL(new Blob([source], { type: "application/typescript" }));
  await import(url);
  URL.revokeObjectURL(url);
});
