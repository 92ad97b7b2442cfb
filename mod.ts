/**
 * Quintessence generates the legal moves of chess from sets of squares.
 *
 * A set of squares, a *bitboard*, is one 64-bit number: bit 0 is a1, bit 63 is h8. What a piece can
 * do is then arithmetic on whole sets. The file is meant to be read from top to bottom; each
 * chapter opens with its idea.
 *
 * ```text
 * 8   56 57 58 59 60 61 62 63
 * 7   48 49 50 51 52 53 54 55
 * 6   40 41 42 43 44 45 46 47
 * 5   32 33 34 35 36 37 38 39      one rank up     + 8
 * 4   24 25 26 27 28 29 30 31      one file right  + 1
 * 3   16 17 18 19 20 21 22 23      upside down     ^ 56
 * 2    8  9 10 11 12 13 14 15
 * 1    0  1  2  3  4  5  6  7
 *
 *      a  b  c  d  e  f  g  h
 * ```
 *
 * @example The shortest mate
 * ```ts
 * import { Board } from "@quintessence/chess";
 * import { assertEquals } from "@std/assert";
 *
 * const board = new Board();
 * for (const move of ["f2f3", "e7e5", "g2g4", "d8h4"]) board.play(move);
 * assertEquals(board.outcome(), "checkmate");
 * assertEquals(new Board().perft(3), 8902);
 * ```
 *
 * @module
 */

// Names: `us` and `them` are the side to move and the other; `from` and `to` the squares of a move;
// `king` the square of our king; `kind` one of the six kinds of men; `piece` a kind with its colour.

// ---------------------------------------------------------------------------------------------
// 1. Vocabulary: squares, pieces and moves are small numbers
// ---------------------------------------------------------------------------------------------

/**
 * A square, from 0 (a1) over 1 (b1) to 63 (h8).
 *
 * @category Squares and moves
 */
export type Square = number;

/**
 * A set of squares: bit `n` of an unsigned 64-bit number stands for square `n`.
 *
 * @category Squares and moves
 */
export type Bitboard = bigint;

/**
 * A move in 16 bits: flags, from, to (4 + 6 + 6). The flags are those of the chess programming
 * wiki: 0 quiet, 1 double push, 2 and 3 castling, 4 capture, 5 en passant, 8 to 11 promotion to
 * knight, bishop, rook and queen, 12 to 15 the same with capture.
 *
 * @category Squares and moves
 */
export type Move = number;

/**
 * White or black.
 *
 * @category Squares and moves
 */
export type Color = "w" | "b";

/**
 * A piece as FEN writes it: capitals are white.
 *
 * @category Squares and moves
 */
export type Piece = "P" | "N" | "B" | "R" | "Q" | "K" | "p" | "n" | "b" | "r" | "q" | "k";

/**
 * How a game has ended, see {@linkcode Board.outcome}.
 *
 * @category Squares and moves
 */
export type Outcome =
  | "checkmate"
  | "stalemate"
  | "threefold repetition"
  | "fifty-move rule"
  | "insufficient material";

/**
 * The FEN of the position in which every game starts.
 *
 * @category Squares and moves
 */
export const START: string = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

// A colour and a kind are also the slots in which their boards lie (chapter 2). A piece is
// kind * 2 + colour, so that both are a shift away; no piece is 0, which is left for "empty".
const WHITE = 0, BLACK = 1;
const PAWN = 2, KNIGHT = 3, BISHOP = 4, ROOK = 5, QUEEN = 6, KING = 7;
const EMPTY = 0;
const LETTERS = "....PpNnBbRrQqKk";

const QUIET = 0, DOUBLE_PUSH = 1, KING_CASTLE = 2, QUEEN_CASTLE = 3;
const CAPTURE = 4, EN_PASSANT = 5, PROMOTION = 8;

/** Throws unless `ok`; says what was expected and quotes what came instead, shortened if long. */
function demand(ok: boolean, error: ErrorConstructor, what: string, got: unknown): asserts ok {
  if (ok) return;
  const quoted = typeof got === "string" ? JSON.stringify(got) : String(got);
  const short = quoted.length > 80 ? quoted.slice(0, 79) + "…" : quoted;
  throw new error(`Expected ${what}, got ${short}`);
}

function checkSquare(square: Square): Square {
  demand(
    square >= 0 && square < 64 && square % 1 === 0,
    RangeError,
    "a square from 0 to 63",
    square,
  );
  return square;
}

function checkColor(color: Color): number {
  demand(color === "w" || color === "b", RangeError, '"w" or "b"', color);
  return color === "w" ? WHITE : BLACK;
}

/**
 * Names a square.
 *
 * @param square The square, 0 to 63.
 * @returns Its name, `"a1"` to `"h8"`.
 * @category Squares and moves
 */
export function squareName(square: Square): string {
  return "abcdefgh"[checkSquare(square) & 7] + (1 + (square >> 3));
}

/**
 * Finds a square by its name.
 *
 * @param name A name from `"a1"` to `"h8"`.
 * @returns The square, 0 to 63.
 * @category Squares and moves
 *
 * @example
 * ```ts
 * import { parseSquare, squareName } from "@quintessence/chess";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseSquare("e4"), 28);
 * assertEquals(squareName(28), "e4");
 * ```
 */
export function parseSquare(name: string): Square {
  demand(/^[a-h][1-8]$/.test(name), SyntaxError, 'a square such as "e4"', name);
  return "abcdefgh".indexOf(name[0]) + 8 * (Number(name[1]) - 1);
}

/**
 * The square a move leaves.
 *
 * @param move The move.
 * @returns Its from-square.
 * @category Squares and moves
 */
export function moveFrom(move: Move): Square {
  return move >> 6 & 63;
}

/**
 * The square a move goes to.
 *
 * @param move The move.
 * @returns Its to-square; when castling, the king's.
 * @category Squares and moves
 */
export function moveTo(move: Move): Square {
  return move & 63;
}

/**
 * What a pawn becomes.
 *
 * @param move The move.
 * @returns The new piece as a small letter, or `undefined` if the move does not promote.
 * @category Squares and moves
 */
export function promotion(move: Move): "n" | "b" | "r" | "q" | undefined {
  return move >> 12 >= PROMOTION ? (["n", "b", "r", "q"] as const)[move >> 12 & 3] : undefined;
}

/**
 * Whether a move captures, en passant included.
 *
 * @param move The move.
 * @returns `true` if it takes a man off the board.
 * @category Squares and moves
 */
export function isCapture(move: Move): boolean {
  return (move >> 12 & CAPTURE) !== 0;
}

/**
 * Writes a move as UCI does: from, to, and the letter of a promotion. Castling is the king's step.
 *
 * @param move The move.
 * @returns Its text, such as `"e2e4"`, `"e7e8q"` or `"e1g1"`.
 * @category Squares and moves
 */
