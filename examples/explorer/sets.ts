// The sets of squares that the page shows of a position. Nothing here knows of a browser.

import {
  bishopAttacks,
  type Bitboard,
  type Board,
  type Piece,
  rookAttacks,
  type Square,
  squares,
} from "@quintessence/chess";

/** Whether a square is in a set. */
export function has(set: Bitboard, square: Square): boolean {
  return (set >> BigInt(square) & 1n) !== 0n;
}

/** The squares for which a predicate holds. */
export function setOf(holds: (square: Square) => boolean): Bitboard {
  let set = 0n;
  for (let square = 0; square < 64; square++) if (holds(square)) set |= 1n << BigInt(square);
  return set;
}

/** The sets of a position, each with its name. */
export function namedSets(board: Board): [name: string, set: Bitboard][] {
  const { checkers, pinned } = guard(board);
  const kinds = ["pawns", "knights", "bishops", "rooks", "queens", "king"];
  return [
    ["occupied", board.occupied],
    ["White", board.occupiedBy("w")],
    ["Black", board.occupiedBy("b")],
    ["attacked by White", setOf((square) => board.attackers(square, "w") !== 0n)],
    ["attacked by Black", setOf((square) => board.attackers(square, "b") !== 0n)],
    ["checkers", checkers],
    ["pinned", pinned],
    ...kinds.flatMap((kind, i): [string, Bitboard][] => [
      [`White ${kind}`, board.pieces("PNBRQK"[i] as Piece)],
      [`Black ${kind}`, board.pieces("pnbrqk"[i] as Piece)],
    ]),
  ];
}

/** All that bears on the king of the side to move. */
export function guard(board: Board): {
  king: Square;
  /** Enemy sliders that would see the king on an empty board. */
  watchers: Bitboard;
  /** The squares between them and the king. */
  between: Bitboard;
  checkers: Bitboard;
  pinned: Bitboard;
} {
  const [ours, theirs, us, them] = board.turn === "w"
    ? ["K", "bqr", "w", "b"] as const
    : ["k", "BQR", "b", "w"] as const;
  const [bishops, queens, rooks] = [...theirs].map((letter) => board.pieces(letter as Piece));
  const [king] = squares(board.pieces(ours));
  const watchers = bishopAttacks(king, 0n) & (bishops | queens) |
    rookAttacks(king, 0n) & (rooks | queens);
  const ways = squares(watchers).map((watcher) => between(king, watcher));
  return {
    king,
    watchers,
    between: ways.reduce((all, way) => all | way, 0n),
    checkers: board.attackers(king, them),
    pinned: ways.map((way) => way & board.occupied).filter((men) => squares(men).length === 1)
      .reduce((all, men) => all | men & board.occupiedBy(us), 0n),
  };
}

/** The squares between two that a queen connects. */
export function between(from: Square, to: Square): Bitboard {
  const attacks = [bishopAttacks, rookAttacks].find((attacks) => has(attacks(from, 0n), to))!;
  return attacks(from, 1n << BigInt(to)) & attacks(to, 1n << BigInt(from));
}
