// The tests of mod.ts, in the order of its chapters, through its public functions only.
// What is random here is seeded: every run sees the same positions.

import { inspect } from "node:util";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  bishopAttacks,
  type Bitboard,
  Board,
  type Color,
  drawBitboard,
  isCapture,
  kingAttacks,
  knightAttacks,
  type Move,
  moveFrom,
  moveTo,
  type Outcome,
  parseBitboard,
  parseSquare,
  pawnAttacks,
  type Piece,
  promotion,
  queenAttacks,
  rookAttacks,
  type Square,
  squareName,
  squares,
  START,
  toUci,
} from "./mod.ts";
import * as chess from "./mod.ts";
import source from "./mod.ts" with { type: "text" };
import config from "./deno.json" with { type: "json" };
import readme from "./README.md" with { type: "text" };

// ---------------------------------------------------------------------------------------------
// Tools
// ---------------------------------------------------------------------------------------------

const ALL_SQUARES = Array.from({ length: 64 }, (_, square) => square);
const FILES = ALL_SQUARES.slice(0, 8);
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
const PROMOTIONS = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
const PAWNS = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
// Kings that walk for ever behind a wall of pawns, and kings that have one move each.
const WALL = "k7/8/p1p1p1p1/P1P1P1P1/8/8/8/K7 w - - 0 1";
const TREADMILL = "4b1k1/3pPp1p/3P1P1P/8/8/3p1p1p/3PpP1P/4B1K1 w - - 0 1";
const QUEENS = [
  "1Q1Q2rk/Q5pp/2Q1Q3/Q5Q1/3Q3Q/1Q6/Q3Q2Q/2K1QQ2 w - - 0 1",
  "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
  "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/KQQQQQQQ w - - 0 1",
  "k1q1q1q1/1q1q1q1q/q1q1q1q1/1q1q1q1q/Q1Q1Q1Q1/1Q1Q1Q1Q/Q1Q1Q1Q1/K2Q1Q1Q w - - 0 1",
  "8/PPPPPPPP/8/k7/8/7K/pppppppp/8 w - - 0 1",
];
const STARTS = [START, KIWIPETE, ENDGAME, PROMOTIONS, PAWNS, ...QUEENS];
// Few pieces, and clocks that run out: games that end in every way.
const ENDINGS = [
  WALL,
  TREADMILL,
  "7k/8/8/2B5/8/8/1b6/K6B w - - 70 80",
  "8/5k2/8/2n5/8/8/PK6/8 b - - 80 80",
  "k7/8/2KQ4/8/8/8/8/8 w - - 90 80",
  "8/P1k5/8/8/8/8/1p3K2/8 w - - 0 80",
  "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 60 80",
  "5bk1/8/6K1/8/4B3/8/8/8 b - - 98 80",
];
/** The sixteen sets of castling rights as FEN writes them. */
const RIGHTS = [..."0123456789abcdef"].map((digit) =>
  [..."KQkq"].filter((_, i) => parseInt(digit, 16) >> i & 1).join("") || "-"
);

/** Dice for a seed: a call rolls one of 0 to sides - 1. */
function dice(seed: number): (sides: number) => number {
  return (sides) => {
    seed = Math.imul(seed, 1664525) + 1013904223 >>> 0;
    return Math.floor(seed / 2 ** 32 * sides);
  };
}

function randomSet(roll: (sides: number) => number): Bitboard {
  return ALL_SQUARES.reduce((set, square) => set | BigInt(roll(2)) << BigInt(square), 0n);
}

function setOf(squares: Iterable<Square>): Bitboard {
  return Array.from(squares).reduce((set, square) => set | 1n << BigInt(square), 0n);
}

/** Every position of random games that like special moves, with the move that led there. */
function* games(
  seed: number,
  count: number,
  plies = 100,
  starts = STARTS,
): Generator<{ board: Board; move: Move | undefined; game: number }> {
  const roll = dice(seed);
  for (let game = 0; game < count; game++) {
    const board = new Board(starts[game % starts.length]);
    yield { board, move: undefined, game };
    for (let ply = 0; ply < plies; ply++) {
      const moves = board.moves(), special = moves.filter((move) => ![0, 4].includes(move >> 12));
      const liked = special.length > 0 && roll(3) === 0 ? special : moves;
      if (liked.length === 0) break;
      const move = liked[roll(liked.length)];
      board.make(move);
      yield { board, move, game };
    }
  }
}

/** The letters of the other colour. */
function swapped(text: string): string {
  return text.replace(/[a-z]/gi, (c) => c < "a" ? c.toLowerCase() : c.toUpperCase());
}

/** The same position with White and Black exchanged. */
function mirrored(fen: string): string {
  const [placement, turn, rights, passed, ...counters] = fen.split(" ");
  return [
    swapped(placement.split("/").reverse().join("/")),
    other(turn as Color),
    [...swapped(rights)].sort().join(""),
    passed.replace(/\d/, (rank) => `${9 - Number(rank)}`),
    ...counters,
  ].join(" ");
}

/** All that can be seen of a board. */
function look(board: Board): string {
  return `${board} ${board.fen()} ${board.moves()}`;
}

/** The moves in a fixed order. */
function sorted(moves: Move[]): Move[] {
  return moves.sort((a, b) => a - b);
}

/** Expects a refusal that quotes what was wrong, says what was expected, and is short. */
function refuses(
  call: () => unknown,
  kind: typeof SyntaxError | typeof RangeError,
  ...parts: string[]
): void {
  const { message } = assertThrows(call, kind);
  for (const part of parts) assertStringIncludes(message, part);
  assert(message.length < 300 && /^Expected .+, got .+$/.test(message), message);
}

// ---------------------------------------------------------------------------------------------
// A second opinion
// ---------------------------------------------------------------------------------------------
// Plain rules on 64 letters that share no code with the module: the generator makes every move that
// a piece could make, and looks whether the king can be taken.

interface Position {
  pieces: string[];
  turn: Color;
  rights: string;
  passed: Square; // behind the last double push, or -1
  clock: number;
  fullmove: number;
}

const KNIGHT_STEPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
const ROOK_STEPS = [[0, 1], [1, 0], [0, -1], [-1, 0]];
const BISHOP_STEPS = [[1, 1], [1, -1], [-1, -1], [-1, 1]];
const CASTLES: [right: string, king: Square, rook: Square][] = [
  ["K", 4, 7],
  ["Q", 4, 0],
  ["k", 60, 63],
  ["q", 60, 56],
];

/** For each square, the rays that leave it: the squares to the edge or as far as a piece steps. */
function rays(steps: number[][], far: number): Square[][][] {
  return ALL_SQUARES.map((square) =>
    steps.map(([files, ranks]) => {
      const ray: Square[] = [];
      for (let i = 1; i <= far; i++) {
        const file = square % 8 + i * files, rank = Math.floor(square / 8) + i * ranks;
        if (file < 0 || file > 7 || rank < 0 || rank > 7) break;
        ray.push(8 * rank + file);
      }
      return ray;
    })
  );
}

const RAYS: Record<string, Square[][][]> = {
  P: rays([[-1, 1], [1, 1]], 1),
  p: rays([[-1, -1], [1, -1]], 1),
  n: rays(KNIGHT_STEPS, 1),
  b: rays(BISHOP_STEPS, 7),
  r: rays(ROOK_STEPS, 7),
  q: rays([...ROOK_STEPS, ...BISHOP_STEPS], 7),
  k: rays([...ROOK_STEPS, ...BISHOP_STEPS], 1),
};

function readFen(fen: string): Position {
  const [placement, turn, rights, passed, clock = "0", fullmove = "1"] = fen.trim().split(/\s+/);
  const ranks = placement.replace(/\d/g, (digit) => " ".repeat(Number(digit))).split("/");
  return {
    pieces: [...ranks.reverse().join("")],
    turn: turn as Color,
    rights,
    passed: passed === "-" ? -1 : passed.charCodeAt(0) - 97 + 8 * (Number(passed[1]) - 1),
    clock: Number(clock),
    fullmove: Math.max(Number(fullmove), 1),
  };
}

function writePlacement(pieces: string[]): string {
  const ranks = [7, 6, 5, 4, 3, 2, 1, 0].map((rank) => pieces.slice(8 * rank, 8 * rank + 8));
  return ranks.map((rank) => rank.join("").replace(/ +/g, (gap) => `${gap.length}`)).join("/");
}

function writeFen(position: Position): string {
  const { pieces, turn, rights, passed, clock, fullmove } = position;
  const canPass = passed >= 0 && slowMoves(position).some((move) => move >> 12 === 5);
  const square = canPass ? "abcdefgh"[passed % 8] + (passed < 32 ? 3 : 6) : "-";
  return `${writePlacement(pieces)} ${turn} ${rights || "-"} ${square} ${clock} ${fullmove}`;
}

type Placed = [square: Square, piece: string];

/** The FEN of some pieces and the other fields. */
function fenOf(placed: Placed[], rest = "w - - 0 1"): string {
  const pieces = ALL_SQUARES.map(() => " ");
  for (const [square, piece] of placed) pieces[square] = piece;
  return `${writePlacement(pieces)} ${rest}`;
}

function isOf(color: Color, piece: string): boolean {
  return piece !== " " && (piece < "a") === (color === "w");
}

function other(color: Color): Color {
  return color === "w" ? "b" : "w";
}

function reach(pieces: string[], from: Square): Square[] {
  return (RAYS[pieces[from]] ?? RAYS[pieces[from].toLowerCase()])[from].flatMap((ray) => {
    const stop = ray.findIndex((square) => pieces[square] !== " ");
    return stop < 0 ? ray : ray.slice(0, stop + 1);
  });
}

function slowAttackers(pieces: string[], square: Square, by: Color): Square[] {
  return ALL_SQUARES.filter((from) =>
    isOf(by, pieces[from]) && reach(pieces, from).includes(square)
  );
}

function isSlowCheck({ pieces }: Position, color: Color): boolean {
  const king = pieces.indexOf(color === "w" ? "K" : "k");
  return pieces.some((piece, from) =>
    isOf(other(color), piece) && reach(pieces, from).includes(king)
  );
}

function slowMoves(position: Position): Move[] {
  const { pieces, turn, rights, passed } = position, moves: Move[] = [];
  pieces.forEach((piece, from) => {
    if (!isOf(turn, piece)) return;
    const add = (flags: number, to: Square) => moves.push(flags << 12 | from << 6 | to);
    const isPawn = piece === "P" || piece === "p", up = turn === "w" ? 8 : -8;
    const addPawn = (flags: number, to: Square) =>
      to > 7 && to < 56 ? add(flags, to) : [8, 9, 10, 11].forEach((kind) => add(flags | kind, to));
    for (const to of reach(pieces, from)) {
      if (isOf(other(turn), pieces[to])) (isPawn ? addPawn : add)(4, to);
      else if (isPawn && to === passed) add(5, to);
      else if (!isPawn && pieces[to] === " ") add(0, to);
    }
    if (isPawn && pieces[from + up] === " ") {
      addPawn(0, from + up);
      const isHome = turn === "w" ? from < 16 : from > 47;
      if (isHome && pieces[from + 2 * up] === " ") add(1, from + 2 * up);
    }
  });
  for (const [right, king, rook] of CASTLES) {
    if (!isOf(turn, right) || !rights.includes(right) || isSlowCheck(position, turn)) continue;
    const isFree =
      pieces.slice(Math.min(king, rook) + 1, Math.max(king, rook)).join("").trim() === "";
    const step = king < rook ? 1 : -1;
    const isSafe = slowAttackers(pieces, king + step, other(turn)).length === 0;
    if (isFree && isSafe) moves.push((step > 0 ? 2 : 3) << 12 | king << 6 | king + 2 * step);
  }
  return sorted(moves.filter((move) => !isSlowCheck(after(position, move), turn)));
}

function after({ pieces, turn, rights, clock, fullmove }: Position, move: Move): Position {
  const from = move >> 6 & 63, to = move & 63, flags = move >> 12, next = [...pieces];
  next[to] = flags < 8 ? pieces[from] : (turn === "w" ? "NBRQ" : "nbrq")[flags & 3];
  next[from] = " ";
  if (flags === 5) next[turn === "w" ? to - 8 : to + 8] = " ";
  if (flags === 2) [next[to - 1], next[to + 1]] = [next[to + 1], " "];
  if (flags === 3) [next[to + 1], next[to - 2]] = [next[to - 2], " "];
  const lost = CASTLES.filter(([_, king, rook]) =>
    [king, rook].some((s) => s === from || s === to)
  );
  return {
    pieces: next,
    turn: other(turn),
    rights: lost.reduce((rights, [right]) => rights.replace(right, ""), rights).replace("-", ""),
    passed: flags === 1 ? (from + to) / 2 : -1,
    clock: pieces[to] !== " " || pieces[from].toLowerCase() === "p" ? 0 : clock + 1,
    fullmove: turn === "b" ? fullmove + 1 : fullmove,
  };
}

/** Whether nobody can ever mate: at most one knight, or nothing but bishops on one shade. */
function isDead(pieces: string[]): boolean {
  const signs = pieces.map((piece, square) => {
    if (" Kk".includes(piece)) return "";
    if ("Bb".includes(piece)) return "dldldldlldldldld"[square % 16];
    return "Nn".includes(piece) ? "n" : "x";
  });
  return /^(n?|d*|l*)$/.test(signs.join(""));
}

/** How the game has ended in a position with these moves that has occurred so often. */
function slowOutcome(position: Position, moves: Move[], times: number): Outcome | undefined {
  if (moves.length === 0) return isSlowCheck(position, position.turn) ? "checkmate" : "stalemate";
  if (isDead(position.pieces)) return "insufficient material";
  if (position.clock >= 100) return "fifty-move rule";
  return times >= 3 ? "threefold repetition" : undefined;
}

