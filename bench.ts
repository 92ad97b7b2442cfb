// How fast does it count here? `deno bench`; and beside other programs, `deno task compare`.
//
// The numbers that `compare` and the README show are the best of many: read (min … max). On a quiet
// machine the average is as good; on a busy one it also counts how long others had the processor.
// The trees are those of `compare --perft`: small ones, which processors know by heart after some
// rounds, are counted up to a sixth faster.
//
// Each sort of bench has its file, and with it a compiler of its own: what programs do all day
// stands in tools/daily_bench.ts, a cold start in tools/start_bench.ts.

import { Board } from "@quintessence/chess";
import { POSITIONS } from "./examples/positions.ts";
import { benchWarm } from "./tools/warm.ts";

const benches = Object.entries(POSITIONS).map(([name, { fen, counts }]) => {
  const depth = counts.findLastIndex((count) => count <= 2e8) + 1; // as PEERS.Quintessence.leaves
  const board = new Board(fen), leaves = counts[depth - 1].toLocaleString("en");
  return {
    name: `${name}, perft(${depth}): ${leaves} leaves`,
    run: () => board.perft(depth),
    warm: () => board.perft(depth - 2),
    n: 1,
  };
});
benchWarm(benches);