export function toUci(move: Move): string {
  return squareName(moveFrom(move)) + squareName(moveTo(move)) + (promotion(move) ?? "");
}

// ---------------------------------------------------------------------------------------------
// 2. Bitboards: sets of squares in the slots of one typed array
// ---------------------------------------------------------------------------------------------
// A bitboard is a set, and sets have an algebra: a & b is what both hold, a | b what either holds,
// a ^ b what one of them holds, x ^ -1n all but x. Shifting a set by 8 moves it one rank up.
//
// BigInts are slow as long as every result is a new object, and as fast as machine words when V8 can
// prove that they fit one. It can if boards are signed, rest in the slots of a BigInt64Array, and
// never travel: functions pass squares and slot numbers, and leave the boards they find in a slot.
// V8 knows best where a constant array lies. So there is one array for all, the *desk*, and on it
// the one position that is worked on; a Board that is not in use keeps a copy (chapter 9).

// The first slots hold the boards of the two colours and six kinds (chapter 1), and then:
const HASH = 8; // the Zobrist key of the position (chapter 5)
const MAILBOX = 9; // eight slots, seen as 64 bytes: the piece on each square
const STATE = 17; // three slots, seen as six numbers
const KEPT_SLOTS = 20; // what makes a position ends here; the rest is scratch space
const OCCUPIED = 20, FLIPPED = 21; // all men, and the same upside down
const DIAGONAL_MEN = 22, STRAIGHT_MEN = 23; // bishops and queens, rooks and queens
const ATTACKERS = 24, PINNED = 25, ALLOWED = 26; // what the filter asks (chapter 7)
const MEN = 27, STEPS = 28, SLIDERS = 29, TAKERS = 30; // sets that are being walked
const REACH = 31, MIRROR = 32; // where the man in question can go
const PUSHES = 33, DOUBLE_PUSHES = 34, LEFT_CAPTURES = 35, RIGHT_CAPTURES = 36, TALLY = 37;

const slots = new BigInt64Array(38);
const position = slots.subarray(0, KEPT_SLOTS);
// Views of the same memory: a slot as 2 halves, 4 quarters or 8 ranks, and read in either direction.
const halves = new Int32Array(slots.buffer);
const quarters = new Uint16Array(slots.buffer);
const ranks = new Uint8Array(slots.buffer);
const view = new DataView(slots.buffer);
const mailbox = new Uint8Array(slots.buffer, MAILBOX * 8, 64);
const state = new Int32Array(slots.buffer, STATE * 8, 6);
const TURN = 0, HEIGHT = 1; // who is to move; how many moves lie on the stack (chapter 6)
const KING_SQUARE = 2, COUNTING = 3, TOP = 4; // for the generator (chapter 7)

// A result that is not stored in a slot is cut to 64 bits at once, even to be compared. This is the
// built-in function itself with its first argument bound; V8 would not see through one of ours.
const i64 = BigInt.asIntN.bind(null, 64);
const unsigned = BigInt.asUintN.bind(null, 64);

const BIT = BigInt64Array.from({ length: 64 }, (_, square) => 1n << BigInt(square));

/**
 * Removes the lowest square from the set in a slot and returns it, or -1 if the set is empty.
 * `x & -x` is the lowest bit of x, and `x & x - 1` is x without it.
 */
function pop(slot: number): number {
  const low = halves[2 * slot];
  if (low !== 0) {
    halves[2 * slot] = low & low - 1;
    return 31 - Math.clz32(low & -low);
  }
  const high = halves[2 * slot + 1];
  if (high === 0) return -1;
  halves[2 * slot + 1] = high & high - 1;
  return 63 - Math.clz32(high & -high);
}

function checkBitboard(bitboard: Bitboard): Bitboard {
  demand(unsigned(bitboard) === bitboard, RangeError, "a bitboard from 0 to 2^64 - 1", bitboard);
  return bitboard;
}

/**
 * Lists the squares of a set, lowest first.
 *
 * @param bitboard The set.
 * @returns Its squares; their number is the size of the set.
 * @category Bitboards
 *
 * @example
 * ```ts
 * import { knightAttacks, squareName, squares } from "@quintessence/chess";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(squares(knightAttacks(0)).map(squareName), ["c2", "b3"]);
 * ```
 */
export function squares(bitboard: Bitboard): Square[] {
  slots[MEN] = checkBitboard(bitboard);
  const found: Square[] = [];
  for (let square; (square = pop(MEN)) >= 0;) found.push(square);
  return found;
}

/**
 * Draws a set of squares as White sees the board.
 *
 * @param bitboard The set.
 * @returns Eight lines of eight signs, rank 8 first: `X` in the set, `.` not.
 * @category Bitboards
 *
 * @example
 * ```ts
 * import { drawBitboard, rookAttacks } from "@quintessence/chess";
 * import { assertEquals } from "@std/assert";
 *
 * const drawing = `
 * . . . . . . . .
 * . . . . . . . .
 * . . . . . . . .
 * . . . X . . . .
 * . . . X . . . .
 * . . . X . . . .
 * . . . X . . . .
 * X X X . X X X X`;
 * assertEquals("\n" + drawBitboard(rookAttacks(3, 1n << 35n)), drawing);
 * ```
 */
export function drawBitboard(bitboard: Bitboard): string {
  checkBitboard(bitboard);
  return drawSquares((square) => bitboard & BIT[square] ? "X" : ".").join("\n");
}

/** Eight lines of eight signs, rank 8 first. */
function drawSquares(sign: (square: Square) => string): string[] {
  return [56, 48, 40, 32, 24, 16, 8, 0].map((first) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((file) => sign(first + file)).join(" ")
  );
}

/**
 * Reads a drawing of a set of squares; spaces do not matter.
 *
 * @param diagram Eight lines of eight `X` or `.`, rank 8 first.
 * @returns The set that {@linkcode drawBitboard} would draw so.
 * @category Bitboards
 */
export function parseBitboard(diagram: string): Bitboard {
  const rows = diagram.trim().split("\n").map((row) => row.replaceAll(/\s/g, ""));
  demand(rows.length === 8, SyntaxError, "eight lines", diagram);
  for (const row of rows) demand(/^[.X]{8}$/.test(row), SyntaxError, 'eight "." or "X"', row);
  const signs = rows.reverse().join("");
  return unsigned(BIT.reduce((set, bit, square) => signs[square] === "X" ? set | bit : set, 0n));
}

// ---------------------------------------------------------------------------------------------
// 3. Geometry: where each piece could go if nothing stood in its way
// ---------------------------------------------------------------------------------------------
// Every table comes from steps of so many files and ranks, walked until the board ends.

type Step = readonly [files: number, ranks: number];
const AXES: Step[] = [[0, 1], [1, 0], [1, 1], [-1, 1]]; // up, right, and the two diagonals
const JUMPS: Step[] = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];

