// What the page shows of a position: its sets of squares, the steps of Hyperbola Quintessence, and
// the names of moves. Nothing here knows of a browser.

import {
  bishopAttacks,
  type Bitboard,
  type Board,
  isCapture,
  type Move,
  moveFrom,
  moveTo,
  type Piece,
  promotion,
  queenAttacks,
  rookAttacks,
  type Square,
  squareName,
  squares,
} from "@quintessence/chess";
import source from "../../mod.ts" with { type: "text" };

/** Whether a square is in a set. */
export function has(set: Bitboard, square: Square): boolean {
  return (set >> BigInt(square) & 1n) !== 0n;
}

/** The squares for which a predicate holds. */
function setOf(holds: (square: Square) => boolean): Bitboard {
  let set = 0n;
  for (let square = 0; square < 64; square++) if (holds(square)) set |= 1n << BigInt(square);
  return set;
}

/** The sets of a position, each with its name. */
export function namedSets(board: Board): [name: string, set: Bitboard][] {
  const [ours, theirs, them] = board.turn === "w"
    ? ["PNBRQK", "pnbrqk", "b"] as const
    : ["pnbrqk", "PNBRQK", "w"] as const;
  const men = (letters: string) =>
    [...letters].reduce((set, letter) => set | board.pieces(letter as Piece), 0n);
  const king = [...squares(men(ours[5]))][0];
  /** The enemy sliders that would see our king. */
  const watchers = (occupied: Bitboard) =>
    bishopAttacks(king, occupied) & men(theirs[2] + theirs[4]) |
    rookAttacks(king, occupied) & men(theirs[3] + theirs[4]);
  const shields = queenAttacks(king, board.occupied) & men(ours);
  const kinds = ["pawns", "knights", "bishops", "rooks", "queens", "king"];
  return [
    ["occupied", board.occupied],
    ["White", men("PNBRQK")],
    ["Black", men("pnbrqk")],
    ["attacked by White", setOf((square) => board.attackers(square, "w") !== 0n)],
    ["attacked by Black", setOf((square) => board.attackers(square, "b") !== 0n)],
    ["checkers", board.attackers(king, them)],
    [
      "pinned", // a man without which one more enemy would see the king
      setOf((square) =>
        has(shields, square) &&
        watchers(board.occupied ^ 1n << BigInt(square)) !== watchers(board.occupied)
      ),
    ],
    ...kinds.flatMap((kind, i): [string, Bitboard][] => [
      [`White ${kind}`, men("PNBRQK"[i])],
      [`Black ${kind}`, men("pnbrqk"[i])],
    ]),
  ];
}

/** Writes a legal move as players do: `Nbd2`, `exd8=Q+`, `O-O`. */
export function shortName(board: Board, move: Move): string {
  const from = moveFrom(move), to = moveTo(move), man = board.at(from);
  const kind = man?.toUpperCase() ?? "", name = squareName(from);
  const rivals = board.moves().filter((other) => moveTo(other) === to).map(moveFrom)
    .filter((square) => square !== from && board.at(square) === man).map(squareName);
  let origin = kind === "P" ? "" : kind;
  if (kind === "P" ? isCapture(move) : rivals.length > 0) {
    // The file tells them apart, or else the rank, or else it takes both.
    const fileTells = !rivals.some((rival) => rival[0] === name[0]);
    const rankTells = !rivals.some((rival) => rival[1] === name[1]);
    origin += kind === "P" || fileTells ? name[0] : rankTells ? name[1] : name;
  }
  const became = promotion(move)?.toUpperCase();
  const text = kind === "K" && Math.abs(to - from) === 2
    ? to > from ? "O-O" : "O-O-O"
    : origin + (isCapture(move) ? "x" : "") + squareName(to) + (became ? "=" + became : "");
  board.make(move);
  const sign = !board.isCheck() ? "" : board.count() === 0 ? "#" : "+";
  board.undo();
  return text + sign;
}

// ---------------------------------------------------------------------------------------------
// Hyperbola Quintessence, one operation at a time
// ---------------------------------------------------------------------------------------------

/** The four lines through a square. */
export const LINES = ["file", "rank", "diagonal", "antidiagonal"] as const;

/** One of them. */
export type Line = typeof LINES[number];

/** One step: its result, why it is made, and the code of mod.ts before, in and after it. */
export type Step = { title: string; set: Bitboard; why: string; code: string[] };

// What the steps are called, and why they are made.
const LINE = "Line. All that the slider would see if the board were empty.";
const BLOCKERS = "Blockers. The men on the line. The nearest on each side ends the view, and is " +
  "itself seen.";