/** What the constructor should make of a text: a position, or which error. */
function slowVerdict(text: string): "position" | "SyntaxError" | "RangeError" {
  const fields = text.split(/\s/).filter(Boolean);
  if (fields.length !== 4 && fields.length !== 6) return "SyntaxError";
  const [placement, turn, rights, passed, ...counters] = fields, rows = placement.split("/");
  const width = (row: string) => [...row].reduce((sum, sign) => sum + (Number(sign) || 1), 0);
  const isFen = /^[KQRBNP1-8/]+$/i.test(placement) && rows.length === 8 &&
    rows.every((row) => width(row) === 8) && ["w", "b"].includes(turn) &&
    RIGHTS.includes(rights) && (passed === "-" || /^[a-h][1-8]$/.test(passed)) &&
    counters.every((counter) => /^\d+$/.test(counter));
  if (!isFen) return "SyntaxError";
  const position = readFen(text), { pieces } = position, us = position.turn;
  const isArmy = ([king, all]: string[]) => {
    const count = (signs: string) => pieces.filter((piece) => signs.includes(piece)).length;
    return count(king) === 1 && count(all) <= 16;
  };
  const [behind, inFront] = us === "w" ? [8, -8] : [-8, 8];
  const isPosition = counters.every((counter) => counter.length <= 9) &&
    [["K", "KQRBNP"], ["k", "kqrbnp"]].every(isArmy) &&
    pieces.every((piece, square) => !"Pp".includes(piece) || (square > 7 && square < 56)) &&
    CASTLES.every(([right, king, rook]) =>
      !rights.includes(right) ||
      pieces[king] + pieces[rook] === (isOf("w", right) ? "KR" : "kr")
    ) &&
    (passed === "-" || passed[1] === (us === "w" ? "6" : "3") &&
        pieces[position.passed + inFront] === (us === "w" ? "p" : "P") &&
        pieces[position.passed] === " " && pieces[position.passed + behind] === " ") &&
    !isSlowCheck(position, other(us));
  return isPosition ? "position" : "RangeError";
}