function bothWays([files, ranks]: Step): Step[] {
  return [[files, ranks], [-files, -ranks]];
}

/** The squares that lie on the way from a square to the edge, nearest first. */
function walk(square: Square, [files, ranks]: Step): Square[] {
  const way: Square[] = [];
  let file = (square & 7) + files, rank = (square >> 3) + ranks;
  while (file >= 0 && file < 8 && rank >= 0 && rank < 8) {
    way.push(8 * rank + file);
    file += files;
    rank += ranks;
  }
  return way;
}

/** For each square, all that the steps lead to: as far as the board goes, or the first step only. */
function tabulate(steps: Step[], far = 7): BigInt64Array {
  return BIT.map((_, square) =>
    steps.flatMap((step) => walk(square, step).slice(0, far))
      .reduce((set, to) => set | BIT[to], 0n)
  );
}

const KNIGHT_ATTACKS = tabulate(JUMPS, 1);
const KING_ATTACKS = tabulate(AXES.flatMap(bothWays), 1);
const PAWN_ATTACKS = new BigInt64Array(128); // by colour << 6 | square
PAWN_ATTACKS.set(tabulate([[-1, 1], [1, 1]], 1));
PAWN_ATTACKS.set(tabulate([[-1, -1], [1, -1]], 1), 64);

// The lines through a square, without the square itself.
const LINES = AXES.map((step) => tabulate(bothWays(step)));
const [FILE, RANK, DIAGONAL, ANTIDIAGONAL] = LINES;
const STRAIGHTS = FILE.map((file, square) => file | RANK[square]);
const DIAGONALS = DIAGONAL.map((diagonal, square) => diagonal | ANTIDIAGONAL[square]);

// By from << 6 | to, for two squares on one line: the squares between them, and the whole line.
const BETWEEN = new BigInt64Array(4096);
const LINE = new BigInt64Array(4096);
for (let from = 0; from < 64; from++) {
  for (const [axis, step] of AXES.entries()) {
    for (const way of bothWays(step).map((step) => walk(from, step))) {
      let between = 0n;
      for (const to of way) {
        BETWEEN[from << 6 | to] = between;
        LINE[from << 6 | to] = LINES[axis][from];
        between |= BIT[to];
      }
    }
  }
}

/**
 * The squares a knight attacks.
 *
 * @param square Where it stands.
 * @returns The set of up to eight squares.
 * @category Attacks
 */
export function knightAttacks(square: Square): Bitboard {
  return unsigned(KNIGHT_ATTACKS[checkSquare(square)]);
}

/**
 * The squares a king attacks.
 *
 * @param square Where it stands.
 * @returns The set of up to eight neighbours.
 * @category Attacks
 */
export function kingAttacks(square: Square): Bitboard {
  return unsigned(KING_ATTACKS[checkSquare(square)]);
}

/**
 * The squares a pawn attacks, whether or not there is anything to capture.
 *
 * @param square Where it stands.
 * @param color Whose pawn it is: White's attack upwards.
 * @returns The set of up to two squares.
 * @category Attacks
 */
export function pawnAttacks(square: Square, color: Color): Bitboard {
  return unsigned(PAWN_ATTACKS[checkColor(color) << 6 | checkSquare(square)]);
}

// ---------------------------------------------------------------------------------------------
// 4. Sliders: Hyperbola Quintessence
// ---------------------------------------------------------------------------------------------
// How far does a slider get along a line? Subtraction knows. Take the blockers on the line, and
// subtract the slider's own bit: the borrow runs upwards through the empty squares and stops at the
// first blocker, which it clears. All squares on the way have changed. Downwards the same holds in
// the mirror. What lies beyond the blockers is the same in both and cancels in the exclusive or,
// as does the slider's own square. A rook on d1 with blockers on b1 and g1, a-file left:
//
//     line      X X X . X X X X
//     blockers  . X . . . . X .
//     up        . X . X X X . .     blockers - rook
//     down      . . X X . . X .     the same in the mirror
//     attacks   . X X . X X X .     (up ^ down) & line
//
// The mirror for files and diagonals is the board upside down: square s goes to s ^ 56. In memory
// that is the order of a slot's eight bytes. Typed arrays keep the lowest byte first on all machines
// of today, so reading the slot the other way, big-endian, is the whole flip. It turns lines into
// lines, a diagonal into an antidiagonal, and all lines of a man share it.
//
// A rank has no upside down. Its occupancy is one byte, of which the two outer bits never matter (a
// slider reaches the edge whether or not somebody stands there), so 64 entries a square hold it all.

const RANK_ATTACKS = new BigInt64Array(4096); // by square << 6 | the six inner bits of its rank
for (let file = 0; file < 8; file++) {
  for (let inner = 0; inner < 64; inner++) {
    let attacks = 0;
    for (const step of bothWays([1, 0])) {
      for (const to of walk(file, step)) {
        attacks |= 1 << to;
        if (inner << 1 & 1 << to) break;
      }
    }
    for (let first = 0; first < 64; first += 8) {
      RANK_ATTACKS[first + file << 6 | inner] = BigInt(attacks) << BigInt(first);
    }
  }
}

function flipOccupied(): void {
  slots[FLIPPED] = view.getBigInt64(OCCUPIED * 8);
}

/** Adds to REACH what a bishop attacks. */
function reachDiagonals(square: Square): void {
  const bit = BIT[square], diagonal = DIAGONAL[square], antidiagonal = ANTIDIAGONAL[square];
  const up = i64(
    (slots[OCCUPIED] & diagonal) - bit & diagonal |
      (slots[OCCUPIED] & antidiagonal) - bit & antidiagonal,
  );
  const there = square ^ 56; // the same upside down
  const bit2 = BIT[there], diagonal2 = DIAGONAL[there], antidiagonal2 = ANTIDIAGONAL[there];
  slots[MIRROR] = (slots[FLIPPED] & diagonal2) - bit2 & diagonal2 |
    (slots[FLIPPED] & antidiagonal2) - bit2 & antidiagonal2;
  slots[REACH] |= up ^ view.getBigInt64(MIRROR * 8);
}

/** Adds to REACH what a rook attacks. */
function reachStraights(square: Square): void {
  const file = FILE[square], there = square ^ 56;
  const up = i64((slots[OCCUPIED] & file) - BIT[square]);
  slots[MIRROR] = (slots[FLIPPED] & FILE[there]) - BIT[there];
  const inner = ranks[OCCUPIED * 8 + (square >> 3)] >> 1 & 63;
  slots[REACH] |= (up ^ view.getBigInt64(MIRROR * 8)) & file | RANK_ATTACKS[square << 6 | inner];
}