const STEPS = [
  LINE,
  BLOCKERS,
  "Minus slider. Its bit is not among the blockers, so the subtraction has to borrow, through " +
  "all empty squares above, from the first blocker. All bits on the way change.",
  "Mirror. Downwards no borrow runs. So do the same with the board upside down, where square s " +
  "is s ^ 56. In memory that is the order of eight bytes.",
  "Turned back. Here the bits that have changed are those down to the first blocker below.",
  "Exclusive or. Beyond the blockers both are alike and cancel. What one of them has changed stays.",
  "Attacks. Only the squares on the line count. That is all the slider sees.",
];
const RANK_STEPS = [
  LINE,
  BLOCKERS,
  "Inner six. A rank has no upside down. But it is one byte, whose outer bits never matter: the " +
  "slider reaches the edge whether or not somebody stands there. Six bits are left, its own with them.",
  "Attacks. 64 entries for each square hold all there is to know. One look into the table.",
];

// Where mod.ts makes them. The diagonals are cut to the line before the exclusive or, not after it:
// the same, in less time for two lines at once.
const BACK = "view.getBigInt64(MIRROR * 8)", BYTE = "ranks[OCCUPIED * 8 + (square >> 3)]";
const diagonalParts = (line: string, mirrored: string) => [
  `${line} = ${line.toUpperCase()}[square]`,
  `slots[OCCUPIED] & ${line}`,
  `(slots[OCCUPIED] & ${line}) - bit`,
  `(slots[FLIPPED] & ${mirrored}) - bit2`,
  BACK,
  `up ^ ${BACK}`,
  `(slots[OCCUPIED] & ${line}) - bit & ${line}`,
];
const PARTS = {
  file: [
    "file = FILE[square]",
    "slots[OCCUPIED] & file",
    "(slots[OCCUPIED] & file) - BIT[square]",
    "(slots[FLIPPED] & FILE[there]) - BIT[there]",
    BACK,
    `up ^ ${BACK}`,
    `(up ^ ${BACK}) & file`,
  ],
  rank: ["square >> 3", BYTE, `${BYTE} >> 1 & 63`, "RANK_ATTACKS[square << 6 | inner]"],
  diagonal: diagonalParts("diagonal", "antidiagonal2"), // upside down, one is the other
  antidiagonal: diagonalParts("antidiagonal", "diagonal2"),
};

/** The source of a function of mod.ts, split around a part of it: what is shown is what runs. */
function quote(name: string, part: string): string[] {
  const [code] = source.match(new RegExp(`^function ${name}\\(.*?^}`, "ms")) ?? [""];
  const words = part.split(" ").map((word) => word.replaceAll(/\W/g, "\\$&")).join("\\s+");
  const found = code.match(new RegExp(`(?<!\\w)${words}(?!\\w)`));
  if (found?.index === undefined) throw new Error(`Expected ${part} in ${name} of mod.ts`);
  const end = found.index + found[0].length;
  return [code.slice(0, found.index), found[0], code.slice(end)];
}

const INNER_FILES = 0x7e7e7e7e7e7e7e7en;

/** Takes the attacks of a slider along one line apart. */
export function hyperbola(square: Square, line: Line, occupied: Bitboard): Step[] {
  const u64 = (value: bigint) => BigInt.asUintN(64, value);
  const flip = (set: Bitboard) => setOf((square) => has(set, square ^ 56));
  const bit = 1n << BigInt(square);
  const mask = setOf((other) => {
    const files = (other & 7) - (square & 7), ranks = (other >> 3) - (square >> 3);
    const on = [files === 0, ranks === 0, files === ranks, files === -ranks];
    return other !== square && on[LINES.indexOf(line)];
  });
  const blockers = occupied & mask, up = u64(blockers - bit);
  const mirror = u64(flip(blockers) - flip(bit)), down = flip(mirror);
  const sets = line === "rank"
    ? [mask, blockers, occupied & (mask | bit) & INNER_FILES, rookAttacks(square, occupied) & mask]
    : [mask, blockers, up, mirror, down, up ^ down, (up ^ down) & mask];
  const name = line === "file" || line === "rank" ? "reachStraights" : "reachDiagonals";
  return (line === "rank" ? RANK_STEPS : STEPS).map((text, i) => {
    const [title, why] = text.split(/\. (.*)/);
    return { title, why, set: sets[i], code: quote(name, PARTS[line][i]) };
  });
}