/** Compares what the constructor makes of a text with the slow verdict, and returns that. */
function tryFen(text: string): string {
  const expected = slowVerdict(text);
  let board: Board | undefined, found = "position";
  try {
    board = new Board(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    assert(error.message.length < 300, error.message);
    found = error.name;
  }
  assertEquals(found, expected, text);
  if (board) assertEquals(board.fen(), writeFen(readFen(text)), text);
  return found;
}

// ---------------------------------------------------------------------------------------------
// 1. Vocabulary
// ---------------------------------------------------------------------------------------------

Deno.test("squares have names", () => {
  const names = [..."12345678"].flatMap((rank) => [..."abcdefgh"].map((file) => file + rank));
  assertEquals(ALL_SQUARES.map(squareName), names);
  assertEquals(names.map(parseSquare), ALL_SQUARES);
});

Deno.test("what does not name a square is refused", () => {
  for (const name of ["", "e", "4", "4e", "E4", "i1", "a0", "a9", "e44", " e4", "e4\n", "ｅ4"]) {
    refuses(() => parseSquare(name), SyntaxError, JSON.stringify(name), "square");
  }
});

Deno.test("a message quotes eighty signs at most", () => {
  const quote = (name: string) =>
    assertThrows(() => parseSquare(name), SyntaxError).message.split(", got ")[1];
  assertEquals(quote("x".repeat(78)), `"${"x".repeat(78)}"`);
  assertEquals(quote("x".repeat(79)), `"${"x".repeat(78)}…`);
  assertEquals(quote("x".repeat(10000)), `"${"x".repeat(78)}…`);
});

Deno.test("a move tells from, to, flags, promotion and capture", () => {
  const rows: [fen: string, uci: string, flags: number, promotion?: string][] = [
    [START, "g1f3", 0],
    [START, "e2e3", 0],
    [START, "e2e4", 1],
    [KIWIPETE, "e1g1", 2],
    [KIWIPETE, "e1c1", 3],
    [KIWIPETE, "e5g6", 4],
    [KIWIPETE, "g2h3", 4],
    [KIWIPETE.replace(" w ", " b "), "e8g8", 2],
    [KIWIPETE.replace(" w ", " b "), "e8c8", 3],
    ["4k3/8/8/8/2pPp3/8/8/4K3 b - d3 0 1", "c4d3", 5],
    ["4k3/8/8/8/2pPp3/8/8/4K3 b - d3 0 1", "e4d3", 5],
    ["1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", 8, "n"],
    ["1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8b", 9, "b"],
    ["1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8r", 10, "r"],
    ["1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 11, "q"],
    ["4k3/8/8/8/8/8/6p1/4K2R b - - 0 1", "g2h1n", 12, "n"],
    ["4k3/8/8/8/8/8/6p1/4K2R b - - 0 1", "g2h1b", 13, "b"],
    ["4k3/8/8/8/8/8/6p1/4K2R b - - 0 1", "g2h1r", 14, "r"],
    ["4k3/8/8/8/8/8/6p1/4K2R b - - 0 1", "g2h1q", 15, "q"],
  ];
  for (const [fen, uci, flags, kind] of rows) {
    const from = parseSquare(uci.slice(0, 2)), to = parseSquare(uci.slice(2, 4));
    const move = flags << 12 | from << 6 | to;
    assert(new Board(fen).moves().includes(move), `${fen} ${uci}`);
    assertEquals(
      [toUci(move), moveFrom(move), moveTo(move), promotion(move), isCapture(move)],
      [uci, from, to, kind, (flags & 4) !== 0],
    );
  }
});

// ---------------------------------------------------------------------------------------------
// 2. Bitboards
// ---------------------------------------------------------------------------------------------

const DRAWING = `
X . . . . . . X
. . . . . . . .
. . X . . . . .
. . . . . . . .
. . . . X . . .
. . . . . . . .
. X . . . . . .
X X . . . . . .`.slice(1);

Deno.test("a set is listed lowest square first, drawn and read", () => {
  const set = setOf([0, 1, 9, 28, 42, 56, 63]);
  assertEquals(squares(set), [0, 1, 9, 28, 42, 56, 63]);
  assertEquals(drawBitboard(set), DRAWING);
  for (
    const diagram of [
      DRAWING,
      `\n\n${DRAWING}\n\n`,
      DRAWING.replaceAll(" ", ""),
      DRAWING.replaceAll("\n", "\r\n"),
      DRAWING.replaceAll(/^/gm, "\t  "),
    ]
  ) assertEquals(parseBitboard(diagram), set);
});

Deno.test("listing, drawing and reading a set are inverse", () => {
  const roll = dice(2), pairs = ALL_SQUARES.flatMap((a) => ALL_SQUARES.map((b) => setOf([a, b])));
  for (const set of [0n, 2n ** 64n - 1n, ...pairs, ...ALL_SQUARES.map(() => randomSet(roll))]) {
    const list = ALL_SQUARES.filter((square) => set >> BigInt(square) & 1n);
    assertEquals(squares(set), list);
    assertEquals(parseBitboard(drawBitboard(set)), set);
  }
});

Deno.test("what is not a drawing is refused", () => {
  const rows: [diagram: string, quoted: string, phrase: string][] = [
    ["", '""', "eight lines"],
    [DRAWING.slice(16), '". . . ', "eight lines"],
    [`${DRAWING}\n${DRAWING}`, '"X . . ', "eight lines"],
    [DRAWING.replace("\n", "\n\n"), '"X . . ', "eight lines"],
    [DRAWING.replace(". X . . . . . .", ". X . . . . ."), '"X . . ', "eight"],
    [DRAWING.replace(". X . . . . . .", ". X . . . . . . ."), '"X . . ', "eight"],
    [DRAWING.replace("X . . . . . . X", "X . . . . . . x"), '"X . . ', '"X"'],
    [DRAWING.replace("X . . . . . . X", "X . . . . . . 1"), '"X . . ', '"."'],
    [DRAWING.replace(".", ".".repeat(1000)), '"X ....', "eight"],
    [DRAWING.replaceAll("\n", " "), '"X . . ', "eight lines"],
    ["?".repeat(1000), '"?????', "eight lines"],
  ];
  for (const [diagram, ...parts] of rows) {
    refuses(() => parseBitboard(diagram), SyntaxError, ...parts);
  }
});

// ---------------------------------------------------------------------------------------------
// 3. Geometry
// ---------------------------------------------------------------------------------------------

Deno.test("knights, kings and pawns attack by distance", () => {
  for (const from of ALL_SQUARES) {
    const where = (test: (files: number, ranks: number) => boolean) =>
      setOf(ALL_SQUARES.filter((to) => test(to % 8 - from % 8, (to >> 3) - (from >> 3))));
    const { abs, max } = Math;
    assertEquals(knightAttacks(from), where((files, ranks) => abs(files * ranks) === 2));
    assertEquals(kingAttacks(from), where((files, ranks) => max(abs(files), abs(ranks)) === 1));
    assertEquals(pawnAttacks(from, "w"), where((files, ranks) => abs(files) === 1 && ranks === 1));
    assertEquals(pawnAttacks(from, "b"), where((files, ranks) => abs(files) === 1 && ranks === -1));
  }
});

// ---------------------------------------------------------------------------------------------
// 4. Sliders
// ---------------------------------------------------------------------------------------------

Deno.test("sliders agree with a walk along their rays, whatever stands on these", () => {
  const roll = dice(4), noises = Array.from({ length: 97 }, () => randomSet(roll));
  let i = 0;
  const compare = (attacks: typeof rookAttacks, rays: Square[][], from: Square) => {
    // Who stands on the last square of a ray does not matter, so the noise decides.
    const inner = setOf(rays.flatMap((ray) => ray.slice(0, -1)));
    for (let pieces = inner;; pieces = pieces - 1n & inner) {
      const occupied = pieces | noises[i++ % 97] & ~inner;
      const seen = rays.flatMap((ray) => {
        const stop = ray.findIndex((square) => occupied >> BigInt(square) & 1n);
        return stop < 0 ? ray : ray.slice(0, stop + 1);
      });
      const result = attacks(from, occupied);
      if (result !== setOf(seen)) assertEquals(drawBitboard(result), drawBitboard(setOf(seen)));
      if (pieces === 0n) break;
    }
  };
  for (const from of ALL_SQUARES) {
    compare(bishopAttacks, RAYS.b[from], from);
    compare(rookAttacks, RAYS.r[from], from);
    for (const occupied of noises) {
      const both = bishopAttacks(from, occupied) | rookAttacks(from, occupied);
      assertEquals(queenAttacks(from, occupied), both);
    }
  }
});

// ---------------------------------------------------------------------------------------------
// 5. The position: FEN in and out
// ---------------------------------------------------------------------------------------------

Deno.test("a FEN is written as it was read", () => {
  for (const fen of [...STARTS, ...ENDINGS]) assertEquals(new Board(fen).fen(), fen);
  assertEquals(new Board().fen(), START);
  assertEquals(new Board(undefined).fen(), START);
});

Deno.test("a FEN is read generously and written in one way", () => {
  const rows: [given: string, written: string][] = [
    ["4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"],
    ["  4k3/8/8/8/8/8/8/4K3\tb  - -\n7 9 ", "4k3/8/8/8/8/8/8/4K3 b - - 7 9"],
    ["4k3/8/8/11111111/44/8/8/4K3 w - - 0 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"],
    ["4k3/8/8/8/8/8/8/4K3 b - - 007 012", "4k3/8/8/8/8/8/8/4K3 b - - 7 12"],
    [
      "4k3/8/8/8/8/8/8/4K3 b - - 999999999 999999999",
      "4k3/8/8/8/8/8/8/4K3 b - - 999999999 999999999",
    ],
    // Three checkers cannot be, but nobody asks how they came about.
    ["4k3/2N3N1/8/8/8/8/4R3/4K3 b - -", "4k3/2N3N1/8/8/8/8/4R3/4K3 b - - 0 1"],
    // En passant: the square stays if and only if a pawn can legally capture there.
    ["4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1", "4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1"],
    ["4k3/8/8/8/2NP4/8/8/4K3 b - d3 0 1", "4k3/8/8/8/2NP4/8/8/4K3 b - - 0 1"],
    ["8/8/8/8/k1pP3R/8/8/4K3 b - d3 0 1", "8/8/8/8/k1pP3R/8/8/4K3 b - - 0 1"], // rank
    ["8/8/1k6/8/2pP4/8/5B2/4K3 b - d3 0 1", "8/8/1k6/8/2pP4/8/5B2/4K3 b - - 0 1"],
    ["4k3/8/8/8/B1pP4/8/8/4K3 b - d3 0 1", "4k3/8/8/8/B1pP4/8/8/4K3 b - - 0 1"], // other check
    ["6k1/8/8/8/2pP4/8/B7/4K3 b - d3 0 1", "6k1/8/8/8/2pP4/8/B7/4K3 b - - 0 1"], // diagonal
    ["2k5/8/8/8/2pP4/8/8/2R1K3 b - d3 0 1", "2k5/8/8/8/2pP4/8/8/2R1K3 b - - 0 1"], // file
    ["8/8/8/2k5/2pP4/8/8/4K3 b - d3 0 1", "8/8/8/2k5/2pP4/8/8/4K3 b - d3 0 1"], // the checker
    ["8/8/8/1k6/2pPp3/8/B7/4KB2 b - d3 0 1", "8/8/8/1k6/2pPp3/8/B7/4KB2 b - d3 0 1"],
  ];
  for (const [given, written] of rows) {
    assertEquals(new Board(given).fen(), written, given);
    assertEquals(look(new Board(given)), look(new Board(written)), given);
  }
});

const BAD_FENS: [kind: typeof SyntaxError | typeof RangeError, fen: string, ...parts: string[]][] =
  [
    // text that is not a FEN
    [SyntaxError, "", '""', "four or six"],
    [SyntaxError, "startpos", '"startpos"', "four or six"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w -", '"4k3/8/8/8/8/8/8/4K3 w -"', "four or six"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w - - 0", "w - - 0", "four or six"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", "w - - 0 1 2", "four or six"],
    [SyntaxError, "4k3/8/8/8/8/8/4K3 w - - 0 1", '"4k3/8/8/8/8/8/4K3"', "eight ranks"],
    [SyntaxError, "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", '"4k3/8/8/8/8/8/8/8/4K3"', "eight ranks"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3/ w - - 0 1", '"4k3/8/8/8/8/8/8/4K3/"', "eight ranks"],
    [SyntaxError, "4k2/8/8/8/8/8/8/4K3 w - - 0 1", '"4k2"', "eight files"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K4 w - - 0 1", '"4K4"', "eight files"],
    [SyntaxError, "4k3/8/8//8/8/8/4K3 w - - 0 1", '""', "eight files"],
    [SyntaxError, "4k3/9/8/8/8/8/8/4K3 w - - 0 1", '"9"'],
    [SyntaxError, "4k3/80/8/8/8/8/8/4K3 w - - 0 1", '"80"'],
    [SyntaxError, "4k3/8/7x/8/8/8/8/4K3 w - - 0 1", '"7x"', "pieces"],
    [SyntaxError, "4k3/8/7./8/8/8/8/4K3 w - - 0 1", '"7."', "pieces"],
    [SyntaxError, "4k3/8/7♕/8/8/8/8/4K3 w - - 0 1", '"7♕"', "pieces"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 W - - 0 1", '"W"', '"w" or "b"'],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 - - - 0 1", '"-"', '"w" or "b"'],
    [SyntaxError, PAWNS.replace("KQkq", "QK"), '"QK"', "castling"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w - e 0 1", '"e"', "square"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w - e9 0 1", '"e9"', "square"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w - -- 0 1", '"--"', "square"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w - - -1 1", '"-1"', "counter"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w - - - 1", '"-"', "counter"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w - - 0 1.5", '"1.5"', "counter"],
    [SyntaxError, "4k3/8/8/8/8/8/8/4K3 w - - 0 x", '"x"', "counter"],
    // a FEN that is not a position
    [RangeError, "4k3/8/8/8/8/8/8/4K3 w - - 1234567890 1", '"1234567890"', "counter"],
    [RangeError, "4k3/8/8/8/8/8/8/4K3 w - - 0 1234567890", '"1234567890"', "counter"],
    [RangeError, "8/8/8/8/8/8/8/4K3 w - - 0 1", "8/8/8/8/8/8/8/4K3", '"k"'],
    [RangeError, "4k3/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/8", '"K"'],
    [RangeError, "4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "K3K3", '"K"'],
    [RangeError, "k3k3/8/8/8/8/8/8/4K3 w - - 0 1", "k3k3", '"k"'],
    [RangeError, "4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1", "N7/PPPPPPPP/RNBQKBNR", "sixteen"],
    [RangeError, "rnbqkbnr/pppppppp/n7/8/8/8/8/4K3 w - - 0 1", "pppppppp/n7", "sixteen"],
    [RangeError, "4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "4k2P", "rank 1 or 8"],
    [RangeError, "p3k3/8/8/8/8/8/8/4K3 w - - 0 1", "p3k3", "rank 1 or 8"],
    [RangeError, "4k3/8/8/8/8/8/8/4K3 w K - 0 1", "K", "king and rook"],
    [RangeError, "4k3/8/8/8/8/8/8/3K3R w K - 0 1", "K", "king and rook"],
    [RangeError, "4k2r/8/8/8/8/8/8/4K3 w q - 0 1", "q", "king and rook"],
    [RangeError, "4k3/8/8/8/8/8/8/4K3 b - d3 0 1", '"d3"', "passed"], // no pawn
    [RangeError, "4k3/8/3P4/8/8/8/8/4K3 b - d5 0 1", '"d5"', "passed"], // wrong rank
    [RangeError, "4k3/8/8/8/8/8/8/4K3 w - a1 0 1", '"a1"', "passed"],
    [RangeError, "4k3/8/8/8/3P4/3N4/8/4K3 b - d3 0 1", '"d3"', "passed"], // it stood in the way
    [RangeError, "4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "4k3/8/8/8/8/8/8/4RK2", "check"],
    [RangeError, "4k3/8/8/8/8/8/8/r3K3 b - - 0 1", "4k3/8/8/8/8/8/8/r3K3", "check"],
    [RangeError, "8/8/8/8/8/8/3k4/4K3 w - - 0 1", "8/8/8/8/8/8/3k4/4K3", "check"],
  ];

Deno.test("what is not a FEN or not a position is refused", () => {
  for (const [kind, fen, ...parts] of BAD_FENS) refuses(() => new Board(fen), kind, ...parts);
  // A very long part, for each field and for the whole, is quoted in short.
  for (let field = 0; field < 6; field++) {
    for (const long of ["x", "8/", "♕", "\\", "\u{1f600}", "\0", "1 "]) {
      const fields = START.split(" ");
      fields[field] += long.repeat(10000);
      const { message } = assertThrows(() => new Board(fields.join(" ")), Error);
      assert(message.length < 300, message);
    }
  }
});

// The rules of a FEN one by one, each over all its cases: the slow verdict judges them.

Deno.test("FEN: every piece on every square, unless it leaves a king in check", () => {
  const seen = { position: 0, RangeError: 0 } as Record<string, number>;
  for (const [white, black] of [[4, 60], [0, 63], [27, 45], [50, 16]]) {
    for (const piece of "KQRBNPkqrbnp") {
      for (const square of ALL_SQUARES) {
        const kings: Placed[] = [[white, "K"], [black, "k"]];
        const others = kings.filter(([at, king]) => king !== piece && at !== square);
        for (const turn of "wb") {
          seen[tryFen(fenOf([...others, [square, piece]], `${turn} - - 0 1`))]++;
        }
      }
    }
  }
  assert(seen.position > 4000 && seen.RangeError > 800, JSON.stringify(seen));
});

Deno.test("FEN: kings everywhere, but not side by side", () => {
  for (const white of ALL_SQUARES) {
    for (const black of ALL_SQUARES) tryFen(fenOf([[white, "K"], [black, "k"]]));
  }
});

Deno.test("FEN: every pattern of gaps on every rank", () => {
  for (let rank = 0; rank < 8; rank++) {
    const far = rank < 4 ? 56 : 0, kings: Placed[] = [[far, "K"], [far + 7, "k"]];
    for (let pattern = 0; pattern < 256; pattern++) {
      const files = FILES.filter((file) => pattern >> file & 1);
      const row = files.map((file): Placed => [8 * rank + file, "qbnr"[file & 3]]);
      tryFen(fenOf([...kings, ...row]));
    }
  }
});

Deno.test("FEN: eight ranks of eight files", () => {
  const rows = ["4k3", "8", "8", "8", "8", "8", "8", "4K3"];
  for (let rank = 0; rank < 8; rank++) {
    for (const row of ["", "7", "71", "17", "62", "8n", "n8", "9", "0", "80", "P7", "6pP", "7x"]) {
      tryFen(`${rows.with(rank, row).join("/")} w - - 0 1`);
    }
    tryFen(`${rows.toSpliced(rank, 1).join("/")} w - - 0 1`);
    tryFen(`${rows.toSpliced(rank, 0, "8").join("/")} w - - 0 1`);
  }
});

Deno.test("FEN: one king and at most sixteen pieces a side", () => {
  const tryArmy = (army: string, verdict: string, ...parts: string[]) => {
    const placed = [...army].map((piece, i): Placed => [8 + i, piece]);
    const fen = fenOf([...placed, [63, "k"]], "b - - 0 1");
    for (const given of [fen, mirrored(fen)]) {
      assertEquals(tryFen(given), verdict, given);
      if (verdict !== "position") refuses(() => new Board(given), RangeError, ...parts);
    }
  };
  for (let pawns = 0; pawns <= 10; pawns++) {
    for (let others = 0; others <= 16; others++) {
      const army = `${"P".repeat(pawns)}K${"QRBN".repeat(4).slice(0, others)}`;
      if (army.length <= 16) tryArmy(army, "position");
      else tryArmy(army, "RangeError", "at most sixteen pieces a side");
    }
  }
  for (const kings of ["", "KK", "KKK"]) tryArmy(`${kings}NN`, "RangeError", "one");
  // promoted, although no pawn is missing
  for (const piece of "QRBN") tryArmy(`PPPPPPPPK${piece.repeat(7)}`, "position");
});

Deno.test("FEN: castling rights in one order, with king and rook at home", () => {
  const signs = [..."KQkq-"], texts = [...signs];
  for (let i = 0; i < texts.length && texts[i].length < 4; i++) {
    texts.push(...signs.map((sign) => texts[i] + sign));
  }
  assertEquals(texts.length, 5 + 25 + 125 + 625);
  const taken = texts.filter((text) => tryFen(PAWNS.replace("KQkq", text)) === "position");
  assertEquals(taken.sort(), [...RIGHTS].sort());
  for (const text of ["KQkq-", "KQkqK", "HAha"]) tryFen(PAWNS.replace("KQkq", text));
  // What stands on each home: the right piece, one of the other colour, another kind, or none.
  for (const king of [4, 3, 5, 12]) {
    for (const long of "Rrn ") {
      for (const short of "Rrn ") {
        for (const rights of RIGHTS) {
          const placed: Placed[] = [[0, long], [7, short], [king, "K"], [62, "k"]];
          const fen = fenOf(placed, `w ${rights} - 0 1`);
          assertEquals(tryFen(mirrored(fen)), tryFen(fen));
        }
      }
    }
  }
});

Deno.test("FEN: an en passant square lies behind a pawn that could have come from home", () => {
  let taken = 0;
  for (const square of ALL_SQUARES) {
    const away = square % 8 < 4 ? 6 : 1, kings: Placed[] = [[away, "K"], [away + 56, "k"]];
    for (const signs of ALL_SQUARES) { // what stands above, here and below
      const column = [0, 1, 2].map((i): Placed => [square + 8 - 8 * i, " PpN"[signs >> 2 * i & 3]]);
      const pieces = [...kings, ...column.filter(([at]) => at >= 0 && at < 64)];
      for (const turn of "wb") {
        const verdict = tryFen(fenOf(pieces, `${turn} - ${squareName(square)} 0 1`));
        if (verdict === "position") taken++;
      }
    }
  }
  assertEquals(taken, 16);
});

Deno.test("FEN: an en passant square stays if and only if a pawn can capture there", () => {
  for (const file of FILES) {
    const kings: Placed[] = file < 4 ? [[63, "K"], [61, "k"]] : [[56, "K"], [58, "k"]];
    for (const square of ALL_SQUARES.slice(8, 56)) {
      if (square % 8 === file && square < 32) continue;
      const passed = squareName(16 + file);
      const fen = fenOf([...kings, [24 + file, "P"], [square, "p"]], `b - ${passed} 0 1`);
      const isTaker = square >> 3 === 3 && Math.abs(square % 8 - file) === 1;
      const written = isTaker ? fen : fen.replace(passed, "-");
      assertEquals(new Board(fen).fen(), written);
      assertEquals(new Board(mirrored(fen)).fen(), mirrored(written));
      // The same by a double push.
      const board = new Board(fenOf([...kings, [8 + file, "P"], [square, "p"]]));
      board.play(squareName(8 + file) + squareName(24 + file));
      assertEquals([board.fen(), board.hash], [written, new Board(written).hash]);
    }
  }
});

Deno.test("FEN: counters of up to nine digits count on", () => {
  const limits = [1, 9, 49, 99, 127, 255, 2 ** 15, 2 ** 16, 2 ** 23, 2 ** 24, 2 ** 25, 2 ** 29];
  const numbers = limits.flatMap((n) => [n - 1, n, n + 1, n + 2, n + 3]);
  for (const n of [...numbers, 123456789, 987654321, 999999998]) {
    for (const turn of "wb") {
      for (const [clock, fullmove] of [[n, 7], [3, Math.max(n, 1)], [n, n + 1]]) {
        const fen = `4k3/8/8/8/8/8/8/R3K3 ${turn} - - ${clock} ${fullmove}`;
        assertEquals(tryFen(fen), "position");
        const board = new Board(fen), moves = turn === "w" ? ["a1a2", "e8d8"] : ["e8d8", "a1a2"];
        const counters = () => board.fen().split(" ").slice(4).map(Number);
        board.play(moves[0]);
        assertEquals(counters(), [clock + 1, fullmove + (turn === "b" ? 1 : 0)], fen);
        board.play(moves[1]);
        assertEquals(counters(), [clock + 2, fullmove + 1], fen);
        board.undo();
        board.undo();
        assertEquals(board.fen(), fen);
      }
    }
  }
  const texts = "00 007 999999999 1000000000 0000000000 -0 +1 1.0 0x1 ١ 1e1 -".split(" ");
  for (const text of texts) {
    for (const counters of [`${text} 1`, `0 ${text}`]) tryFen(`${PAWNS.slice(0, -4)} ${counters}`);
  }
});

Deno.test("FEN: four or six fields, white space between", () => {
  const fields = [...START.split(" "), "0", "1"];
  for (let count = 0; count <= fields.length; count++) {
    for (const space of [" ", "  ", "\t", "\n", " \r\n ", ",", "_"]) {
      tryFen(fields.slice(0, count).join(space));
      tryFen(space + fields.slice(0, count).join(" ") + space);
    }
  }
  for (const turn of ["W", "B", "white", "wb", "ww", "-", "0", "é"]) {
    tryFen(START.replace("w", turn));
  }
});

Deno.test("a board tells what stands where", () => {
  const board = new Board("r3k3/8/8/2pP4/8/7n/6P1/4K2R w Kq c6 3 40");
  assertEquals([board.turn, board.occupied], ["w", setOf([4, 7, 14, 23, 34, 35, 56, 60])]);
  assertEquals([board.at(4), board.at(34), board.at(0), board.at(63)], [
    "K",
    "p",
    undefined,
    undefined,
  ]);
  assertEquals([board.pieces("P"), board.pieces("n")], [setOf([14, 35]), setOf([23])]);
  assertEquals([board.pieces("p"), board.pieces("Q")], [setOf([34]), 0n]);
  assertEquals(board.occupiedBy("w"), setOf([4, 7, 14, 35]));
  assertEquals(board.occupiedBy("b"), setOf([23, 34, 56, 60]));
});

Deno.test("a board is drawn with all that belongs to the position", () => {
  const hash = (board: Board) => board.hash.toString(16).padStart(16, "0");
  const white = new Board("r3k3/8/8/2pP4/8/7n/6P1/4K2R w Kq c6 3 40");
  assertEquals(
    `\n${white}`,
    `
8  r . . . k . . .
7  . . . . . . . .   to move: white
6  . . . . . . . .   castling: Kq
5  . . p P . . . .   en passant: c6
4  . . . . . . . .   halfmove clock: 3
3  . . . . . . . n   move: 40
2  . . . . . . P .   hash: 0x${hash(white)}
1  . . . . K . . R
   a b c d e f g h`,
  );
  const black = new Board("4k3/8/8/8/8/8/8/4K3 b - - 12 345");
  assertEquals(
    `\n${black}`,
    `
8  . . . . k . . .
7  . . . . . . . .   to move: black
6  . . . . . . . .   castling: -
5  . . . . . . . .   en passant: -
4  . . . . . . . .   halfmove clock: 12
3  . . . . . . . .   move: 345
2  . . . . . . . .   hash: 0x${hash(black)}
1  . . . . K . . .
   a b c d e f g h`,
  );
  // So it is printed, and stored as FEN.
  assertEquals([Deno.inspect(white), inspect(white)], [`${white}`, `${white}`]);
  assertStringIncludes(Deno.inspect({ white }), "castling: Kq");
  assertEquals(JSON.stringify({ white }), `{"white":"${white.fen()}"}`);
  // Some hashes begin with zeros.
  for (const { board } of games(5, 1)) assertStringIncludes(`${board}`, `hash: 0x${hash(board)}\n`);
});

// ---------------------------------------------------------------------------------------------
// 6. Make and undo
// ---------------------------------------------------------------------------------------------

Deno.test("a move changes pieces, rights, en passant square and counters", () => {
  const rows: [fen: string, moves: string, after: string][] = [
    [START, "e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"],
    [START, "e2e4 e7e5 g1f3", "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"],
    [START, "e2e4 a7a6 e4e5 d7d5", "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3"],
    [PAWNS, "e1g1", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R4RK1 b kq - 1 1"],
    [PAWNS, "e1c1", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/2KR3R b kq - 1 1"],
    [PAWNS, "e1f1 e8g8", "r4rk1/pppppppp/8/8/8/8/PPPPPPPP/R4K1R w - - 2 2"],
    [PAWNS, "a1b1 e8c8", "2kr3r/pppppppp/8/8/8/8/PPPPPPPP/1R2K2R w K - 2 2"],
    [PAWNS, "h1g1 a8b8", "1r2k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K1R1 w Qk - 2 2"],
    [PAWNS, "a2a3 h8g8", "r3k1r1/pppppppp/8/8/8/P7/1PPPPPPP/R3K2R w KQq - 1 2"],
    // a rook that takes a rook ends both rights
    ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 5 9", "a1a8", "R3k2r/8/8/8/8/8/8/4K2R b Kk - 0 9"],
    ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 5 9", "h1h8", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 9"],
    ["r3k2r/8/8/8/8/6n1/8/R3K2R b KQkq - 5 9", "g3h1", "r3k2r/8/8/8/8/8/8/R3K2n w Qkq - 0 10"],
    ["r3k2r/6P1/8/8/8/8/8/4K3 w kq - 5 9", "g7h8n", "r3k2N/8/8/8/8/8/8/4K3 b q - 0 9"],
    ["4k3/1P6/8/8/8/8/8/4K3 w - - 5 9", "b7b8r", "1R2k3/8/8/8/8/8/8/4K3 b - - 0 9"],
    ["4k3/8/8/8/8/8/1p6/4K3 b - - 5 9", "b2b1q", "4k3/8/8/8/8/8/8/1q2K3 w - - 0 10"],
    ["4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9", "e5d6", "4k3/8/3P4/8/8/8/8/4K3 b - - 0 9"],
    ["4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9", "e1e2", "4k3/8/8/3pP3/8/8/4K3/8 b - - 1 9"],
    ["4k3/8/8/8/pP6/8/8/4K3 b - b3 0 9", "a4b3", "4k3/8/8/8/8/1p6/8/4K3 w - - 0 10"],
    // the square is recorded if and only if the capture is legal
    ["4k3/8/8/8/2p5/8/3P4/4K3 w - - 0 1", "d2d4", "4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1"],
    ["8/8/8/8/k1p4R/8/3P4/4K3 w - - 0 1", "d2d4", "8/8/8/8/k1pP3R/8/8/4K3 b - - 0 1"],
    ["6k1/8/8/8/2p5/8/B2P4/4K3 w - - 0 1", "d2d4", "6k1/8/8/8/2pP4/8/B7/4K3 b - - 0 1"],
    ["4k3/3p4/8/2P1P3/8/8/8/K2R4 b - - 0 1", "d7d5", "4k3/8/8/2PpP3/8/8/8/K2R4 w - d6 0 2"],
  ];
  for (const [fen, moves, after] of rows) {
    const board = new Board(fen);
    for (const move of moves.split(" ")) assertEquals(board.play(move), board);
    assertEquals(board.fen(), after, `${fen} ${moves}`);
    assertEquals(look(board), look(new Board(after)));
    for (const move of moves.split(" ").reverse()) assertEquals(toUci(board.undo()), move);
    assertEquals(look(board), look(new Board(fen)));
  }
});

/** Makes and takes back every move of a tree, and looks at the board on the way up and down. */
function climb(board: Board, depth: number): void {
  const before = look(board);
  assertEquals(look(new Board(board.fen())), before);
  if (depth === 0) return;
  for (const move of board.moves()) {
    board.make(move);
    climb(board, depth - 1);
    assertEquals(board.undo(), move);
    assertEquals(look(board), before);
  }
}

Deno.test("undo restores all, over whole trees", () => {
  for (const fen of [START, PAWNS, ENDGAME, PROMOTIONS, KIWIPETE]) climb(new Board(fen), 2);
  for (
    const fen of [
      "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
      "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
      "n1n5/1P2k3/8/8/8/8/3K4/5n2 w - - 0 1",
    ]
  ) climb(new Board(fen), 3);
});

Deno.test("castling rights end with a move of king or rook, or a capture on its home", () => {
  /** Makes moves on a board, and looks at it before and after. */
  const tryMoves = (fen: string, isTried = (_move: Move) => true): number => {
    const board = new Board(fen), moves = board.moves().filter(isTried);
    for (const move of moves) {
      const expected = writeFen(after(readFen(fen), move));
      board.make(move);
      assertEquals(board.fen(), expected, `${fen} ${toUci(move)}`);
      assertEquals(board.hash, new Board(expected).hash, `${fen} ${toUci(move)}`);
      board.undo();
      assertEquals(board.fen(), fen);
    }
    return moves.length;
  };
  // Every kind of piece takes every rook, from every square.
  const home: Placed[] = [[0, "R"], [4, "K"], [7, "R"], [56, "r"], [60, "k"], [63, "r"]];
  const away = ALL_SQUARES.filter((square) => home.every(([at]) => at !== square));
  const seen = new Set<string>();
  for (const [right, , rook] of CASTLES) {
    for (const kind of "PNBRQK") {
      const us = isOf("w", right) ? "b" : "w", piece = us === "w" ? kind : swapped(kind);
      const others = home.filter(([_, there]) => kind !== "K" || there !== piece);
      for (const from of away) {
        const fen = fenOf([...others, [from, piece]], `${us} - - 5 9`);
        if (slowVerdict(fen) !== "position") continue;
        const isTried = (move: Move) => moveFrom(move) === from && moveTo(move) === rook;
        if (!new Board(fen).moves().some(isTried)) continue;
        for (const rights of RIGHTS) {
          const given = fen.replace("-", rights);
          if (slowVerdict(given) === "position" && tryMoves(given, isTried)) seen.add(kind + right);
        }
      }
    }
  }
  assertEquals(seen.size, 24, "each kind on each home");
  // Moves and captures elsewhere end no right.
  for (const to of away) {
    for (const from of RAYS.n[to].flat().filter((from) => away.includes(from))) {
      const fen = fenOf([...home, [to, "n"], [from, "N"]], "w KQkq - 5 9");
      if (slowVerdict(fen) !== "position") continue;
      for (const given of [fen, mirrored(fen)]) {
        tryMoves(given, (move) => away.includes(moveFrom(move)));
      }
    }
  }
  // All moves of kings and rooks at home, castling included; then captures.
  for (const rights of RIGHTS) {
    for (const turn of "wb") {
      const fen = fenOf(home, `${turn} ${rights} - 5 9`);
      tryMoves(fen);
      tryMoves(`r2BkB1r/p3N2p/8/8/8/8/P3n2P/R2bKb1R ${turn} ${rights} - 5 9`);
    }
  }
  // What has moved and come back has still moved, and another rook has no right.
  const rows: [moves: string, rights: string][] = [
    ["e1e2 e8e7 e2e1 e7e8", "-"],
    ["a1b1 a8b8 b1a1 b8a8", "Kk"],
    ["h1g1 h8g8 g1h1 g8h8", "Qq"],
    ["a1d1 h8f8 h1h2 f8f7 d1a1 f7f8 h2h1 f8h8", "q"],
    ["a1a8 e8e7 a8h8 e7e6 h8a8 e6e5 a8a1 e5e4", "K"],
  ];
  for (const [moves, rights] of rows) {
    const board = new Board(fenOf(home, "w KQkq - 0 1"));
    for (const move of moves.split(" ")) board.play(move);
    assertEquals(board.fen().split(" ")[2], rights, moves);
  }
});

Deno.test("every fact has a key of its own in the hash", () => {
  const hash = (placed: Placed[], rest: string) => new Board(fenOf(placed, rest)).hash;
  const kings = (white: Square, black: Square, turn = "w") =>
    hash([[white, "K"], [black, "k"]], `${turn} - -`);
  const isNear = (a: Square, b: Square) => a === b || RAYS.k[a].flat().includes(b);
  // The key of a fact is what it changes: for a king, to stand there and not in its corner.
  const keys = new Map<string, bigint>([["b", kings(0, 63, "b") ^ kings(0, 63)], ["w", 0n]]);
  for (const square of ALL_SQUARES) {
    const black = isNear(square, 63) ? 56 : 63, white = isNear(square, 0) ? 7 : 0;
    keys.set(`K on ${square}`, kings(square, black) ^ kings(0, black));
    keys.set(`k on ${square}`, kings(white, square) ^ kings(white, 63));
    for (const piece of square < 8 || square > 55 ? "NBRQnbrq" : "PNBRQpnbrq") {
      const [white, black] = square % 63 === 0 ? [7, 56] : [0, 63];
      const turn = isOf("w", piece) ? "b" : "w";
      const placed: Placed[] = [[white, "K"], [black, "k"], [square, piece]];
      keys.set(`${piece} on ${square}`, hash(placed, `${turn} - -`) ^ kings(white, black, turn));
    }
  }
  for (const rights of RIGHTS) {
    const fen = "r3k2r/8/8/8/8/8/8/R3K2R w - -";
    keys.set(rights, new Board(fen).hash ^ new Board(fen.replace("-", rights)).hash);
  }
  for (const file of FILES) {
    for (const taker of FILES.filter((taker) => Math.abs(taker - file) === 1)) {
      const placed: Placed[] = [[4, "K"], [60, "k"], [24 + file, "P"], [24 + taker, "p"]];
      const passed = squareName(16 + file), fen = fenOf(placed, `b - ${passed} 0 1`);
      for (const given of [fen, mirrored(fen)]) {
        const square = given.split(" ")[3];
        const key = new Board(given).hash ^ new Board(given.replace(square, "-")).hash;
        assertEquals(keys.get(square) ?? key, key, "whichever pawn can capture");
        keys.set(square, key);
      }
    }
  }
  // All keys differ, and so do the sums of any two: no two facts can stand in for two others.
  // (A set of rights may have the sum of the keys of its rights.)
  const zeros = ["w", "-", "K on 0", "k on 63"],
    all = [...keys].filter(([name]) => !zeros.includes(name));
  assertEquals(all.length, 1 + 126 + 608 + 15 + 16);
  assertEquals(zeros.map((name) => keys.get(name)), [0n, 0n, 0n, 0n]);
  assertEquals(new Set(keys.values()).size, all.length + 1);
  const single = [0n, ...all.filter(([name]) => !/^[KQkq]{2,}$/.test(name)).map(([, key]) => key)];
  const sums = new Set(single.flatMap((a, i) => single.slice(0, i).map((b) => a ^ b)));
  assertEquals(sums.size, single.length * (single.length - 1) / 2);
  for (const bit of ALL_SQUARES) { // of each key, every bit is as good as random
    const share = single.filter((key) => key >> BigInt(bit) & 1n).length / single.length;
    assert(share > 0.4 && share < 0.6, `bit ${bit} is set in ${share}`);
  }
  // Over random games, the hash is the sum of the keys of all pieces, and of one for the rest.
  const corners = kings(0, 63), states = new Map([["w - -", 0n]]);
  for (const { board } of games(6, 54, 100, [...STARTS, ...ENDINGS])) {
    const state = board.fen().split(" ").slice(1, 4).join(" "), { pieces } = readFen(board.fen());
    const key = pieces.map((piece, square) => keys.get(`${piece} on ${square}`) ?? 0n)
      .reduce((sum, key) => sum ^ key, corners) ^ board.hash;
    assertEquals(states.get(state) ?? key, key, board.fen());
    states.set(state, key);
  }
  assert(states.size > 40, `${states.size} states`);
  assertEquals(new Set(states.values()).size, states.size);
});

Deno.test("a hash does not depend on the way or the run", () => {
  assertEquals(new Board().hash, 0x5c204d1ea182362cn);
  assertEquals(new Board("4k3/8/8/8/1pP5/8/8/R3K3 b Q c3 0 1").hash, 0x55eff7634a8cdbebn);
  const hash = (moves: string) => {
    const board = new Board();
    for (const move of moves.split(" ")) board.play(move);
    return board.hash;
  };
  assertEquals(hash("g1f3 g8f6 b1c3 b8c6"), hash("b1c3 b8c6 g1f3 g8f6"));
  assertEquals(hash("g1f3 g8f6 f3g1 f6g8"), new Board().hash);
  assertEquals(hash("e2e4 e7e5 d2d3"), hash("d2d3 e7e5 e2e4"));
});

Deno.test("the history has no limit", () => {
  const board = new Board(WALL), roll = dice(8), seen: [bigint, Move][] = [];
  for (let ply = 0; ply < 20000; ply++) {
    const moves = board.moves(), move = moves[roll(moves.length)];
    seen.push([board.hash, move]);
    board.make(move);
  }
  assertEquals(board.fen().split(" ").slice(4), ["20000", "10001"]);
  assertEquals(board.outcome(), "fifty-move rule");
  assertEquals([board.hash, board.moves()], [
    new Board(board.fen()).hash,
    new Board(board.fen()).moves(),
  ]);
  for (const [hash, move] of seen.reverse()) assertEquals([board.undo(), board.hash], [move, hash]);
  assertEquals(look(board), look(new Board(WALL)));
  refuses(() => board.undo(), RangeError, "undo", "history");
});

Deno.test("a move that cannot be played is refused and changes nothing", () => {
  const rows: [kind: typeof SyntaxError | typeof RangeError, uci: string, phrase: string][] = [
    [SyntaxError, "", "move"],
    [SyntaxError, "e2", "move"],
    [SyntaxError, "e2e", "move"],
    [SyntaxError, "e2-e4", "move"],
    [SyntaxError, "E2E4", "move"],
    [SyntaxError, "e2e9", "move"],
    [SyntaxError, "i2e4", "move"],
    [SyntaxError, "e2e4 ", "move"],
    [SyntaxError, " e2e4", "move"],
    [SyntaxError, "e2e4\n", "move"],
    [SyntaxError, "e7e8k", "move"],
    [SyntaxError, "e7e8Q", "move"],
    [SyntaxError, "e7e8qq", "move"],
    [SyntaxError, "O-O", "move"],
    [SyntaxError, "Nf3", "move"],
    [SyntaxError, "0000", "move"],
    [SyntaxError, "é2e4", "move"],
    [RangeError, "e2e5", "legal"],
    [RangeError, "e2e4q", "legal"],
    [RangeError, "e7e5", "legal"],
    [RangeError, "e1g1", "legal"],
    [RangeError, "e4e5", "legal"],
    [RangeError, "a1a1", "legal"],
  ];
  const board = new Board(), before = look(board);
  for (const [kind, uci, phrase] of rows) {
    refuses(() => board.play(uci), kind, JSON.stringify(uci), phrase);
    refuses(() => board.parseUci(uci), kind, JSON.stringify(uci), phrase);
    assertEquals(look(board), before);
  }
  refuses(() => board.play("e2e4".repeat(1000)), SyntaxError, '"e2e4e2e4', "move");
  refuses(() => new Board(KIWIPETE).play("a1a8"), RangeError, '"a1a8"', "legal");
  refuses(() => new Board("8/P7/8/8/8/8/8/K1k5 w - - 0 1").play("a7a8"), RangeError, '"a7a8"');
  refuses(() => board.undo(), RangeError, "history to undo, got 0");
  assertEquals(look(board), before);
});

// ---------------------------------------------------------------------------------------------
// 7. Moves
// ---------------------------------------------------------------------------------------------

Deno.test("rules that are easy to get wrong", () => {
  const rows: [fen: string, piece: string, targets: string][] = [
    // castling: not out of, through or into check, nor past a piece; the rook may be attacked
    ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1", "c1 d1 d2 e2 f1 f2 g1"],
    ["r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8", "c8 d7 d8 e7 f7 f8 g8"],
    ["r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1", "e1", "d1 d2 e2 f1 f2 g1"],
    ["r3k2r/8/8/8/8/8/8/R3K2R b KQq - 0 1", "e8", "c8 d7 d8 e7 f7 f8"],
    ["4k3/4r3/8/8/8/8/8/R3K2R w KQ - 0 1", "e1", "d1 d2 f1 f2"], // out of
    ["4k3/3r4/8/8/8/8/8/R3K2R w KQ - 0 1", "e1", "e2 f1 f2 g1"], // through
    ["4k3/5r2/8/8/8/8/8/R3K2R w KQ - 0 1", "e1", "c1 d1 d2 e2"],
    ["4k3/2r5/8/8/8/8/8/R3K2R w KQ - 0 1", "e1", "d1 d2 e2 f1 f2 g1"], // into
    ["4k3/6r1/8/8/8/8/8/R3K2R w KQ - 0 1", "e1", "c1 d1 d2 e2 f1 f2"],
    ["4k3/1r5r/8/8/8/8/8/R3K2R w KQ - 0 1", "e1", "c1 d1 d2 e2 f1 f2 g1"], // b1, h1 attacked
    ["4k3/r7/8/8/8/8/8/R3K2R w KQ - 0 1", "e1", "c1 d1 d2 e2 f1 f2 g1"], // a1 attacked
    ["4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", "e1", "d1 d2 e2 f1 f2"], // pieces between
    ["4k3/8/8/8/8/8/8/R1B1KB1R w KQ - 0 1", "e1", "d1 d2 e2 f2"],
    ["4k3/8/8/8/8/8/8/Rn2K1nR w KQ - 0 1", "e1", "d1 f1 f2"],
    ["4k3/8/8/8/8/8/6p1/R3K2R w KQ - 0 1", "e1", "c1 d1 d2 e2 f2"], // a pawn looks at f1 and h1
    // en passant: both ways, and not if it uncovers a check on rank, diagonal or file
    ["4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "c5", "c6 d6"],
    ["4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "e5", "d6 e6"],
    ["4k3/8/8/KPpP3r/8/8/8/8 w - c6 0 1", "b5", "b6 c6"], // another pawn still stands there
    ["4k3/8/8/K1pP3r/8/8/8/8 w - c6 0 1", "d5", "d6"],
    ["4k3/8/8/r1pP3K/8/8/8/8 w - c6 0 1", "d5", "d6"],
    ["4k3/8/8/2pP4/3K4/8/8/8 w - c6 0 1", "d5", "c6"], // takes the checker
    ["4k3/b7/8/2pP4/3K4/8/8/8 w - c6 0 1", "d5", ""], // and would let the bishop in
    ["3rk3/8/8/2pP4/8/8/8/3K4 w - c6 0 1", "d5", "d6"],
    ["2r1k3/8/8/2pP4/8/8/8/2K5 w - c6 0 1", "d5", "c6 d6"], // the file stays closed
    ["4k3/8/8/2pP4/8/5b2/8/7K w - c6 0 1", "d5", ""], // another piece gives check
    // pins: along the line only; a knight never
    ["3rk3/8/8/8/8/8/3R4/3K4 w - - 0 1", "d2", "d3 d4 d5 d6 d7 d8"],
    ["3rk3/8/8/8/8/8/3N4/3K4 w - - 0 1", "d2", ""],
    ["3rk3/8/8/8/8/8/3B4/3K4 w - - 0 1", "d2", ""],
    ["3rk3/8/8/8/8/4p3/3P4/3K4 w - - 0 1", "d2", "d3 d4"],
    ["4k3/8/8/8/8/1b2p3/2P5/3K4 w - - 0 1", "c2", "b3"],
    ["4k3/8/8/8/b7/3n4/2P5/3K4 w - - 0 1", "c2", ""],
    ["4k3/8/8/8/b7/1p6/2P5/3K4 w - - 0 1", "c2", "b3 c3 c4"], // not pinned: two pieces between
    ["3rk3/8/8/8/3n4/8/3R4/3K4 w - - 0 1", "d2", "a2 b2 c2 d3 d4 e2 f2 g2 h2"],
    ["4k3/8/8/8/8/8/8/r1RK4 w - - 0 1", "c1", "a1 b1"],
    // check: take, step between, or go; against two checkers only go
    ["4k3/8/8/8/7b/8/8/3RK1N1 w - - 0 1", "g1", ""],
    ["4k3/8/8/8/7b/8/6P1/3RK1N1 w - - 0 1", "g2", "g3"],
    ["4k3/8/8/8/4r2b/8/6P1/3RK1N1 w - - 0 1", "g2", ""],
    ["4k3/8/8/8/4r3/8/6P1/3RK1N1 w - - 0 1", "g1", "e2"],
    ["4k3/8/8/8/8/3n4/2P5/4K3 w - - 0 1", "c2", "d3"],
    ["4k3/8/8/8/4r3/8/8/4K3 w - - 0 1", "e1", "d1 d2 f1 f2"], // not backwards along the line
    ["4k3/8/8/8/8/8/3q4/4K3 w - - 0 1", "e1", "d2 f1"], // takes the checker
    ["4k3/8/8/8/8/4p3/3q4/4K3 w - - 0 1", "e1", "f1"], // which is protected
    // pawns: blocked, at home, at the edges
    ["4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2", ""],
    ["4k3/8/8/8/4n3/8/4P3/4K3 w - - 0 1", "e2", "e3"],
    ["4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3", "e4"],
    ["4k3/8/8/8/8/7n/P7/4K3 w - - 0 1", "a2", "a3 a4"],
    ["4k3/8/8/8/n7/7P/8/4K3 w - - 0 1", "h3", "h4"],
    ["4k3/7p/N7/8/8/8/8/4K3 b - - 0 1", "h7", "h5 h6"],
    ["4k3/p7/8/7N/8/8/8/4K3 b - - 0 1", "a7", "a5 a6"],
  ];
  for (const [fen, piece, targets] of rows) {
    const moves = new Board(fen).moves().filter((move) => moveFrom(move) === parseSquare(piece));
    assertEquals(moves.map((move) => squareName(moveTo(move))).sort().join(" "), targets, fen);
  }
});

/** Whether every view of the board shows the pieces of a position. */
function assertShows(board: Board, position: Position): void {
  assertEquals(board.fen(), writeFen(position));
  assertEquals(ALL_SQUARES.map((square) => board.at(square) ?? " "), position.pieces);
  assertEquals(board.turn, position.turn);
  const where = (test: (piece: string) => boolean) =>
    setOf(ALL_SQUARES.filter((square) => test(position.pieces[square])));
  assertEquals(board.occupied, where((piece) => piece !== " "));
  for (const color of ["w", "b"] as const) {
    assertEquals(board.occupiedBy(color), where((piece) => isOf(color, piece)));
  }
  for (const piece of "PNBRQKpnbrqk") {
    assertEquals(board.pieces(piece as Piece), where((found) => found === piece));
  }
}

Deno.test("a slow generator agrees on pieces, moves and outcomes, over random games", () => {
  const seen = new Map<unknown, number>();
  const count = (what: unknown) => seen.set(what, (seen.get(what) ?? 0) + 1);
  let position = readFen(START), times = new Map<string, number>();
  for (const { board, move } of games(1, 90, 110, [...STARTS, ...ENDINGS])) {
    if (move === undefined) [position, times] = [readFen(board.fen()), new Map()];
    else {
      board.undo();
      assertShows(board, position);
      board.make(move);
      position = after(position, move);
    }
    assertShows(board, position);
    const moves = board.moves(), check = isSlowCheck(position, position.turn);
    assertEquals(sorted(moves), slowMoves(position), board.fen());
    assertEquals([board.count(), board.isCheck()], [moves.length, check], board.fen());
    const facts = board.fen().split(" ", 4).join(" ");
    times.set(facts, (times.get(facts) ?? 0) + 1);
    const outcome = slowOutcome(position, moves, times.get(facts)!);
    assertEquals(board.outcome(), outcome, board.fen());
    moves.forEach((move) => count(move >> 12));
    count(outcome);
    if (check) count(`${board.turn} ${moves.length > 0 ? "in check" : "mated"}`);
  }
  assertEquals(seen.size, 14 + 6 + 4, "all flags, outcomes and kinds of check");
  assert(Math.min(...seen.values()) >= 3, JSON.stringify([...seen]));
});

Deno.test("any number of queens fits", () => {
  for (const fen of [...QUEENS, ...QUEENS.map(mirrored)]) {
    const board = new Board(fen), moves = board.moves();
    assertEquals(sorted(moves), slowMoves(readFen(fen)), fen);
    assertEquals(board.count(), moves.length, fen);
    const counts = moves.map((move) => {
      board.make(move);
      assertEquals(sorted(board.moves()), slowMoves(readFen(board.fen())));
      const count = board.count();
      board.undo();
      return count;
    });
    assertEquals(board.perft(2), counts.reduce((sum, count) => sum + count, 0), fen);
  }
  assertEquals(new Board(QUEENS[1]).count(), 218); // the most that a game can reach
});

Deno.test("moves() is a fresh array of the right length", () => {
  const board = new Board(), moves = board.moves();
  moves.length = 0;
  assertEquals(board.moves().length, 20);
  assertEquals(Object.keys(board.moves()).length, 20);
});

Deno.test("the moves from and to squares, or sets of squares, are those of all moves", () => {
  const roll = dice(17), seen = new Set<number>(), all = 2n ** 64n - 1n;
  let ply = 0;
  for (const { board } of games(17, 40, 100, [...STARTS, ...ENDINGS])) {
    if (ply++ % 5 !== 0) continue;
    const moves = board.moves();
    const check = (from?: number | bigint, to?: number | bigint) => {
      const has = (where: number | bigint | undefined, square: number) =>
        typeof where === "bigint" ? (where >> BigInt(square) & 1n) === 1n : where === square;
      const expected = moves.filter((move) =>
        (from === undefined || has(from, moveFrom(move))) &&
        (to === undefined || has(to, moveTo(move)))
      );
      assertEquals(sorted(board.moves(from, to)), sorted(expected), `${board.fen()} ${from} ${to}`);
      if (to !== undefined) expected.forEach((move) => seen.add(move >> 12));
    };
    for (const square of ALL_SQUARES) {
      check(square);
      check(undefined, square);
      check(square, roll(64));
    }
    for (const move of moves) {
      check(moveFrom(move), moveTo(move));
      check(1n << BigInt(moveFrom(move)), ~(1n << BigInt(moveTo(move))) & all);
    }
    for (const some of [0n, all, randomSet(roll), board.occupiedBy("w"), board.pieces("P")]) {
      check(some);
      check(undefined, some);
      check(some, all ^ some);
    }
    assertEquals(board.moves(undefined, undefined), moves);
  }
  assertEquals(seen.size, 14, "all flags");
});

Deno.test("a text names a legal move, or none", () => {
  const passed = "4k3/8/8/K1pP3r/1Pp5/8/8/8 w - c6 0 1";
  const names = ALL_SQUARES.map(squareName);
  const texts = names.flatMap((from) => names.map((to) => from + to))
    .flatMap((text) => ["", "n", "b", "r", "q"].map((kind) => text + kind));
  for (const fen of [KIWIPETE, PROMOTIONS, mirrored(passed)]) {
    const board = new Board(fen), before = look(board), legal = board.moves();
    const found = texts.flatMap((text) => {
      try {
        const move = board.parseUci(text);
        assertEquals(toUci(move), text);
        return move;
      } catch (error) {
        if (error instanceof RangeError) return [];
        throw error;
      }
    });
    assertEquals(sorted(found), sorted(legal), fen);
    assertEquals(look(board), before);
  }
});

Deno.test("exchanging the colours mirrors the moves", () => {
  for (const { board } of games(10, 33)) {
    const mirror = new Board(mirrored(board.fen()));
    assertEquals(mirrored(mirror.fen()), board.fen());
    assertEquals(
      sorted(mirror.moves()),
      sorted(board.moves().map((move) => move ^ (56 << 6 | 56))),
      board.fen(),
    );
    assertEquals(
      [mirror.count(), mirror.perft(2), mirror.isCheck()],
      [board.count(), board.perft(2), board.isCheck()],
      board.fen(),
    );
  }
  for (const fen of STARTS.slice(0, 5)) {
    assertEquals(new Board(mirrored(fen)).perft(3), new Board(fen).perft(3), fen);
  }
});

// ---------------------------------------------------------------------------------------------
// 8. Questions
// ---------------------------------------------------------------------------------------------

Deno.test("attackers are found by looking from every piece", () => {
  for (const { board } of games(11, 22, 60)) {
    const { pieces } = readFen(board.fen());
    const sets = { w: ALL_SQUARES.map(() => 0n), b: ALL_SQUARES.map(() => 0n) };
    pieces.forEach((piece, from) => {
      if (piece === " ") return;
      const sights = sets[isOf("w", piece) ? "w" : "b"];
      for (const to of reach(pieces, from)) sights[to] |= 1n << BigInt(from);
    });
    for (const color of ["w", "b"] as const) {
      assertEquals(ALL_SQUARES.map((square) => board.attackers(square, color)), sets[color]);
    }
  }
});

Deno.test("attackers agree with moves", () => {
  for (const { board } of games(12, 22)) {
    const us = board.turn, them = other(us), [king] = squares(board.pieces(us === "w" ? "K" : "k"));
    assertEquals(board.isCheck(), board.attackers(king, them) !== 0n, board.fen());
    for (const move of board.moves()) {
      const from = moveFrom(move), to = moveTo(move), isPawn = /p/i.test(board.at(from) ?? "");
      const isAttack = isPawn ? isCapture(move) : ![2, 3].includes(move >> 12);
      const isAttacker = (board.attackers(to, us) >> BigInt(from) & 1n) === 1n;
      assertEquals(isAttacker, isAttack, `${board.fen()} ${toUci(move)}`);
      if (from === king) {
        assertEquals(board.attackers(to, them), 0n, `${board.fen()} ${toUci(move)}`);
      }
    }
  }
});

Deno.test("mate and stalemate go before a dead position, that before the clock", () => {
  const rows: [outcome: Outcome | undefined, fen: string, moves?: string][] = [
    ["checkmate", "4k3/8/8/8/8/8/5PPP/3r2K1 w - -"],
    ["checkmate", "6k1/5ppp/8/8/8/8/8/K2R4 w - -", "d1d8"],
    ["checkmate", "8/8/8/8/8/5k2/7q/5K2 b - -", "h2f2"],
    ["checkmate", "k7/8/1K6/4B3/8/8/8/5B2 w - -", "f1g2"],
    ["stalemate", "k7/P7/K7/8/8/8/8/8 b - -"],
    ["stalemate", "7k/8/8/6Q1/8/8/8/K7 w - -", "g5g6"],
    ["stalemate", "k7/8/1K6/4B3/8/8/8/8 b - -"], // nor could one bishop mate
    ["stalemate", "k7/8/1K6/8/3B4/8/8/8 w - -", "d4e5"],
    ["insufficient material", "4k3/8/8/8/8/8/8/4K3 w - -"],
    ["insufficient material", "4k3/8/8/8/8/8/8/4K2B w - -", "h1e4"],
    ["insufficient material", "4kb2/8/8/4B3/8/8/8/2B1K3 w - -"],
    ["insufficient material", "4k3/8/8/8/8/8/3n4/4K1N1 b - -", "e8e7 e1d2"],
    [undefined, "4k3/8/8/8/8/8/8/R3K3 w - -"],
    [undefined, "4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1g1"],
    [undefined, "4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1c1 e8e7"],
    [undefined, "6k1/5pp1/7p/8/8/8/8/K2R4 w - -", "d1d8"],
    [undefined, "4k3/8/8/8/8/8/8/2B1KB2 w - -", "f1e2 e8e7"],
  ];
  const clocks = [0, 1, 50, 97, 98, 99, 100, 101, 149, 150, 151, 1000, 2 ** 24 + 1, 999999999];
  for (const [outcome, given, text = ""] of rows) {
    for (const clock of clocks) {
      const fen = `${given} ${clock} 80`, moves = text.split(" ").filter(Boolean);
      for (const isMirrored of [false, true]) {
        const board = new Board(isMirrored ? mirrored(fen) : fen);
        for (const move of moves) {
          board.play(isMirrored ? move.replace(/\d/g, (rank) => `${9 - Number(rank)}`) : move);
        }
        const reached = Number(board.fen().split(" ")[4]);
        const expected = outcome ?? (reached >= 100 ? "fifty-move rule" : undefined);
        assertEquals(board.outcome(), expected, `${fen} ${moves}`);
      }
    }
  }
});

Deno.test("the clock runs on with each move, but for captures and pawn moves", () => {
  const rows: [isOver: boolean, fen: string, move: string][] = [
    [true, "4k3/8/8/8/8/8/8/R3K2R w KQ", "a1a2"],
    [true, "4k3/8/8/8/8/8/8/R3K2R w KQ", "e1g1"],
    [true, "4k3/8/8/8/8/8/8/R3K2R w KQ", "e1c1"],
    [true, "4k3/8/8/8/8/8/8/R3K2R w KQ", "e1e2"],
    [false, "4k3/8/8/8/8/8/n7/R3K2R w KQ", "a1a2"],
    [false, "4k3/8/8/8/8/8/P7/4K3 w -", "a2a3"],
    [false, "4k3/8/8/8/8/8/P7/4K3 w -", "a2a4"],
    [false, "4k3/8/8/8/8/1n6/P7/R3K3 w Q", "a2b3"],
    [false, "1n2k3/P7/8/8/8/8/8/4K3 w -", "a7a8q"],
    [false, "1n2k3/P7/8/8/8/8/8/4K3 w -", "a7b8r"],
  ];
  for (const [isOver, start, move] of rows) {
    for (const clock of [97, 98, 99, 100, 101, 999999999]) {
      const board = new Board(`${start} - ${clock} 80`);
      const outcome = (clock: number) => clock >= 100 ? "fifty-move rule" : undefined;
      assertEquals(board.outcome(), outcome(clock));
      assertEquals(board.play(move).outcome(), outcome(isOver ? clock + 1 : 0), `${start} ${move}`);
      board.undo();
      assertEquals(board.outcome(), outcome(clock));
    }
  }
});

Deno.test("no mate exists with bare kings, one minor piece, or bishops on one shade", () => {
  const roll = dice(19), seen = new Map<string, number>();
  const tryPieces = (placed: Placed[]) => {
    for (let attempts = 0; attempts < 20; attempts++) {
      const white = roll(64), black = roll(64), turn = "wb"[roll(2)];
      if (placed.some(([square]) => square === white || square === black)) continue;
      const fen = fenOf([...placed, [white, "K"], [black, "k"]], `${turn} - - 0 1`);
      if (slowVerdict(fen) !== "position") continue;
      const board = new Board(fen);
      if (board.count() === 0) continue; // mate and stalemate go before
      const expected = isDead(readFen(fen).pieces) ? "insufficient material" : undefined;
      assertEquals(board.outcome(), expected, fen);
      const name = `${placed.length} ${expected ?? "pieces that can mate"}`;
      seen.set(name, (seen.get(name) ?? 0) + 1);
      return;
    }
  };
  tryPieces([]);
  for (const square of ALL_SQUARES) { // one piece of each kind, and each two minor pieces
    for (const piece of "QRBNPqrbnp") tryPieces([[square, piece]]);
    for (const second of ALL_SQUARES.slice(0, square)) {
      tryPieces([[square, "Bb"[roll(2)]], [second, "Bb"[roll(2)]]]);
      tryPieces([[square, "Nn"[roll(2)]], [second, "BbNn"[roll(4)]]]);
    }
  }
  // Up to four pieces of all kinds, each minor piece on a dark square (d) or a light one (l).
  const kinds = "Q R P q r p Bd Bl Nd Nl bd bl nd nl".split(" ");
  const choose = (chosen: string[], first: number) => {
    const placed = new Map<Square, string>();
    for (const [piece, shade = ""] of chosen) {
      const free = ALL_SQUARES.filter((square) =>
        !placed.has(square) && "dldldldlldldldld"[square % 16].includes(shade)
      );
      placed.set(free[roll(free.length)], piece);
    }
    tryPieces([...placed]);
    if (chosen.length === 4) return;
    for (let i = first; i < kinds.length; i++) choose([...chosen, kinds[i]], i);
  };
  for (let round = 0; round < 2; round++) choose([], 0);
  assertEquals(seen.size, 9, JSON.stringify([...seen]));
});

Deno.test("a repeated position has the same side to move, rights and moves", () => {
  // after how many half-moves of a round, played again and again, the game is drawn
  const rows: [plies: number, fen: string, first: string, round: string][] = [
    [8, START, "", "g1f3 g8f6 f3g1 f6g8"],
    [8, START, "e2e4 e7e5", "g1f3 g8f6 f3g1 f6g8"],
    [8, WALL.replace("w", "b"), "", "a8b8 a1b1 b8a8 b1a1"],
    [8, TREADMILL, "", "g1h1 g8h8 h1g1 h8g8"],
    // castling rights are lost in the first round
    [9, "r3k2r/8/8/8/8/8/8/R3K2R w K - 0 1", "", "h1g1 h8g8 g1h1 g8h8"],
    [9, "r3k2r/8/8/8/8/8/8/R3K2R w Q - 0 1", "", "a1b1 h8g8 b1a1 g8h8"],
    [10, "r3k2r/8/8/8/8/8/8/R3K2R w k - 0 1", "", "a1b1 h8g8 b1a1 g8h8"],
    [10, "r3k2r/8/8/8/8/8/8/R3K2R w q - 0 1", "", "a1b1 a8b8 b1a1 b8a8"],
    [8, "r3k2r/8/8/8/8/8/8/R3K2R w Q - 0 1", "", "h1g1 h8g8 g1h1 g8h8"], // not this one
    // at first a pawn can be taken in passing, or only seems to
    [9, "4k3/8/8/8/2p5/8/3P4/4K3 w - - 0 1", "d2d4", "e8e7 e1e2 e7e8 e2e1"],
    [8, "4k3/8/8/8/1p6/8/3P4/4K3 w - - 0 1", "d2d4", "e8e7 e1e2 e7e8 e2e1"],
    [8, "8/8/8/8/k1p4R/8/3P4/4K3 w - - 0 1", "d2d4", "a4a3 e1e2 a3a4 e2e1"],
    [8, "6k1/8/8/8/2p5/8/B2P4/4K3 w - - 0 1", "d2d4", "g8g7 e1e2 g7g8 e2e1"],
    [8, "4k3/8/8/8/2p5/3P4/8/4K3 w - - 0 1", "d3d4", "e8e7 e1e2 e7e8 e2e1"],
    // a position of before the FEN is not known, but its clock is
    [8, "r3k2r/8/8/8/8/8/8/R3K2R w - - 50 90", "", "h1g1 h8g8 g1h1 g8h8"],
  ];
  for (const [plies, fen, first, round] of rows) {
    const board = new Board(fen), moves = round.split(" ");
    for (const move of first.split(" ").filter(Boolean)) board.play(move);
    for (let ply = 0; ply < plies; ply++) {
      assertEquals(board.outcome(), undefined, `${fen} after ${ply} half-moves`);
      board.play(moves[ply % moves.length]);
    }
    assertEquals(board.outcome(), "threefold repetition", fen);
    board.undo();
    assertEquals(board.outcome(), undefined, fen);
  }
  // On every file: a pawn can be taken in passing, at first.
  for (const file of FILES) {
    for (const taker of FILES.filter((taker) => Math.abs(taker - file) === 1)) {
      const board = new Board(fenOf([[4, "K"], [60, "k"], [8 + file, "P"], [24 + taker, "p"]]));
      board.play(squareName(8 + file) + squareName(24 + file));
      for (let ply = 0; ply < 9; ply++) {
        assertEquals(board.outcome(), undefined, board.fen());
        board.play(["e8e7", "e1e2", "e7e8", "e2e1"][ply % 4]);
      }
      assertEquals(board.outcome(), "threefold repetition", board.fen());
    }
  }
  // With the other side to move it is another position: White loses a move on the way.
  const board = new Board("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
  const triangle = ["a1a2", "e8d8", "a2a3", "d8e8", "a3a1"],
    wait = ["e8d8", "a1a2", "d8e8", "a2a1"];
  for (const move of [...triangle, ...wait]) assertEquals(board.play(move).outcome(), undefined);
  for (const move of wait.slice(0, 3)) assertEquals(board.play(move).outcome(), undefined);
  assertEquals(board.play(wait[3]).outcome(), "threefold repetition");
});

/** Closed walks of a king over different squares of an area: for each length, one from a1. */
function tours(area: Square[], longest: number): Square[][] {
  const ways = [[], [0], [0, 1]], isNear = (a: Square, b: Square) => RAYS.k[a].flat().includes(b);
  while (ways.length <= longest) {
    // A square between two that follow one another makes a way longer by one.
    const way = ways[ways.length - 1], free = area.filter((square) => !way.includes(square));
    const between = (i: number) =>
      free.find((square) => isNear(square, way[i]) && isNear(square, way[(i + 1) % way.length]));
    const i = way.findIndex((_, i) => between(i) !== undefined);
    assert(i >= 0, "no longer way");
    ways.push(way.toSpliced(i + 1, 0, between(i)!));
  }
  return ways;
}

Deno.test("a position is found again, however far apart it occurs", () => {
  // White's king has room for long tours without a repetition; Black's stays in its corner.
  const fen = "6k1/8/8/7p/7P/8/8/K7 w - -", corner = [62, 63, 54]; // g8, h8, g7
  const taken = [30, 31, 39, ...corner.flatMap((square) => [square, ...RAYS.k[square].flat()])];
  const area = ALL_SQUARES.filter((square) => !taken.includes(square));
  const ways = tours(area, 48);
  const round = (length: number): [from: Square, to: Square][] => {
    const white = ways[length], black: Square[] = white.map((_, i) => i % 2 ? 63 : 62);
    if (length % 2) black[length - 1] = 54;
    const step = (way: Square[], i: number): [Square, Square] => [way[i], way[(i + 1) % length]];
    return white.flatMap((_, i) => [step(white, i), step(black, i)]);
  };
  /** Plays rounds of so many moves each; the last one ends with the outcome, and nothing before. */
  const play = (lengths: number[], outcome: Outcome, clock = 0) => {
    for (const flip of [0, 56]) {
      const board = new Board(flip ? mirrored(`${fen} ${clock} 1`) : `${fen} ${clock} 1`);
      for (const [from, to] of lengths.flatMap(round)) {
        if (board.outcome()) assertEquals(board.outcome(), undefined, `${lengths}: ${board.fen()}`);
        board.make((from ^ flip) << 6 | to ^ flip);
      }
      assertEquals(board.outcome(), outcome, `${lengths}: ${board.fen()}`);
    }
  };
  for (const short of [2, 3, 4, 5]) { // cycles of 4, 6, 8 and 10 half-moves
    for (let long = 2; short + long < 50; long++) {
      play([short, long], "threefold repetition");
      play([long, short], "threefold repetition");
    }
    // At the hundredth half-move the clock decides.
    play([short, 48 - short], "threefold repetition", 3);
    play([short, 48 - short], "fifty-move rule", 4);
    play([short, 50 - short], "fifty-move rule");
  }
});

Deno.test("a game is drawn by repetition until the clock runs out", () => {
  const board = new Board(), dead = new Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
  for (let ply = 0; ply < 120; ply++) {
    const expected = ply < 8 ? undefined : ply < 100 ? "threefold repetition" : "fifty-move rule";
    assertEquals([board.outcome(), dead.outcome()], [expected, "insufficient material"], `${ply}`);
    board.play(["g1f3", "g8f6", "f3g1", "f6g8"][ply % 4]);
    dead.play(["e1e2", "e8e7", "e2e1", "e7e8"][ply % 4]);
  }
});

// ---------------------------------------------------------------------------------------------
// 9. Perft
// ---------------------------------------------------------------------------------------------

Deno.test("perft counts leaves, divide per move", () => {
  for (const fen of STARTS) {
    const board = new Board(fen), before = look(board);
    assertEquals([board.perft(0), board.perft(1)], [1, board.count()]);
    const counts = board.divide(2);
    assertEquals([...counts.keys()].sort(), board.moves().map(toUci).sort());
    assertEquals([...counts.values()].reduce((sum, count) => sum + count, 0), board.perft(2));
    for (const [move, count] of counts) assertEquals(new Board(fen).play(move).count(), count);
    assertEquals([...board.divide(1).values()], board.moves().map(() => 1));
    assertEquals(look(board), before);
  }
  const mated = new Board().play("f2f3").play("e7e5").play("g2g4").play("d8h4");
  assertEquals([0, 1, 2, 64].map((depth) => mated.perft(depth)), [1, 0, 0, 0]);
  assertEquals(mated.divide(1), new Map());
  const treadmill = new Board(TREADMILL);
  assertEquals([1, 2, 3, 64].map((depth) => treadmill.perft(depth)), [1, 1, 1, 1]);
  assertEquals(treadmill.divide(64), new Map([["g1h1", 1]]));
  // Besides the treadmill, one pawn can step once, on any of White's 32 moves or never.
  const step = new Board("4b1k1/3pPp1p/3P1P1P/p7/P7/3p1p1p/P2PpP1P/4B1K1 w - - 0 1");
  assertEquals([1, 2, 3, 64].map((depth) => step.perft(depth)), [2, 2, 3, 33]);
});

Deno.test("counting has room for long lists, and leaves none behind", () => {
  // The lists of five plies hold more than 600 moves; Stockfish counts the same.
  assertEquals(new Board(QUEENS[1]).perft(6), 115892741);
  const board = new Board(KIWIPETE);
  for (let i = 0; i < 20000; i++) board.count();
  assertEquals(board.perft(2), 2039);
});

// ---------------------------------------------------------------------------------------------
// Boards together, and bad input at random
// ---------------------------------------------------------------------------------------------

const QUESTIONS: ((board: Board) => unknown)[] = [
  (board) => board.fen(),
  (board) => board.toString(),
  (board) => board.toJSON(),
  (board) => Deno.inspect(board),
  (board) => board.turn,
  (board) => board.occupied,
  (board) => board.occupiedBy("w"),
  (board) => board.hash,
  (board) => board.at(4),
  (board) => board.pieces("K"),
  (board) => board.moves(),
  (board) => squares(board.occupied).map((from) => board.moves(from)),
  (board) => board.moves(board.pieces("k"), board.occupied),
  (board) => assertThrows(() => board.moves(0, 64), RangeError).message,
  (board) => board.count(),
  (board) => board.isCheck(),
  (board) => board.attackers(28, "w"),
  (board) => board.outcome(),
  (board) => board.perft(0),
  (board) => board.perft(2),
  (board) => board.divide(1),
  (board) => board.divide(3),
  (board) => board.moves().map((move) => board.parseUci(toUci(move))),
  (board) => board.moves().map((move) => toUci(board.play(toUci(move)).undo())),
  (board) => board.moves().map((move) => (board.make(move), [board.outcome(), board.undo()])),
  (board) => assertThrows(() => new Board(board.fen()).undo(), RangeError).message,
  (board) => assertThrows(() => board.parseUci("a1a1"), RangeError).message,
  (board) => assertThrows(() => board.play("a1a1"), RangeError).message,
  (board) => assertThrows(() => board.at(64), RangeError).message,
];
const INTERVIEWED = [
  "k7/8/8/4Q3/8/8/1K6/8 b - - 3 5",
  KIWIPETE,
  "4k3/8/8/8/1pP5/8/8/R3K3 b Q c3 99 7",
  "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 100 80",
  "k7/8/1K6/4B3/8/8/8/5B2 b - - 0 1", // stalemate
  "4k3/8/8/8/8/8/5PPP/3r2K1 w - - 0 1", // mate
  "4kb2/8/8/4B3/8/8/8/2B1K3 w - - 0 1", // a dead position
];

Deno.test("a board answers for itself, whichever board was asked before", () => {
  const ask = (fen: string, other?: Board) => {
    const board = new Board(fen);
    return QUESTIONS.map((question) => [other?.fen(), question(board)][1]);
  };
  for (const fen of [...INTERVIEWED, QUEENS[0]]) {
    const alone = ask(fen);
    for (const other of [...STARTS, ...ENDINGS]) assertEquals(ask(fen, new Board(other)), alone);
  }
});

Deno.test("a subclass may look at other boards in whatever it overrides", () => {
  const other = new Board(), before = look(other);
  const meddle = () => other.play("e2e4").undo();
  const members = Reflect.ownKeys(Board.prototype).filter((name) => name !== "constructor");
  assert(members.length > 15);
  for (const overridden of [...members.map((name) => [name]), members]) {
    class Meddler extends Board {}
    for (const name of overridden) {
      const { get, value } = Object.getOwnPropertyDescriptor(Board.prototype, name)!;
      const around = function (this: Board, ...given: unknown[]): unknown {
        meddle();
        const result = (get ?? value).apply(this, given);
        meddle();
        return result;
      };
      Object.defineProperty(Meddler.prototype, name, get ? { get: around } : { value: around });
    }
    for (const fen of INTERVIEWED) {
      const plain = new Board(fen), meddler = new Meddler(fen);
      for (const question of QUESTIONS) {
        const context = `${String(overridden[0])}: ${question} of ${fen}`;
        assertEquals(question(meddler), question(plain), context);
      }
    }
  }
  assertEquals(look(other), before);
});

Deno.test("boards do not disturb one another", () => {
  // Games are recorded one by one, and then played all at once, forwards and backwards.
  const records: { looks: string[]; moves: Move[] }[] = [];
  for (const { board, move } of games(13, 22, 150)) {
    if (move === undefined) records.push({ looks: [look(board)], moves: [] });
    else {
      records[records.length - 1].moves.push(move);
      records[records.length - 1].looks.push(look(board));
    }
  }
  const boards = records.map((_, i) => new Board(STARTS[i % STARTS.length]));
  const heights = records.map(() => 0), roll = dice(14);
  const check = (i: number) => assertEquals(look(boards[i]), records[i].looks[heights[i]]);
  const badFens = BAD_FENS.map(([_kind, fen]) => fen);
  const disturb = (board: Board) =>
    [
      () => assertThrows(() => new Board(badFens[roll(badFens.length)])),
      () => assertThrows(() => board.play("a1a1"), RangeError),
      () => assertThrows(() => board.play("a1"), SyntaxError),
      () => assertThrows(() => board.perft(-1), RangeError),
      () => assertThrows(() => board.at(64), RangeError),
      () => assertThrows(() => new Board().undo(), RangeError),
      () => queenAttacks(roll(64), randomSet(roll)),
      () => new Board(KIWIPETE).perft(2),
      () => new Board().play("e2e4").divide(2),
      () => board.divide(1),
      () => board.perft(2),
      () => board.count(),
      () => board.outcome(),
      () => board.isCheck(),
      () => board.attackers(roll(64), "w"),
      () => board.fen(),
      () => board.hash,
      () => board.turn,
      () => board.occupied,
      () => board.pieces("K"),
    ][roll(20)]();
  for (let step = 0; step < 15000; step++) {
    const i = roll(boards.length), { moves } = records[i];
    if (roll(10) < 7 && heights[i] < moves.length) boards[i].make(moves[heights[i]++]);
    else if (heights[i] > 0) assertEquals(boards[i].undo(), moves[--heights[i]]);
    if (roll(3) === 0) disturb(boards[roll(boards.length)]);
    if (roll(3) === 0) check(roll(boards.length));
  }
  boards.forEach((_, i) => check(i));
  boards.forEach((board, i) => {
    while (heights[i] > 0) assertEquals(board.undo(), records[i].moves[--heights[i]]);
    refuses(() => board.undo(), RangeError, "undo");
  });
  boards.forEach((_, i) => check(i));
});

Deno.test("a FEN with random faults is refused, or means one position", () => {
  const roll = dice(15), signs = [..."KQRBNPkqrbnp12345678/ -wbabcdefgh036\té♕\0"];
  const seen = { position: 0, SyntaxError: 0, RangeError: 0 } as Record<string, number>;
  for (let i = 0; i < 20000; i++) {
    const text = [...STARTS[roll(STARTS.length)]];
    for (let faults = roll(3); faults >= 0; faults--) {
      const here = roll(text.length), there = roll(text.length), sign = signs[roll(signs.length)];
      const fault = roll(4);
      if (fault === 0) text.splice(here, 1);
      else if (fault === 1) text.splice(here, 0, sign);
      else if (fault === 2) text[here] = sign;
      else [text[here], text[there]] = [text[there], text[here]];
    }
    const fen = text.join(""), verdict = tryFen(fen);
    seen[verdict]++;
    if (verdict !== "position") continue;
    const board = new Board(fen);
    assertEquals(look(new Board(board.fen())), look(board), fen);
    assertEquals(sorted(board.moves()), slowMoves(readFen(board.fen())), fen);
    assertEquals(board.count(), board.moves().length, fen);
  }
  assert(Math.min(...Object.values(seen)) > 300, JSON.stringify(seen));
});

// ---------------------------------------------------------------------------------------------
// What plain JavaScript can hand over
// ---------------------------------------------------------------------------------------------

const NUMBERS = [NaN, Infinity, -Infinity, -1, 0.5, 1.5, 62.9, 2 ** 31, 2 ** 32, 2 ** 53, 1e300];
const TEXTS = ["", "0", "1", " 1", "1n", "e4e5", "PN", "..", ".", "K ", "W", "white", "wb", "\n"];
const fail = () => {
  throw new Error("has no text");
};
/** Neither numbers nor texts, though most of them can be made one. */
const ODD: unknown[] = [
  ...[null, true, false, {}, () => 1, Symbol("odd"), Object.create(null), new Date(0)],
  ...[[], [0], ["e4"], ["w"], ["P"], ["e2e4"], [START], [DRAWING], [0n], Object(0n)],
  ...[new Number(1), new String("e4"), { valueOf: () => 1, toString: () => "e4" }],
  { valueOf: fail, toString: fail, toJSON: fail, [Symbol.toPrimitive]: fail },
];

/** How a message quotes a value; an object in whatever way does not fail. */
function quotation(value: unknown): string {
  if (Object(value) === value) return "";
  return (typeof value === "string" ? JSON.stringify(value) : String(value)).slice(0, 70);
}

Deno.test("what is of another type or out of range is refused, and changes nothing", () => {
  const board = new Board(KIWIPETE).play("e1g1"), before = look(board), other = new Board();
  type Call = (value: never) => unknown;
  const rows: [error: typeof RangeError, what: string, also: unknown[], calls: Call[]][] = [
    [RangeError, "a square from 0 to 63", [undefined, 64, 1n], [
      squareName,
      knightAttacks,
      kingAttacks,
      (square) => pawnAttacks(square, "w"),
      (square) => bishopAttacks(square, 0n),
      (square) => rookAttacks(square, 0n),
      (square) => queenAttacks(square, 0n),
      (square) => board.at(square),
      (square) => board.attackers(square, "b"),
    ]],
    [RangeError, "a square from 0 to 63", [64], [
      (square) => board.moves(square),
      (square) => board.moves(8, square),
      (square) => board.moves(1n << 9n, square),
    ]],
    [RangeError, "a depth from 0 to 64", [undefined, 65, 1n], [(depth) => board.perft(depth)]],
    [RangeError, "a depth from 1 to 64", [undefined, 65, 1n, 0, -0], [
      (depth) => board.divide(depth),
    ]],
    [RangeError, "a move from 0 to 65535", [undefined, 65536, 1n], [
      moveFrom,
      moveTo,
      promotion,
      isCapture,
      toUci,
      (move) => board.make(move),
    ]],
    [RangeError, "bitboard", [undefined, 0, 1, -1n, 1n << 64n, 10n ** 1000n], [
      squares,
      drawBitboard,
      (set) => bishopAttacks(0, set),
      (set) => rookAttacks(0, set),
      (set) => queenAttacks(0, set),
    ]],
    [RangeError, '"w" or "b"', [undefined, 0, 1n, "w".repeat(1000)], [
      (color) => pawnAttacks(8, color),
      (color) => board.occupiedBy(color),
      (color) => board.attackers(0, color),
    ]],
    [RangeError, "piece", [undefined, 0, 5, 1n, "x", "Pp"], [(piece) => board.pieces(piece)]],
    [SyntaxError, "", [undefined, 0, 42, 1n], [
      parseSquare,
      parseBitboard,
      (uci) => board.parseUci(uci),
      (uci) => board.play(uci),
    ]],
    [SyntaxError, "FEN", [0, 42, 1n], [(fen) => new Board(fen)]],
  ];
  for (const [error, what, also, calls] of rows) {
    const texts = error === RangeError ? TEXTS : [];
    for (const call of calls) {
      for (const value of [...also, ...NUMBERS, ...texts, ...ODD]) {
        other.count();
        refuses(() => call(value as never), error, what, quotation(value));
        assertEquals(look(board), before, `${call} ${quotation(value)}`);
      }
    }
  }
  assertEquals([look(other), toUci(board.undo())], [look(new Board()), "e1g1"]);
});

Deno.test("a bigint that is no set of squares is refused where a square could stand", () => {
  const board = new Board(KIWIPETE), before = look(board);
  for (const set of [-1n, 1n << 64n, 10n ** 1000n]) {
    refuses(() => board.moves(set), RangeError, "bitboard");
    refuses(() => board.moves(8, set), RangeError, "bitboard");
    assertEquals(look(board), before);
  }
});

Deno.test("the ends of every range are taken, and zero has no sign", () => {
  const board = new Board(KIWIPETE);
  assertEquals([squareName(-0), squareName(0), squareName(63)], ["a1", "a1", "h8"]);
  assertEquals([board.at(-0), board.at(0), board.at(63)], ["R", "R", "r"]);
  assertEquals([board.moves(-0), board.moves(63)], [board.moves(0), []]);
  assertEquals([board.perft(-0), board.perft(0)], [1, 1]);
  assertEquals([knightAttacks(-0), kingAttacks(-0)], [knightAttacks(0), kingAttacks(0)]);
  assertEquals([toUci(-0), toUci(0), toUci(65535)], ["a1a1", "a1a1", "h8h8q"]);
  assertEquals([squares(0n), squares(2n ** 64n - 1n)], [[], ALL_SQUARES]);
});

// ---------------------------------------------------------------------------------------------
// Documentation
// ---------------------------------------------------------------------------------------------

Deno.test("the session in the README prints what it says", () => {
  const blocks = [...readme.matchAll(/^```console\n(.*?)^```/gms)];
  const entries = blocks.flatMap(([, block]) => block.split(/^> /m).slice(1));
  assert(entries.length > 30);
  const expected = entries.map((entry) => entry.slice(entry.indexOf("\n") + 1).trimEnd());
  const inputs = entries.map((entry) => entry.slice(0, entry.indexOf("\n")));
  // A declaration stays in scope for all that follows; anything else leaves what it prints.
  const statements = inputs.map((input) =>
    input.startsWith("const ") ? `${input}; print("")` : `print(${input})`
  );
  const printed: string[] = [];
  const session = new Function("print", ...Object.keys(chess), statements.join(";\n"));
  session((value: unknown) => printed.push(String(value ?? "")), ...Object.values(chess));
  for (const [i, input] of inputs.entries()) assertEquals(printed[i], expected[i], input);
});

/** The lines of drawings of one rank, by what stands before them: `up  . X .`. */
function rankDrawings(text: string): Map<string, number> {
  return new Map(
    [...text.matchAll(/^[ /]*(\w[\w ^-]*?) {2,}((?:[.X] ){7}[.X])/gm)].map(([, name, signs]) => [
      name,
      [...signs.replaceAll(" ", "")].reduce((set, sign, i) => sign === "X" ? set | 1 << i : set, 0),
    ]),
  );
}

Deno.test("the drawings of a rank are what their names say", () => {
  const mirror = (set: number) =>
    [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, i) => sum | (set >> i & 1) << 7 - i, 0);
  const inSource = rankDrawings(source), inReadme = rankDrawings(readme);
  const rook = inReadme.get("rook")!, blockers = inReadme.get("blockers")!;
  const up = blockers - rook, down = mirror(mirror(blockers) - mirror(rook));
  assertEquals([rook, blockers], [1 << 3, 1 << 1 | 1 << 6]);
  const line = 255 ^ rook, attacks = (up ^ down) & line;
  assertEquals(BigInt(attacks), rookAttacks(3, BigInt(blockers)) & 255n);
  const names = { "blockers - rook": up, up, down, "up ^ down": attacks };
  for (const [name, set] of Object.entries(names)) assertEquals(inReadme.get(name), set, name);
  for (const [name, set] of Object.entries({ line, blockers, up, down, attacks })) {
    assertEquals(inSource.get(name), set, name);
  }
});

Deno.test("the drawings of the filter are what its words say", () => {
  const rows = [
    ...source.matchAll(/^\/\/ {5}((?:[.\w] ){7}[.\w](?: {6}(?:[.\w] ){7}[.\w]){3})$/gm),
  ];
  assertEquals(rows.length, 8);
  const [pin, allowed, check, answers] = [0, 1, 2, 3].map((i) =>
    rows.map(([, row]) => row.split("      ")[i])
  );
  const targets = (rows: string[], piece: (piece: Piece) => boolean) => {
    const placement = rows.map((row) => row.replaceAll(" ", "")).join("/");
    const fen = `${placement.replaceAll(/\.+/g, (dots) => `${dots.length}`)} w - - 0 1`;
    const board = new Board(fen), moves = board.moves();
    return drawBitboard(
      setOf(moves.filter((move) => piece(board.at(moveFrom(move))!)).map(moveTo)),
    );
  };
  assertEquals(targets(pin, (piece) => piece === "R"), allowed.join("\n"));
  assertEquals(targets(check, (piece) => piece !== "K"), answers.join("\n"));
});

Deno.test("the drawing of the pawns is what its words say", () => {
  const rows = [...source.matchAll(/^\/\/ {5}((?:[.X] ){7}[.X](?: {5}(?:[.X] ){7}[.X]){3})$/gm)];
  assertEquals(rows.length, 2);
  const [pawns, ...shifted] = [0, 1, 2, 3].map((i) => {
    const drawn = rows.map(([, row]) => row.split("     ")[i]), none = ". . . . . . . .";
    return parseBitboard([none, none, none, none, none, ...drawn, none].join("\n"));
  });
  const without = (file: string) =>
    2n ** 64n - 1n ^ setOf(ALL_SQUARES.filter((square) => squareName(square)[0] === file));
  assertEquals(shifted, [pawns << 8n, pawns << 7n & without("h"), pawns << 9n & without("a")]);
});

Deno.test("the squares drawn in the module are numbered so", () => {
  const rows = [...source.matchAll(/^ \* ([1-8]) {2,3}((?: {1,2}\d+){8})/gm)];
  assertEquals(rows.length, 8);
  for (const [, rank, numbers] of rows) {
    assertEquals(
      numbers.trim().split(/ +/).map((number) => squareName(Number(number))),
      [..."abcdefgh"].map((file) => file + rank),
    );
  }
});

Deno.test("the README names every export, and nothing else", () => {
  const table = readme.slice(readme.indexOf("## API at a glance"));
  const rows = table.split("\n").filter((line) => line.startsWith("| `")).map((l) =>
    l.split("|")[1]
  );
  const names = [...rows.join().matchAll(/`(?:new )?((?:board\.)?\w+)/g)].map(([, name]) => name);
  const types = [...source.matchAll(/^export type (\w+)/gm)].map(([, name]) => name);
  const members = Object.getOwnPropertyNames(Board.prototype).filter((name) =>
    name !== "constructor"
  );
  const exports = [...types, ...Object.keys(chess), ...members.map((name) => `board.${name}`)];
  assertEquals(names.sort(), exports.sort());
});

Deno.test("the README counts the module's lines and finds its chapters", () => {
  const lines = source.split("\n").slice(0, -1),
    isCode = (line: string) => !/^\s*(\/\/|\/?\*|$)/.test(line);
  const chapter = (number: number) => lines.findIndex((line) => line.startsWith(`// ${number}. `));
  const counts = [lines.filter(isCode), lines, lines.slice(chapter(3), chapter(8)).filter(isCode)];
  const said = [...readme.matchAll(/^(?:grep|wc|sed).* mod\.ts.* # (\d+) /gm)];
  assertEquals(said.map(([, count]) => Number(count)), counts.map(({ length }) => length));
  const links = [...readme.matchAll(/\[(?:chapters? )?(\d)\]\(mod\.ts#L(\d+)\)/g)];
  assertEquals(links.length, 7);
  for (const [, number, line] of links) assertEquals(chapter(Number(number)) + 1, Number(line));
});

Deno.test("the links and pictures of the README also work where the package is published", () => {
  const { include, exclude } = config.publish;
  const links = [...readme.matchAll(/\]\((?!http|#)([^)#]+)/g)].map(([, link]) => link);
  assert(links.length > 10);
  for (const link of links) {
    const isIn = include.some((path) =>
      path === link || path.endsWith("/") && link.startsWith(path)
    );
    assert(isIn && !exclude.includes(link) && !link.endsWith("_test.ts"), link);
  }
});