function slide(reach: (square: Square) => void, square: Square, occupied: Bitboard): Bitboard {
  slots[OCCUPIED] = checkBitboard(occupied);
  flipOccupied();
  slots[REACH] = 0n;
  reach(checkSquare(square));
  return unsigned(slots[REACH]);
}

/**
 * The squares a bishop attacks: along each diagonal up to the first man, and that one too.
 *
 * @param square Where it stands.
 * @param occupied All men on the board, with or without the bishop.
 * @returns The set of attacked squares.
 * @category Attacks
 */
export function bishopAttacks(square: Square, occupied: Bitboard): Bitboard {
  return slide(reachDiagonals, square, occupied);
}

/**
 * The squares a rook attacks: along rank and file up to the first man, and that one too.
 *
 * @param square Where it stands.
 * @param occupied All men on the board, with or without the rook.
 * @returns The set of attacked squares.
 * @category Attacks
 */
export function rookAttacks(square: Square, occupied: Bitboard): Bitboard {
  return slide(reachStraights, square, occupied);
}

/**
 * The squares a queen attacks: those of a bishop and of a rook.
 *
 * @param square Where it stands.
 * @param occupied All men on the board, with or without the queen.
 * @returns The set of attacked squares.
 * @category Attacks
 */
export function queenAttacks(square: Square, occupied: Bitboard): Bitboard {
  return bishopAttacks(square, occupied) | rookAttacks(square, occupied);
}

// ---------------------------------------------------------------------------------------------
// 5. The position: two boards of colours, six of kinds, and the piece on each square
// ---------------------------------------------------------------------------------------------
// White knights are the intersection of the board of knights and that of White. The same facts are
// kept square by square in the mailbox, which answers at once what a capture takes. One function
// changes any of it: `toggle` puts a piece on a square, or takes it off if it is there.
//
// The hash (Zobrist's) is the exclusive or of one random number for each piece on its square, each
// set of castling rights, each en passant square and the side to move. So it is toggled as well.

const ZOBRIST = new BigInt64Array(1024); // by piece << 6 | square
const RIGHTS_KEY = 64, TURN_KEY = 128; // no piece is 0, 1 or 2: their rows hold the other keys
for (let i = 0, seed = 0n; i < 1024; i++) { // the generator is SplitMix64
  seed += 0x9e3779b97f4a7c15n;
  let mixed = unsigned(seed);
  mixed = unsigned((mixed ^ mixed >> 30n) * 0xbf58476d1ce4e5b9n);
  mixed = unsigned((mixed ^ mixed >> 27n) * 0x94d049bb133111ebn);
  ZOBRIST[i] = mixed ^ mixed >> 31n;
}

function toggle(piece: number, square: Square): void {
  slots[piece >> 1] ^= BIT[square];
  slots[piece & 1] ^= BIT[square];
  slots[HASH] ^= ZOBRIST[piece << 6 | square];
  mailbox[square] ^= piece;
}

/** Derives from the position what attacks are asked with. */
function survey(): void {
  slots[OCCUPIED] = slots[WHITE] | slots[BLACK];
  flipOccupied();
  slots[DIAGONAL_MEN] = slots[BISHOP] | slots[QUEEN];
  slots[STRAIGHT_MEN] = slots[ROOK] | slots[QUEEN];
}

function findKing(color: number): Square {
  slots[MEN] = slots[KING] & slots[color];
  return pop(MEN);
}

/**
 * Whether men of a colour attack a square; leaves them in ATTACKERS.
 *
 * Attacks are mutual: a knight attacks the square if and only if a knight on the square would attack
 * it. So look out from the square as each kind; as a pawn, which has a direction, of the other
 * colour. A slider on one of its lines attacks the square if nothing stands between them. If one man
 * does, he is left in PINNED: should the square be his king's, he may not step off the line.
 */
function attacked(square: Square, by: number): boolean {
  slots[ATTACKERS] = (PAWN_ATTACKS[(by ^ 1) << 6 | square] & slots[PAWN] |
    KNIGHT_ATTACKS[square] & slots[KNIGHT] | KING_ATTACKS[square] & slots[KING]) & slots[by];
  slots[PINNED] = 0n;
  slots[SLIDERS] = (DIAGONALS[square] & slots[DIAGONAL_MEN] |
    STRAIGHTS[square] & slots[STRAIGHT_MEN]) & slots[by];
  for (let slider; (slider = pop(SLIDERS)) >= 0;) {
    const between = i64(BETWEEN[square << 6 | slider] & slots[OCCUPIED]);
    if (between === 0n) slots[ATTACKERS] |= BIT[slider];
    else if (i64(between & between - 1n) === 0n) slots[PINNED] |= between;
  }
  return slots[ATTACKERS] !== 0n;
}

// ---------------------------------------------------------------------------------------------
// 6. Make and undo: one toggle, one stack
// ---------------------------------------------------------------------------------------------
// A move toggles two to four pieces; toggling them again takes it back. What toggling cannot bring
// back goes on a stack, a frame of three slots for each position of the game. The frame on top
// belongs to the position on the desk, so that to undo is to step down by one frame:
//
//     slot 0     the hash, filled in when the next move is made
//     slot 1     the castling rights; the en passant square, or 0 (which is a1, and never one)
//     slot 2     half-moves since a capture or pawn move; the move that led here, with its victim
//
// An en passant square is recorded only if a pawn can legally capture there, so that positions with
// the same moves are equal.

let stack = new BigInt64Array(3);
let frames = new Int32Array(stack.buffer);
const FRAME = 6, RIGHTS = 2, PASSED = 3, CLOCK = 4, PLAYED = 5;

// The homes of the rooks for the rights K, Q, k and q, whose bits are 1, 2, 4 and 8; the king's home
// is the e-file. A right is lost when anything leaves either square or arrives there.
const ROOK_HOMES = [7, 0, 63, 56];
const KEPT_RIGHTS = new Uint8Array(64).fill(15);
ROOK_HOMES.forEach((rook, i) => {
  KEPT_RIGHTS[rook] &= ~(1 << i);
  KEPT_RIGHTS[rook & 56 | 4] &= ~(1 << i);
});

/** Toggles all that a move changes on the board: makes it, or takes it back. */
function toggleMove(move: Move, piece: number, placed: number, victim: number): void {
  const from = move >> 6 & 63, to = move & 63, flags = move >> 12;
  toggle(piece, from);
  // En passant, the victim stands beside the square it passed: to ^ 8 swaps ranks 3 and 4, 5 and 6.
  if (victim !== EMPTY) toggle(victim, flags === EN_PASSANT ? to ^ 8 : to);
  toggle(placed, to);
  if (flags === KING_CASTLE || flags === QUEEN_CASTLE) {
    const rook = ROOK << 1 | piece & 1;
    toggle(rook, flags === KING_CASTLE ? to + 1 : to - 2);
    toggle(rook, flags === KING_CASTLE ? to - 1 : to + 1);
  }
}

