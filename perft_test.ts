// Counts of positions that others have counted too. By default every count that takes a moment;
// `deno task test:deep` runs them all, which takes minutes.

import { assertEquals } from "@std/assert";
import { POSITIONS } from "./examples/positions.ts";
import { Board, isCapture, type Move, moveTo, promotion, squares } from "./mod.ts";

const MOST_LEAVES = Deno.args.includes("deep") ? Infinity : 5e6;

const COUNTS: Record<string, { fen: string; counts: number[] }> = {
  ...POSITIONS,
  "mirrored, black to move": {
    fen: "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    counts: [6, 264, 9467, 422333, 15833292, 706045033],
  },
  "en passant leaves the king in check, rank": {
    fen: "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
    counts: [18, 92, 1670, 10138, 185429, 1134888],
  },
  "en passant leaves the king in check, diagonal": {
    fen: "8/8/4k3/8/2p5/8/B2P2K1/8 w - - 0 1",
    counts: [13, 102, 1266, 10276, 135655, 1015133],
  },
  "en passant gives check": {
    fen: "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
    counts: [15, 126, 1928, 13931, 206379, 1440467],
  },
  "short castling gives check": {
    fen: "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
    counts: [15, 66, 1198, 6399, 120330, 661072],
  },
  "long castling gives check": {
    fen: "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
    counts: [16, 71, 1286, 7418, 141077, 803711],
  },
  "castling rights lost by capture": {
    fen: "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
    counts: [26, 1141, 27826, 1274206],
  },
  "castling prevented": {
    fen: "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
    counts: [44, 1494, 50509, 1720476],
  },
  "promotion out of check": {
    fen: "2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1",
    counts: [11, 133, 1442, 19174, 266199, 3821001],
  },
  "discovered check": {
    fen: "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1",
    counts: [29, 165, 5160, 31961, 1004658],
  },
  "promotion gives check": {
    fen: "4k3/1P6/8/8/8/8/K7/8 w - - 0 1",
    counts: [9, 40, 472, 2661, 38983, 217342],
  },
  "underpromotion": {
    fen: "8/P1k5/K7/8/8/8/8/8 w - - 0 1",
    counts: [6, 27, 273, 1329, 18135, 92683],
  },
  "self stalemate": {
    fen: "K1k5/8/P7/8/8/8/8/8 w - - 0 1",
    counts: [2, 6, 13, 63, 382, 2217],
  },
  "stalemate and mate 1": {
    fen: "8/k1P5/8/1K6/8/8/8/8 w - - 0 1",
    counts: [10, 25, 268, 926, 10857, 43261, 567584],
  },
  "stalemate and mate 2": {
    fen: "8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1",
    counts: [37, 183, 6559, 23527],
  },
};

for (const [name, { fen, counts }] of Object.entries(COUNTS)) {
  Deno.test(`perft: ${name}`, async (test) => {
    for (const [i, count] of counts.entries()) {
      if (count > MOST_LEAVES) break;
      await test.step(`depth ${i + 1}: ${count}`, () => {
        const board = new Board(fen), leaves = board.perft(i + 1);
        if (leaves === count) return;
        const divide = [...board.divide(i + 1)].map(([move, leaves]) => `${move} ${leaves}`).sort();
        assertEquals(leaves, count, `${fen} depth ${i + 1}, divide:\n${divide.join("\n")}\n`);
      });
    }
  });
}

// What the last moves of the tree are. A check is discovered if the piece that moved does not give
// it, and double if two pieces do.
const KINDS = "captures, en passant, castles, promotions, checks, discovered, double, mates";

/** Looks at each leaf through the public functions, and sums the kinds. */
function classify(board: Board, depth: number, sums = new Array<number>(8).fill(0)): number[] {
  for (const move of board.moves()) {
    board.make(move);
    if (depth > 1) classify(board, depth - 1, sums);
    else leafKinds(board, move).forEach((is, kind) => sums[kind] += Number(is));
    board.undo();
  }
  return sums;
}

/** The kinds of the move that has just been made. */
function leafKinds(board: Board, move: Move): boolean[] {
  const flags = move >> 12, kinds = [isCapture(move), flags === 5, flags === 2 || flags === 3];
  kinds.push(promotion(move) !== undefined);
  if (!board.isCheck()) return kinds;
  const [king, them] = board.turn === "w" ? ["K", "b"] as const : ["k", "w"] as const;
  const [square] = squares(board.pieces(king));
  const checkers = [...squares(board.attackers(square, them))];
  const isDiscovered = !checkers.includes(moveTo(move));
  return [...kinds, true, isDiscovered, checkers.length === 2, board.count() === 0];
}

const LEAVES: [name: string, depth: number, ...kinds: number[]][] = [
  ["start", 4, 1576, 0, 0, 0, 469, 0, 0, 8],
  ["start", 5, 82719, 258, 0, 0, 27351, 6, 0, 347],
  ["kiwipete", 3, 17102, 45, 3162, 0, 993, 0, 0, 1],
  ["kiwipete", 4, 757163, 1929, 128013, 15172, 25523, 42, 6, 43],
];

for (const [name, depth, ...kinds] of LEAVES) {
  const { fen, counts } = COUNTS[name];
  if (counts[depth - 1] > MOST_LEAVES) continue;
  Deno.test(`leaves: ${name}, depth ${depth}`, () => {
    assertEquals(classify(new Board(fen), depth), kinds, `${fen}: ${KINDS}`);
  });
}