/** Leaves in TAKERS the pawns of the side to move that can legally capture en passant on a square. */
function findTakers(passed: Square): void {
  const us = state[TURN], them = us ^ 1;
  slots[TAKERS] = 0n;
  slots[STEPS] = PAWN_ATTACKS[them << 6 | passed] & slots[PAWN] & slots[us];
  for (let from; (from = pop(STEPS)) >= 0;) {
    // Two pawns leave a rank at once, which no rule about pins foresees. So look at the result.
    const move = EN_PASSANT << 12 | from << 6 | passed, pawn = PAWN << 1;
    toggleMove(move, pawn | us, pawn | us, pawn | them);
    survey();
    if (!attacked(findKing(us), them)) slots[TAKERS] |= BIT[from];
    toggleMove(move, pawn | us, pawn | us, pawn | them);
  }
}

function make(move: Move): void {
  const us = state[TURN], from = move >> 6 & 63, to = move & 63, flags = move >> 12;
  const height = state[HEIGHT], frame = height * FRAME, next = frame + FRAME;
  if (next === frames.length) growStack();
  stack[3 * height] = slots[HASH];

  const piece = mailbox[from];
  const placed = flags < PROMOTION ? piece : KNIGHT + (flags & 3) << 1 | us;
  const victim = flags === EN_PASSANT ? PAWN << 1 | us ^ 1 : mailbox[to];
  toggleMove(move, piece, placed, victim);
  state[TURN] = us ^ 1;
  state[HEIGHT] = height + 1;

  let passed = 0;
  if (flags === DOUBLE_PUSH) {
    findTakers(to ^ 8);
    if (slots[TAKERS] !== 0n) passed = to ^ 8;
  }
  const rights = frames[frame + RIGHTS], kept = rights & KEPT_RIGHTS[from] & KEPT_RIGHTS[to];
  slots[HASH] ^= ZOBRIST[RIGHTS_KEY + rights] ^ ZOBRIST[RIGHTS_KEY + kept] ^
    ZOBRIST[frames[frame + PASSED]] ^ ZOBRIST[passed] ^ ZOBRIST[TURN_KEY];
  frames[next + RIGHTS] = kept;
  frames[next + PASSED] = passed;
  frames[next + CLOCK] = victim !== EMPTY || piece >> 1 === PAWN ? 0 : frames[frame + CLOCK] + 1;
  frames[next + PLAYED] = victim << 16 | move;
}

function undo(): Move {
  const played = frames[state[HEIGHT] * FRAME + PLAYED], move = played & 0xffff;
  const us = state[TURN] ^= 1, height = state[HEIGHT] -= 1;
  const placed = mailbox[move & 63];
  toggleMove(move, move >> 12 < PROMOTION ? placed : PAWN << 1 | us, placed, played >> 16);
  slots[HASH] = stack[3 * height];
  return move;
}

function useStack(newStack: BigInt64Array<ArrayBuffer>): void {
  stack = newStack;
  frames = new Int32Array(stack.buffer);
}

function growStack(): void {
  const larger = new BigInt64Array(2 * stack.length);
  larger.set(stack);
  useStack(larger);
}

// ---------------------------------------------------------------------------------------------
// 7. Moves: where each man could go, and the filter that keeps the king safe
// ---------------------------------------------------------------------------------------------
// First stage: a man's *pseudo-legal* moves follow from how it moves. Second stage: a move is legal
// if it does not leave the own king attacked. Trying each one out would be slow. It is enough to
// know, once a position, who gives check and who is pinned:
//
// - In check, a man other than the king must capture the checker or step between. Against two
//   checkers only the king can help.
// - A pinned man, the only one between its king and an enemy slider, must stay on that line.
// - King steps, castling and en passant are looked at on the board as it would be.
//
// The same code lists moves and counts them: where listing walks a set of targets, counting adds
// the size of the set.

const MAX_DEPTH = 64; // of perft, which keeps one list for each ply here
// No man has more than 27 moves, so sixteen have fewer than 512.
const list = new Uint16Array(512 * MAX_DEPTH);

function add(flags: number, from: Square, to: Square): void {
  list[state[TOP]++] = flags << 12 | from << 6 | to;
}

/**
 * Adds the size of the set in a slot to the TALLY, one sum for each rank: bits are added up in pairs,
 * pairs in fours, fours in bytes. No byte overflows: sixteen men have eight squares each to go to.
 */
function tally(slot: number): void {
  const set = slots[slot];
  const pairs = i64(set - (set >> 1n & 0x5555555555555555n));
  const fours = i64((pairs & 0x3333333333333333n) + (pairs >> 2n & 0x3333333333333333n));
  slots[TALLY] += fours + (fours >> 4n) & 0x0f0f0f0f0f0f0f0fn;
}

/** The filter: adds those moves of a man to the squares in REACH that leave the king safe. */
function addReach(from: Square): void {
  slots[REACH] &= slots[ALLOWED];
  const pinned = i64(slots[PINNED] & BIT[from]);
  if (pinned !== 0n) slots[REACH] &= LINE[state[KING_SQUARE] << 6 | from];
  if (state[COUNTING] !== 0) return tally(REACH);
  for (let to; (to = pop(REACH)) >= 0;) add(mailbox[to] === EMPTY ? QUIET : CAPTURE, from, to);
}

/** Officers are all men but kings and pawns. */
function addOfficers(us: number): void {
  // A slider can move only if, on one of its lines, the square beside it is free of our men; those
  // that are walled in are left out. A shift that runs around the edge may keep one too many.
  const free = i64(slots[us] ^ -1n), beside = i64(free << 1n | free >> 1n);
  slots[MEN] = slots[us] & (slots[KNIGHT] |
    slots[STRAIGHT_MEN] & (beside | free << 8n | free >> 8n) |
    slots[DIAGONAL_MEN] & (beside << 8n | beside >> 8n));
  for (let from; (from = pop(MEN)) >= 0;) {
    const kind = mailbox[from] >> 1;
    if (kind === KNIGHT) slots[REACH] = KNIGHT_ATTACKS[from];
    else {
      slots[REACH] = 0n;
      if (kind !== ROOK) reachDiagonals(from);
      if (kind !== BISHOP) reachStraights(from);
    }
    addReach(from);
  }
}

function addKingSteps(us: number, them: number): void {
  const king = state[KING_SQUARE];
  slots[STEPS] = KING_ATTACKS[king] & (slots[us] ^ -1n);
  // The king does not hide the squares behind it from a slider, so it is lifted off the board.
  slots[OCCUPIED] ^= BIT[king];
  for (let to; (to = pop(STEPS)) >= 0;) {
    if (!attacked(to, them)) add(mailbox[to] === EMPTY ? QUIET : CAPTURE, king, to);
  }
  slots[OCCUPIED] ^= BIT[king];
}

/** With the right to: castles if the way is free and the king neither crosses nor meets an attack. */
function addCastling(right: number, them: number): void {
  const king = state[KING_SQUARE], rook = ROOK_HOMES[right], step = rook > king ? 1 : -1;
  if (i64(slots[OCCUPIED] & BETWEEN[king << 6 | rook]) !== 0n) return;
  if (attacked(king + step, them) || attacked(king + 2 * step, them)) return;
  add(rook > king ? KING_CASTLE : QUEEN_CASTLE, king, king + 2 * step);
}

/**
 * All pawns move at once: a step forward shifts their board by one rank. Black's boards are read
 * upside down, so that forward is always up, and rank 8 is always where pawns promote.
 *
 * A double push is a second push for those that have reached rank 3 (the first mask). The a-file is
 * left out of captures to the left and the h-file of those to the right (the other masks), or they
 * would run around the edge of the board. A pinned pawn may go on along its line: forward on the
 * king's file, or by capture on one of the king's diagonals.
 */
function addPawns(us: number, them: number): void {
  const upright = us === WHITE, flip = upright ? 0 : 56, king = state[KING_SQUARE] ^ flip;
  const pawns = i64(view.getBigInt64(PAWN * 8, upright) & view.getBigInt64(us * 8, upright));
  const free = i64(pawns & (view.getBigInt64(PINNED * 8, upright) ^ -1n));
  const empty = i64(view.getBigInt64(OCCUPIED * 8, upright) ^ -1n);
  const allowed = view.getBigInt64(ALLOWED * 8, upright);
  const enemies = i64(view.getBigInt64(them * 8, upright) & allowed);
  const pushed = i64((free | pawns & FILE[king]) << 8n & empty);
  slots[PUSHES] = pushed & allowed;
  slots[DOUBLE_PUSHES] = (pushed & 0x0000000000ff0000n) << 8n & empty & allowed;
  slots[LEFT_CAPTURES] = ((free | pawns & ANTIDIAGONAL[king]) & 0x00fefefefefefe00n) << 7n &
    enemies;
  slots[RIGHT_CAPTURES] = ((free | pawns & DIAGONAL[king]) & 0x007f7f7f7f7f7f00n) << 9n & enemies;
  // No two of these sets meet: pushes end on empty squares, left captures on enemies, and right
  // captures, shifted back, on our own pawns. So one count does for all, unless pawns promote.
  slots[REACH] = slots[PUSHES] | slots[DOUBLE_PUSHES] | slots[LEFT_CAPTURES] |
    slots[RIGHT_CAPTURES] >> 9n;
  const promoting = ranks[PUSHES * 8 + 7] | ranks[LEFT_CAPTURES * 8 + 7] |
    ranks[RIGHT_CAPTURES * 8 + 7];
  if (state[COUNTING] !== 0 && promoting === 0) return tally(REACH);
  addPawnMoves(PUSHES, QUIET, 8, flip);
  addPawnMoves(DOUBLE_PUSHES, DOUBLE_PUSH, 16, flip);
  addPawnMoves(LEFT_CAPTURES, CAPTURE, 7, flip);
  addPawnMoves(RIGHT_CAPTURES, CAPTURE, 9, flip);
}

function addPawnMoves(slot: number, flags: number, step: number, flip: number): void {
  for (let to; (to = pop(slot)) >= 0;) {
    const from = to - step ^ flip;
    if (to < 56) {
      add(flags, from, to ^ flip);
    } else {
      for (let kind = 3; kind >= 0; kind--) add(flags | PROMOTION | kind, from, to ^ flip);
    }
  }
}

function addEnPassant(): void {
  const passed = frames[state[HEIGHT] * FRAME + PASSED];
  if (passed === 0) return;
  findTakers(passed);
  for (let from; (from = pop(TAKERS)) >= 0;) add(EN_PASSANT, from, passed);
}

/** Lists all legal moves of the position on the desk; or, if `counting` is 1, counts them. */
function generate(counting: number): void {
  state[COUNTING] = counting;
  const us = state[TURN], them = us ^ 1;
  survey();
  const king = state[KING_SQUARE] = findKing(us);
  addKingSteps(us, them);
  slots[ALLOWED] = slots[us] ^ -1n;
  const check = attacked(king, them);
  if (check) {
    const checker = pop(ATTACKERS);
    if (pop(ATTACKERS) >= 0) return; // a second checker
    slots[ALLOWED] = BETWEEN[king << 6 | checker] | BIT[checker];
  }
  addOfficers(us);
  addPawns(us, them);
  if (!check) {
    const rights = frames[state[HEIGHT] * FRAME + RIGHTS] >> 2 * us;
    if ((rights & 1) !== 0) addCastling(2 * us, them);
    if ((rights & 2) !== 0) addCastling(2 * us + 1, them);
  }
  addEnPassant();
}

function countMoves(): number {
  const start = state[TOP];
  slots[TALLY] = 0n;
  generate(1);
  // Add up the sums of the eight ranks: two by two, then all into the top quarter by one product.
  const sums = slots[TALLY];
  slots[TALLY] = ((sums & 0x00ff00ff00ff00ffn) + (sums >> 8n & 0x00ff00ff00ff00ffn)) *
    0x0001000100010001n;
  const singles = state[TOP] - start;
  state[TOP] = start;
  return singles + quarters[TALLY * 4 + 3];
}

// ---------------------------------------------------------------------------------------------
// 8. Perft: count the leaves of the tree of moves
// ---------------------------------------------------------------------------------------------
// To play all lines of some length and count them is the test of every move generator: the counts
// are known, and a single wrong move below any position changes them. It needs all that stands
// above. The last moves need not be made to be counted, which spares most of the work.

function perft(depth: number): number {
  if (depth === 1) return countMoves();
  const start = state[TOP];
  generate(0);
  const end = state[TOP];
  let leaves = 0;
  for (let i = start; i < end; i++) {
    make(list[i]);
    leaves += perft(depth - 1);
    undo();
  }
  state[TOP] = start;
  return leaves;
}

function checkDepth(depth: number, least: number): void {
  const ok = depth >= least && depth <= MAX_DEPTH && depth % 1 === 0;
  demand(ok, RangeError, `a depth from ${least} to ${MAX_DEPTH}`, depth);
}

// ---------------------------------------------------------------------------------------------
// 9. The Board: a position with its history
// ---------------------------------------------------------------------------------------------
// What users hold. There may be many boards, but only one position lies on the desk: each method
// first lays its own there. While one board is in use, that is a single comparison. Out here,
// bitboards are unsigned, arguments are checked, and nothing is half done when one is refused.

/** The board whose position lies on the desk. */
let onDesk: Board | undefined;

/**
 * A chess position and the moves that led to it.
 *
 * @category Board
 *
 * @example Look around
 * ```ts
 * import { Board, toUci } from "@quintessence/chess";
 * import { assertEquals } from "@std/assert";
 *
 * const board = new Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
 * assertEquals(board.moves().map(toUci).sort(), ["e1d1", "e1d2", "e1f1", "e1f2", "e2e3", "e2e4"]);
 * assertEquals(board.play("e2e4").fen(), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
 * ```
 */
export class Board {
  readonly #kept = new BigInt64Array(KEPT_SLOTS);
  #stack = new BigInt64Array(3 * 16);
  readonly #firstPly: number; // half-moves from the start of the game to the FEN

  /** Lays this board's position on the desk; the one that lay there goes back to its board. */
  #lay(): void {
    if (onDesk === this) return;
    if (onDesk !== undefined) {
      onDesk.#kept.set(position);
      onDesk.#stack = stack;
    }
    position.set(this.#kept);
    useStack(this.#stack);
    onDesk = this;
  }

  /**
   * Sets up a position.
   *
   * @param fen The position in Forsyth-Edwards notation: four fields, or six with both counters.
   * @throws {SyntaxError} If the text is not a FEN.
   * @throws {RangeError} If it describes what cannot be a position.
   */
  constructor(fen: string = START) {
    const fields = fen.trim().split(/\s+/), count = fields.length;
    demand(count === 4 || count === 6, SyntaxError, "a FEN of four or six fields", fen);
    const [placement, turn, castling, passed, clock = "0", fullmove = "1"] = fields;
    const rows = placement.split("/");
    demand(rows.length === 8, SyntaxError, "eight ranks", placement);
    const men = rows.reverse().map((row) => {
      demand(/^[PNBRQKpnbrqk1-8]*$/.test(row), SyntaxError, "pieces and digits in a rank", row);
      const files = row.replaceAll(/\d/g, (digit) => ".".repeat(Number(digit)));
      demand(files.length === 8, SyntaxError, "eight files in a rank", row);
      return files;
    }).join("");
    demand(turn === "w" || turn === "b", SyntaxError, '"w" or "b" to move', turn);
    const isCastling = /^(-|(?=.)K?Q?k?q?)$/.test(castling);
    demand(isCastling, SyntaxError, 'castling rights such as "KQkq" or "-"', castling);
    const passedSquare = passed === "-" ? 0 : parseSquare(passed);
    for (const counter of [clock, fullmove]) {
      demand(/^\d+$/.test(counter), SyntaxError, "a whole number as counter", counter);
      demand(counter.length < 10, RangeError, "a counter of at most nine digits", counter);
    }

    for (const [king, others] of [["K", /[^A-Z]/g], ["k", /[^a-z]/g]] as const) {
      demand(men.split(king).length === 2, RangeError, `one "${king}"`, placement);
      const few = men.replaceAll(others, "").length <= 16;
      demand(few, RangeError, "at most sixteen men a side", placement);
    }
    demand(!/p/i.test(rows[0] + rows[7]), RangeError, "no pawn on rank 1 or 8", placement);
    let rights = 0;
    for (const [i, right] of [..."KQkq"].entries()) {
      if (!castling.includes(right)) continue;
      const rook = ROOK_HOMES[i], atHome = men[rook & 56 | 4] + men[rook] === (i < 2 ? "KR" : "kr");
      demand(atHome, RangeError, `king and rook at home for the right "${right}"`, placement);
      rights |= 1 << i;
    }
    const us = turn === "w" ? WHITE : BLACK, them = us ^ 1;
    if (passed !== "-") {
      const [rank, pawn, start] = us === WHITE ? [5, "p", 8] : [2, "P", -8];
      const isPassed = passedSquare >> 3 === rank && men[passedSquare ^ 8] === pawn &&
        men[passedSquare] + men[passedSquare + start] === "..";
      demand(isPassed, RangeError, "a square that a pawn has just passed", passed);
    }

    this.#lay();
    for (let square = 0; square < 64; square++) {
      if (men[square] !== ".") toggle(LETTERS.indexOf(men[square]), square);
    }
    survey();
    const safe = !attacked(findKing(them), us);
    demand(safe, RangeError, "the side that has just moved not to be in check", fen);
    state[TURN] = us;
    this.#firstPly = 2 * Math.max(Number(fullmove) - 1, 0) + us;
    frames[CLOCK] = Number(clock);
    frames[RIGHTS] = rights;
    if (passed !== "-") {
      findTakers(passedSquare);
      if (slots[TAKERS] !== 0n) frames[PASSED] = passedSquare;
    }
    slots[HASH] ^= ZOBRIST[RIGHTS_KEY + rights] ^ ZOBRIST[frames[PASSED]];
    if (us === BLACK) slots[HASH] ^= ZOBRIST[TURN_KEY];
  }

  /**
   * Writes the position as FEN.
   *
   * The en passant square is written only if a legal en passant capture exists, so that positions
   * with the same moves have the same FEN and the same hash. Programs that name the square after
   * every double push write another FEN for the same position.
   *
   * @returns The six fields.
   *
   * @example
   * ```ts
   * import { Board } from "@quintessence/chess";
   * import { assertEquals } from "@std/assert";
   *
   * const board = new Board().play("e2e4");
   * assertEquals(board.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
   * ```
   */
  fen(): string {
    this.#lay();
    const placement = drawSquares((square) => LETTERS[mailbox[square]]).join("/")
      .replaceAll(" ", "").replaceAll(/\.+/g, (dots) => String(dots.length));
    const frame = state[HEIGHT] * FRAME, rights = frames[frame + RIGHTS];
    const castling = [..."KQkq"].filter((_, i) => rights >> i & 1).join("") || "-";
    const passed = frames[frame + PASSED] === 0 ? "-" : squareName(frames[frame + PASSED]);
    const fullmove = Math.floor((this.#firstPly + state[HEIGHT]) / 2) + 1;
    return `${placement} ${this.turn} ${castling} ${passed} ${frames[frame + CLOCK]} ${fullmove}`;
  }

  /**
   * Draws the board as White sees it, with the rest of the position beside it.
   *
   * @returns Nine lines of text.
   */
  toString(): string {
    const [, turn, castling, passed, clock, fullmove] = this.fen().split(" ");
    const beside = [
      "",
      `to move: ${turn === "w" ? "white" : "black"}`,
      `castling: ${castling}`,
      `en passant: ${passed}`,
      `halfmove clock: ${clock}`,
      `move: ${fullmove}`,
      `hash: 0x${this.hash.toString(16).padStart(16, "0")}`,
      "",
    ];
    return drawSquares((square) => LETTERS[mailbox[square]])
      .map((row, i) => `${8 - i}  ${row}   ${beside[i]}`.trimEnd())
      .concat("   a b c d e f g h").join("\n");
  }

  /**
   * What `JSON.stringify` writes.
   *
   * @returns The FEN.
   */
  toJSON(): string {
    return this.fen();
  }

  /**
   * What `console.log` shows under Deno, Node and Bun.
   *
   * @returns The drawing.
   */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  /** The side to move. */
  get turn(): Color {
    this.#lay();
    return state[TURN] === WHITE ? "w" : "b";
  }

  /** All men on the board. */
  get occupied(): Bitboard {
    this.#lay();
    return unsigned(slots[WHITE] | slots[BLACK]);
  }

  /**
   * All men of a colour.
   *
   * @param color Whose men.
   * @returns The set of their squares.
   */
  occupiedBy(color: Color): Bitboard {
    this.#lay();
    return unsigned(slots[checkColor(color)]);
  }

  /** The 64-bit Zobrist key: equal positions have equal keys, in every run of the program. */
  get hash(): bigint {
    this.#lay();
    return unsigned(slots[HASH]);
  }

  /**
   * Looks at a square.
   *
   * @param square The square.
   * @returns The piece that stands there, or `undefined`.
   */
  at(square: Square): Piece | undefined {
    this.#lay();
    const piece = mailbox[checkSquare(square)];
    return piece === EMPTY ? undefined : LETTERS[piece] as Piece;
  }

  /**
   * Finds all pieces of a kind and colour.
   *
   * @param piece The piece as FEN writes it.
   * @returns The set of their squares.
   */
  pieces(piece: Piece): Bitboard {
    this.#lay();
    const index = LETTERS.indexOf(piece, 4);
    demand(index >= 4 && piece.length === 1, RangeError, 'a piece such as "P" or "k"', piece);
    return unsigned(slots[index >> 1] & slots[index & 1]);
  }

  /**
   * Lists the legal moves.
   *
   * @param from Only those that leave this square.
   * @returns A fresh array.
   */
  moves(from?: Square): Move[] {
    if (from !== undefined) checkSquare(from);
    this.#lay();
    state[TOP] = 0;
    generate(0);
    const moves: Move[] = [];
    for (let i = 0; i < state[TOP]; i++) {
      if (from === undefined || moveFrom(list[i]) === from) moves.push(list[i]);
    }
    return moves;
  }

  /**
   * Counts the legal moves, faster than listing them.
   *
   * @returns The length that `moves()` would have.
   */
  count(): number {
    this.#lay();
    return countMoves();
  }

  /**
   * Plays a move without checking it.
   *
   * @param move One of `moves()`; any other leaves the board in disorder.
   */
  make(move: Move): void {
    this.#lay();
    make(move);
  }

  /**
   * Takes the last move back.
   *
   * @returns The move.
   * @throws {RangeError} If no move has been made on this board.
   */
  undo(): Move {
    this.#lay();
    demand(state[HEIGHT] > 0, RangeError, "a move to undo", "an empty history");
    return undo();
  }

  /**
   * Finds the legal move that a UCI text names.
   *
   * @param uci The move, such as `"e2e4"`, `"e7e8q"` or, for castling, `"e1g1"`.
   * @returns The move.
   * @throws {SyntaxError} If the text is not a move.
   * @throws {RangeError} If the move is not legal.
   */
  parseUci(uci: string): Move {
    const isMove = /^([a-h][1-8]){2}[nbrq]?$/.test(uci);
    demand(isMove, SyntaxError, 'a move such as "e2e4" or "e7e8q"', uci);
    const move = this.moves().find((move) => toUci(move) === uci);
    demand(move !== undefined, RangeError, "a move that is legal here", uci);
    return move;
  }

  /**
   * Plays a move given as UCI text, see {@linkcode Board.parseUci}.
   *
   * @param uci The move.
   * @returns The board.
   */
  play(uci: string): this {
    make(this.parseUci(uci));
    return this;
  }

  /**
   * Whether the side to move is in check.
   *
   * @returns `true` if its king is attacked.
   */
  isCheck(): boolean {
    this.#lay();
    survey();
    return attacked(findKing(state[TURN]), state[TURN] ^ 1);
  }

  /**
   * Finds who attacks a square, pinned men included.
   *
   * @param square The square, empty or not.
   * @param color Whose men to look for.
   * @returns The set of attackers.
   */
  attackers(square: Square, color: Color): Bitboard {
    this.#lay();
    survey();
    attacked(checkSquare(square), checkColor(color));
    return unsigned(slots[ATTACKERS]);
  }

  /**
   * Says whether and how the game has ended. The fifty-move rule and a repetition count as soon as
   * a player could claim the draw.
   *
   * @returns The outcome, or `undefined` while the game goes on.
   */
  outcome(): Outcome | undefined {
    if (this.count() === 0) return this.isCheck() ? "checkmate" : "stalemate";
    if (this.#isInsufficient()) return "insufficient material";
    const height = state[HEIGHT], clock = frames[height * FRAME + CLOCK];
    if (clock >= 100) return "fifty-move rule";
    // Equal positions have the same side to move, and no capture or pawn move between them.
    let occurrences = 1;
    for (let past = height - 2; past >= Math.max(0, height - clock); past -= 2) {
      if (stack[3 * past] === slots[HASH]) occurrences++;
    }
    return occurrences >= 3 ? "threefold repetition" : undefined;
  }

  /** Bare kings, one minor piece, or nothing but bishops on squares of one colour: no mate exists. */
  #isInsufficient(): boolean {
    if ((slots[PAWN] | slots[ROOK] | slots[QUEEN]) !== 0n) return false;
    const minors = squares(unsigned(slots[KNIGHT] | slots[BISHOP]));
    if (minors.length <= 1) return true;
    const shades = new Set(minors.map((square) => (square >> 3) + square & 1));
    return slots[KNIGHT] === 0n && shades.size === 1;
  }

  /**
   * Counts the leaves of the tree of legal moves.
   *
   * @param depth How many half-moves deep, 0 to 64.
   * @returns The number of ways to play that many half-moves; 1 for depth 0.
   */
  perft(depth: number): number {
    checkDepth(depth, 0);
    this.#lay();
    return depth === 0 ? 1 : perft(depth);
  }

  /**
   * Counts the leaves below each legal move.
   *
   * @param depth How many half-moves deep, 1 to 64; the first is the move itself.
   * @returns A map from each move's UCI text to its count.
   *
   * @example
   * ```ts
   * import { Board } from "@quintessence/chess";
   * import { assertEquals } from "@std/assert";
   *
   * const counts = new Board().divide(3);
   * assertEquals(counts.get("e2e4"), 600);
   * assertEquals([...counts.values()].reduce((sum, count) => sum + count), 8902);
   * ```
   */
  divide(depth: number): Map<string, number> {
    checkDepth(depth, 1);
    return new Map(
      this.moves().map((move) => {
        make(move);
        const count = this.perft(depth - 1);
        undo();
        return [toUci(move), count];
      }),
    );
  }
}
