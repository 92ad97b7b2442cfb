/**
 * Quintessence generates the legal moves of chess from sets of squares.
 *
 * A set of squares, a *bitboard*, is one 64-bit number: bit 0 is a1, bit 63 is h8. What a piece can
 * do is then arithmetic on whole sets. Read this file from top to bottom; each chapter opens with
 * its idea.
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

// 1. Vocabulary: squares, pieces and moves are small numbers --------------------------------------
// Names that recur: `us` and `them` are the side to move and its opponent; `from` and `to` the
// squares of a move; `king` the square of our king; `kind` one of the six kinds of pieces; `piece` a
// kind with its color; `slot` a place in the array where bitboards live (chapter 2).

/** A square, from 0 (a1) through 1 (b1) to 63 (h8). */
export type Square = number;

/** A set of squares: bit `n` stands for square `n`. Unsigned; signed inside this file (chapter 2). */
export type Bitboard = bigint;

/**
 * A move in 16 bits: flags, from, to (4 + 6 + 6). The flags are those of the chess programming
 * wiki: 0 quiet, 1 double push, 2 and 3 castling, 4 capture, 5 en passant, 8 to 11 promotion to
 * knight, bishop, rook and queen, 12 to 15 the same with capture.
 */
export type Move = number;

/** White or black. */
export type Color = "w" | "b";

/** A piece as FEN writes it: capitals are white. */
export type Piece = "P" | "N" | "B" | "R" | "Q" | "K" | "p" | "n" | "b" | "r" | "q" | "k";

/** How a game can be drawn other than by stalemate, see {@linkcode Board.outcome}. */
export type Draw = "insufficient material" | "fifty-move rule" | "threefold repetition";

/** How a game can end, see {@linkcode Board.outcome}. */
export type Outcome = "checkmate" | "stalemate" | Draw;

/** The FEN of the position in which every game starts. */
export const START: string = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

// Inside this file, a color and a kind are the numbers of the slots that hold their sets. A piece is
// kind * 2 + color: `piece >> 1` is its kind, `piece & 1` its color, and 0 is left for "empty".
const WHITE = 0, BLACK = 1;
const PAWN = 2, KNIGHT = 3, BISHOP = 4, ROOK = 5, QUEEN = 6, KING = 7;
const EMPTY = 0;
const LETTERS = "....PpNnBbRrQqKk"; // the pieces by their numbers

const QUIET = 0, DOUBLE_PUSH = 1, KING_CASTLE = 2, QUEEN_CASTLE = 3;
const CAPTURE = 4, EN_PASSANT = 5, PROMOTION = 8;

// 2. Bitboards: sets of squares in the slots of one array -----------------------------------------
// A bitboard is a set, and sets have an algebra: a & b is what both hold, a | b what either holds,
// a ^ b what exactly one of them holds, x ^ -1n everything but x (V8 has no fast ~x). A shift by << 8n
// moves a set one rank up. (JavaScript shifts before it takes &, takes & before ^, and ^ before |.)
//
// BigInts are slow as long as every result is a new object, and as fast as machine words where V8
// can prove that they fit one. It can if sets are signed, rest in the slots of a BigInt64Array and
// never travel: functions pass squares and slot numbers, and leave the sets they compute in slots.
// Nor may two sets meet in one variable, as in `c ? a : b` or in a `let` that a loop reassigns:
// where two paths join, V8 gives up its proof and makes an object.
//
// V8 knows the address of an array that is a constant. So there is one array for all, `slots`, the
// *desk*, and on it lies the one position being worked on. A Board not in use keeps a copy (chapter
// 10). Since functions work through slots, the comments of chapters 4 to 7 say what each reads, leaves
// for others, and spoils on the way.

// The position. Slots 0 to 7 are the sets of the two colors and six kinds (chapter 1), and then:
const OCCUPIED = 8; // all pieces of both colors
const HASH = 9; // one number that stands for the whole position (chapter 5)
const MAILBOX = 10; // eight slots, seen as 64 bytes: the piece on each square
const STATE = 18; // one slot, seen as one number: turn, castling rights, en passant (chapter 5)
const KEPT_SLOTS = 19; // The position ends here; all other slots are scratch space.

const slots = new BigInt64Array(38);
const position = slots.subarray(0, KEPT_SLOTS);
// Views of the same memory: a slot as 2 halves, 4 quarters or 8 bytes, and read in either direction.
const halves = new Int32Array(slots.buffer);
const quarters = new Uint16Array(slots.buffer);
const bytes = new Uint8Array(slots.buffer);
const view = new DataView(slots.buffer);
const mailbox = new Uint8Array(slots.buffer, MAILBOX * 8, 64);
const state = new Int32Array(slots.buffer, STATE * 8, 1);

// A result that is not stored in a slot is cut to 64 bits right away, even just to compare it. i64 is
// the built-in function itself with one argument bound; V8 would pass a wrapper of ours an object.
const i64 = BigInt.asIntN.bind(null, 64);
const unsigned = BigInt.asUintN.bind(null, 64); // for sets that leave the module

const BIT = BigInt64Array.from({ length: 64 }, (_, square) => 1n << BigInt(square));

/**
 * The set in a slot, upright or upside down (rank 1 becomes rank 8, the files stay). A rank is a byte,
 * so reading the eight bytes in reverse, as a big-endian number, is the whole flip. (Typed arrays keep
 * the lowest byte first on every common machine.) V8 inlines this, so it may return a set.
 */
function read(slot: number, upright: boolean): bigint {
  return view.getBigInt64(slot * 8, upright);
}

/** Whether the set in a slot is empty. */
function isEmpty(slot: number): boolean {
  return (halves[2 * slot] | halves[2 * slot + 1]) === 0;
}

/**
 * Removes the lowest square from the set in a slot and returns it, or -1 if the set is empty.
 * `x & -x` is the lowest bit of x, and `x & (x - 1)` is x without it.
 */
function pop(slot: number): number {
  const at = 2 * slot, low = halves[at];
  if (low !== 0) {
    halves[at] = low & (low - 1);
    return 31 - Math.clz32(low & -low);
  }
  const high = halves[at + 1];
  if (high === 0) return -1;
  halves[at + 1] = high & (high - 1);
  return 63 - Math.clz32(high & -high);
}

const SIZES = new Uint8Array(65536); // how many bits are set in each number of 16 bits
for (let n = 1; n < 65536; n *= 2) SIZES.set(SIZES.subarray(0, n).map((size) => size + 1), n);

/** How many squares the set in a slot holds. */
function size(slot: number): number {
  const at = 4 * slot;
  return SIZES[quarters[at]] + SIZES[quarters[at + 1]] +
    SIZES[quarters[at + 2]] + SIZES[quarters[at + 3]];
}

// 3. Geometry: one walk, and the tables that follow from it ---------------------------------------
// How a piece moves is a list of steps and one rule: go on until the edge or the first piece.

type Step = readonly [files: number, ranks: number];
const N: Step = [0, 1], E: Step = [1, 0], S: Step = [0, -1], W: Step = [-1, 0];
const NE: Step = [1, 1], SE: Step = [1, -1], SW: Step = [-1, -1], NW: Step = [-1, 1];
const AXES = [[N, S], [E, W], [NE, SW], [NW, SE]]; // file, rank, diagonal, antidiagonal
const JUMPS: Step[] = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];

/**
 * What is seen from a square: each way up to the edge, or up to and including the first piece. (This
 * runs only while the module loads, so it need not care how V8 treats its BigInts.)
 */
function walk(square: Square, steps: Step[], occupied: Bitboard): Bitboard {
  let seen = 0n;
  for (const [files, ranks] of steps) {
    let file = (square & 7) + files, rank = (square >> 3) + ranks;
    while (file >= 0 && file < 8 && rank >= 0 && rank < 8) {
      const bit = BIT[8 * rank + file];
      seen |= bit;
      if ((occupied & bit) !== 0n) break;
      file += files;
      rank += ranks;
    }
  }
  return seen;
}

function tabulate(steps: Step[], occupied: Bitboard): BigInt64Array {
  return BIT.map((_, square) => walk(square, steps, occupied));
}

// A leaper is a slider on a full board: its first step is its last.
const FULL = -1n, NOBODY = 0n;
const KNIGHT_ATTACKS = tabulate(JUMPS, FULL);
const KING_ATTACKS = tabulate(AXES.flat(), FULL);
const PAWN_ATTACKS = new BigInt64Array(128); // by color << 6 | square
PAWN_ATTACKS.set(tabulate([NW, NE], FULL));
PAWN_ATTACKS.set(tabulate([SW, SE], FULL), BLACK << 6);

// The lines through a square, without the square itself.
const [FILE, RANK, DIAGONAL, ANTIDIAGONAL] = AXES.map((steps) => tabulate(steps, NOBODY));
const STRAIGHTS = FILE.map((file, square) => file | RANK[square]);
const DIAGONALS = DIAGONAL.map((diagonal, square) => diagonal | ANTIDIAGONAL[square]);

const REACH = 19; // where the piece in question can go

// By from << 6 | to, for two squares on one line: the squares between them, and the ray from the first
// through the second to the edge. For any other two, both are empty.
const BETWEEN = new BigInt64Array(4096);
const RAY = new BigInt64Array(4096);
for (let from = 0; from < 64; from++) {
  for (const step of AXES.flat()) {
    const ray = walk(from, [step], NOBODY);
    slots[REACH] = ray;
    for (let to; (to = pop(REACH)) >= 0;) {
      RAY[(from << 6) | to] = ray;
      BETWEEN[(from << 6) | to] = walk(from, [step], BIT[to]) ^ BIT[to];
    }
  }
}

// 4. Sliders: Hyperbola Quintessence --------------------------------------------------------------
// How far does a slider see along a line? Subtraction knows, without walking. Take the blockers, the
// pieces on the line, and subtract the slider's own bit. It is not among them, so the subtraction
// must borrow: it clears the nearest blocker above and sets all empty squares on the way. What has
// changed on the line, apart from the slider's own square, is what it sees upward. With no blocker
// above, the borrow runs off the top of the number, and is cut away when the result is cut to 64 bits:
// everything up to the edge has changed, which again is right.
//
// Downward the same holds in the mirror. `up ^ down` is then what only one of them has changed: all
// that lies beyond the blockers is the same in both and cancels, as does the slider's own square. The
// borrow has also run through squares beside the line, which `& line` drops. The eight squares of a
// file, the lowest to the left, with a rook on the fourth and blockers on the second and seventh:
//
//     line      X X X . X X X X
//     blockers  . X . . . . X .
//     up        . X . X X X . .     blockers - rook
//     down      . . X X . . X .     the same in the mirror
//     attacks   . X X . X X X .     (up ^ down) & line
//
// A mirror is whatever reverses the order of the squares on the line. Reading the slot upside down
// does that for files and for diagonals of both directions alike, because each of their squares lies
// on a rank of its own. A rank lies within one byte, whose bits keep their order. But a byte is small
// enough for a table, and its outer bits never matter: a slider sees the edge whether or not a piece
// stands there. Six bits are left, and 64 entries per square answer for the rank.

const ON_LINE = 20, MIRRORED = 21; // scratch

// By square << 6 | the six inner bits of its rank.
const RANK_ATTACKS = new BigInt64Array(4096).map((_, i) =>
  walk(i >> 6, [E, W], BigInt(i & 63) << BigInt(((i >> 6) & 56) + 1))
);

/** Adds to REACH what is seen along a line. Reads OCCUPIED; spoils ON_LINE, MIRRORED. */
function slide(lines: BigInt64Array, square: Square): void {
  const line = lines[square];
  slots[ON_LINE] = slots[OCCUPIED] & line;
  const up = i64(slots[ON_LINE] - BIT[square]);
  slots[MIRRORED] = read(ON_LINE, false) - BIT[square ^ 56];
  const down = read(MIRRORED, false);
  slots[REACH] |= (up ^ down) & line;
}

/** Adds to REACH what a bishop sees. Reads OCCUPIED; spoils ON_LINE, MIRRORED. */
function slideDiagonally(square: Square): void {
  slide(DIAGONAL, square);
  slide(ANTIDIAGONAL, square);
}

/** Adds to REACH what a rook sees. Reads OCCUPIED; spoils ON_LINE, MIRRORED. */
function slideStraight(square: Square): void {
  slide(FILE, square);
  const inner = (bytes[OCCUPIED * 8 + (square >> 3)] >> 1) & 63;
  slots[REACH] |= RANK_ATTACKS[(square << 6) | inner];
}

// 5. The position: the same facts three times -----------------------------------------------------
// White's knights are the intersection of the set of knights and the set of White. What stands on a
// given square, the mailbox says at once. And a single number, the hash, tells whether two positions
// are equal. `toggle` is the only function that moves pieces: it puts one on a square, or takes it off
// if it is there, and keeps all three consistent.
//
// Besides its pieces a position has a *state*, which is one number: who is to move, which castling
// rights are left, and the square on which a pawn can capture en passant, if there is one:
//
//     turn << 10 | rights << 6 | en passant square, or 0 (a1, which no pawn can pass)
//
// The hash (Zobrist's) is the exclusive or of one random number, a key, for each piece on its square
// and one for the state. So it can be toggled as well.

const FIRST_STATE = 1024;
const KEYS = new BigInt64Array(3072); // by piece << 6 | square, and by FIRST_STATE + state
const keyHalves = new Int32Array(KEYS.buffer);
for (let i = 0; i < keyHalves.length; i++) { // mixes i: each of its bits affects all bits
  const first = Math.imul(i + 1, 0x9e3779b9),
    second = Math.imul(first ^ (first >>> 16), 0x21f0aaad);
  const third = Math.imul(second ^ (second >>> 15), 0x735a2d97);
  keyHalves[i] = third ^ (third >>> 15);
}

/** Puts a piece on a square, or takes it off. Keeps the position consistent, whatever the order. */
function toggle(piece: number, square: Square): void {
  slots[piece >> 1] ^= BIT[square];
  slots[piece & 1] ^= BIT[square];
  slots[OCCUPIED] ^= BIT[square];
  slots[HASH] ^= KEYS[(piece << 6) | square];
  mailbox[square] ^= piece;
}

/** Replaces the state. Keeps the position consistent. */
function setState(next: number): void {
  slots[HASH] ^= KEYS[FIRST_STATE + state[0]] ^ KEYS[FIRST_STATE + next];
  state[0] = next;
}

const ATTACKERS = 22, BLOCKERS = 23; // what findAttackers() leaves
const KINGS = 24, SLIDERS = 25; // scratch

/** The square of a color's king. Reads the position; spoils KINGS. */
function findKing(color: number): Square {
  slots[KINGS] = slots[KING] & slots[color];
  return pop(KINGS);
}

/**
 * Looks out from a square for pieces of a color. Reads the position; leaves in ATTACKERS the pawns,
 * knights and kings that attack it, in SLIDERS the sliders that would if nothing stood between.
 *
 * Attacks are mutual: a knight attacks the square exactly when a knight on the square would attack it,
 * and so on; only a pawn, which has a direction, is found by a pawn of the other color.
 */
function lookOut(square: Square, by: number): void {
  slots[ATTACKERS] = (PAWN_ATTACKS[((by ^ 1) << 6) | square] & slots[PAWN] |
    KNIGHT_ATTACKS[square] & slots[KNIGHT] | KING_ATTACKS[square] & slots[KING]) & slots[by];
  slots[SLIDERS] = (DIAGONALS[square] & (slots[BISHOP] | slots[QUEEN]) |
    STRAIGHTS[square] & (slots[ROOK] | slots[QUEEN])) & slots[by];
}

/** Whether a color attacks a square. Reads the position; spoils ATTACKERS, SLIDERS. */
function isAttacked(square: Square, by: number): boolean {
  lookOut(square, by);
  if (!isEmpty(ATTACKERS)) return true;
  for (let slider; (slider = pop(SLIDERS)) >= 0;) {
    if (i64(BETWEEN[(square << 6) | slider] & slots[OCCUPIED]) === 0n) return true;
  }
  return false;
}

/**
 * Finds the pieces of a color that attack a square. Reads the position; leaves them in ATTACKERS, and
 * in BLOCKERS each piece of either color that stands alone between it and a slider; spoils SLIDERS.
 */
function findAttackers(square: Square, by: number): void {
  lookOut(square, by);
  slots[BLOCKERS] = 0n;
  for (let slider; (slider = pop(SLIDERS)) >= 0;) {
    const between = i64(BETWEEN[(square << 6) | slider] & slots[OCCUPIED]);
    if (between === 0n) slots[ATTACKERS] |= BIT[slider];
    else if (i64(between & (between - 1n)) === 0n) slots[BLOCKERS] |= between;
  }
}

// 6. Make and undo: toggles, and one number to remember -------------------------------------------
// A move is two to four toggles; the same toggles take it back, and the hash with them. What they
// cannot know is which piece was captured, and the state before the move. That fits one number, the
// *memory*, which make() returns and undo() asks for: victim << 11 | state.
//
// The en passant square is recorded only if a pawn can legally capture there. So positions with the
// same pieces and the same moves are equal, as the rule about repetition requires.

// The rights are K, Q, k and q, with the bits 1, 2, 4 and 8. A right is lost when anything leaves or
// enters the home of its king or rook. So each square has a mask for the state after a move from or
// to it. It keeps the turn and the rights that do not depend on the square, never en passant.
const HOMES = [[4, 7], [4, 0], [60, 63], [60, 56]]; // of king and rook, by right
const KEPT_STATE = new Uint16Array(64).fill(31 << 6);
HOMES.forEach((homes, right) => homes.forEach((home) => KEPT_STATE[home] &= ~(64 << right)));

/** Toggles the pieces that a move touches: makes it, or takes it back. */
function toggleMove(move: Move, piece: number, placed: number, victim: number): void {
  const from = (move >> 6) & 63, to = move & 63, flags = move >> 12;
  toggle(piece, from);
  // In en passant, the victim stands beside the taker: to ^ 8 swaps ranks 3 and 4, and 5 and 6.
  if (victim !== EMPTY) toggle(victim, flags === EN_PASSANT ? to ^ 8 : to);
  toggle(placed, to);
  if (flags === KING_CASTLE || flags === QUEEN_CASTLE) {
    const rook = (ROOK << 1) | (piece & 1);
    toggle(rook, flags === KING_CASTLE ? to + 1 : to - 2);
    toggle(rook, flags === KING_CASTLE ? to - 1 : to + 1);
  }
}

const TAKERS = 26; // what findTakers() leaves
const CANDIDATES = 27; // scratch

/**
 * Finds the pawns of a color that can legally capture en passant on a square. Reads the position;
 * leaves them in TAKERS; spoils CANDIDATES, KINGS and what isAttacked() spoils.
 *
 * Two pieces leave a rank at once, which no rule about pins (chapter 7) foresees. So for a moment the
 * board is changed as the capture would change it: three squares of OCCUPIED, and one enemy fewer.
 */
function findTakers(passed: Square, color: number): void {
  const enemy = color ^ 1, victim = BIT[passed ^ 8];
  slots[TAKERS] = 0n;
  slots[CANDIDATES] = PAWN_ATTACKS[(enemy << 6) | passed] & slots[PAWN] & slots[color];
  for (let from; (from = pop(CANDIDATES)) >= 0;) {
    const changed = i64(BIT[from] | BIT[passed] | victim);
    slots[OCCUPIED] ^= changed;
    slots[enemy] ^= victim;
    if (!isAttacked(findKing(color), enemy)) slots[TAKERS] |= BIT[from];
    slots[OCCUPIED] ^= changed;
    slots[enemy] ^= victim;
  }
}

/** Makes a move, returns the memory of it. Spoils TAKERS and what findTakers() spoils. */
function make(move: Move): number {
  const from = (move >> 6) & 63, to = move & 63, flags = move >> 12;
  const before = state[0], us = before >> 10, them = us ^ 1, piece = mailbox[from];
  const placed = flags < PROMOTION ? piece : ((KNIGHT + (flags & 3)) << 1) | us;
  const victim = flags === EN_PASSANT ? (PAWN << 1) | them : mailbox[to];
  toggleMove(move, piece, placed, victim);
  if (flags === DOUBLE_PUSH) findTakers(to ^ 8, them);
  const passed = flags === DOUBLE_PUSH && !isEmpty(TAKERS) ? to ^ 8 : 0;
  const kept = before & KEPT_STATE[from] & KEPT_STATE[to];
  setState((kept ^ (1 << 10)) | passed);
  return (victim << 11) | before;
}

/** Takes back the last move, given the memory of it. */
function undo(move: Move, memory: number): void {
  const before = memory & 2047, us = before >> 10, placed = mailbox[move & 63];
  const piece = move >> 12 < PROMOTION ? placed : (PAWN << 1) | us;
  toggleMove(move, piece, placed, memory >> 11);
  setState(before);
}

// 7. Moves: where each piece can go, and the filter that keeps the king safe ----------------------
// First stage: a piece's *pseudo-legal* moves follow from how it moves. Second stage: a move is
// legal if it does not leave the mover's king attacked. Trying each one out would be slow. It is enough
// to find, once per position, who gives check and who is pinned:
//
// - In check, a piece other than the king must capture the checker or step in between. Against two
//   checkers at once only a king move helps.
// - A pinned piece, the only one between its king and an enemy slider, must stay on that line.
// - Any other piece may go where it can: it leaves no line to its king open.
// - King steps and en passant are looked at on the board as it would be.
//
//     a pin by the         where the rook       a check by           what the others may
//     rook on e8           on e3 may go         the bishop           do about it
//
//     . . . . r . . k      . . . . X . . .      k . . . . . . .      . . . . . . . .
//     . . . . . . . .      . . . . X . . .      . . . . . . . .      . . . . . . . .
//     . . . . . . . .      . . . . X . . .      . . . . . . . .      . . . . . . . .
//     . . . . . . . .      . . . . X . . .      . . . . . . . .      . . . . . . . .
//     . . . . . . . .      . . . . X . . .      . b . . . . . R      . X . . . . . .
//     . . . . R . . .      . . . . . . . .      . . . . . . . .      . . X . . . . .
//     . . . . . . . .      . . . . X . . .      . . . . . . . .      . . . X . . . .
//     . . . . K . . .      . . . . . . . .      . N . . K . . .      . . . . . . . .

const MOVERS = 28; // our pieces, or only the one whose moves are wanted
const ALLOWED = 29, PINNED = 30; // the filter: set up by generate(), then only read
const SAFE_STEPS = 31; // what addKingSteps() leaves
const PIECES = 32, STEPS = 33; // scratch

const MAX_DEPTH = 64; // of perft, where each depth has a part of the list to itself
const PART = 512; // No piece has more than 27 moves, so sixteen have fewer than 512.
const list = new Uint16Array(PART * (MAX_DEPTH + 1));
const top = new Int32Array(1); // where in the list the next move goes; a `let` would be slower

function add(flags: number, from: Square, to: Square): void {
  list[top[0]++] = (flags << 12) | (from << 6) | to;
}

/** Adds the moves of a piece to the squares in REACH. Reads the position; empties REACH. */
function addReach(from: Square): void {
  for (let to; (to = pop(REACH)) >= 0;) add(mailbox[to] === EMPTY ? QUIET : CAPTURE, from, to);
}

/**
 * Adds the moves of knights, bishops, rooks and queens; only their number, if `counting`. Reads
 * MOVERS, ALLOWED, PINNED, the position; spoils PIECES, REACH, ON_LINE, MIRRORED.
 */
function addPieces(us: number, king: Square, counting: boolean): void {
  // A slider can move only if, along one of its lines, the next square is free of our pieces. Those
  // that are walled in are left out. Where a shift runs around an edge, a few too many are kept.
  const open = i64(slots[us] ^ -1n), beside = i64(open << 1n | open >> 1n);
  slots[PIECES] = slots[MOVERS] & (slots[KNIGHT] |
    (slots[ROOK] | slots[QUEEN]) & (beside | open << 8n | open >> 8n) |
    (slots[BISHOP] | slots[QUEEN]) & (beside << 8n | beside >> 8n));
  for (let from; (from = pop(PIECES)) >= 0;) {
    const kind = mailbox[from] >> 1;
    if (kind === KNIGHT) slots[REACH] = KNIGHT_ATTACKS[from];
    else {
      slots[REACH] = 0n;
      if (kind !== ROOK) slideDiagonally(from);
      if (kind !== BISHOP) slideStraight(from);
    }
    slots[REACH] &= slots[ALLOWED]; // the filter: this line and the next
    if (i64(slots[PINNED] & BIT[from]) !== 0n) slots[REACH] &= RAY[(king << 6) | from];
    if (counting) top[0] += size(REACH);
    else addReach(from);
  }
}

const RANK_3 = 0x0000000000ff0000n;
const NOT_FILE_A = i64(0xfefefefefefefefen), NOT_FILE_H = 0x7f7f7f7f7f7f7f7fn;
const PUSHES = 34, DOUBLE_PUSHES = 35, LEFT_CAPTURES = 36, RIGHT_CAPTURES = 37; // scratch

/**
 * Adds the moves of pawns, except en passant; only their number, if `counting`. Reads MOVERS, ALLOWED,
 * PINNED, the position; spoils REACH and the four slots above.
 *
 * All pawns move at once: a step forward shifts their set by one rank. Black's sets are read upside
 * down, so that forward is always up, and rank 8 is always where pawns promote. A double push is a
 * second push for those that have reached rank 3. A capture off the left edge reappears on the h-file,
 * one off the right edge on the a-file; both are masked out:
 *
 *     pawns               << 8                << 7 & NOT_FILE_H   << 9 & NOT_FILE_A
 *     . . . . . . . .     X . . X . . . X     . . X . . . X .     . X . . X . . .
 *     X . . X . . . X     . . . . . . . .     . . . . . . . .     . . . . . . . .
 *
 * A pinned pawn may only go on along its line: forward on the king's file, or by a capture along one
 * of the king's diagonals. An unpinned pawn may go any way.
 */
function addPawns(us: number, king: Square, counting: boolean): void {
  const upright = us === WHITE, flip = upright ? 0 : 56, seen = king ^ flip;
  const pawns = i64(read(PAWN, upright) & read(MOVERS, upright));
  const unpinned = i64(pawns & (read(PINNED, upright) ^ -1n));
  const empty = i64(read(OCCUPIED, upright) ^ -1n), allowed = read(ALLOWED, upright);
  const enemies = i64(read(us ^ 1, upright) & allowed);
  const pushed = i64((unpinned | pawns & FILE[seen]) << 8n & empty);
  slots[PUSHES] = pushed & allowed;
  slots[DOUBLE_PUSHES] = (pushed & RANK_3) << 8n & empty & allowed;
  slots[LEFT_CAPTURES] = (unpinned | pawns & ANTIDIAGONAL[seen]) << 7n & NOT_FILE_H & enemies;
  slots[RIGHT_CAPTURES] = (unpinned | pawns & DIAGONAL[seen]) << 9n & NOT_FILE_A & enemies;
  if (counting) {
    // No two of these sets overlap, so one count does for all. Pushes end on empty squares: a double one
    // where the square below is empty, a single one where a pawn stands there. Right captures end on
    // enemies, and left captures, shifted back, on our own pawns. A promotion is four moves.
    slots[REACH] = slots[PUSHES] | slots[DOUBLE_PUSHES] | slots[RIGHT_CAPTURES] |
      slots[LEFT_CAPTURES] >> 7n; // None is on h8, the sign that >> would copy.
    const promotions = SIZES[bytes[PUSHES * 8 + 7]] + SIZES[bytes[LEFT_CAPTURES * 8 + 7]] +
      SIZES[bytes[RIGHT_CAPTURES * 8 + 7]];
    top[0] += size(REACH) + 3 * promotions;
    return;
  }
  addPawnMoves(PUSHES, QUIET, 8, flip);
  addPawnMoves(DOUBLE_PUSHES, DOUBLE_PUSH, 16, flip);
  addPawnMoves(LEFT_CAPTURES, CAPTURE, 7, flip);
  addPawnMoves(RIGHT_CAPTURES, CAPTURE, 9, flip);
}

/** Adds pawn moves: a shift by `step` led to the squares in a slot, all `flip`ped. Empties the slot. */
function addPawnMoves(slot: number, flags: number, step: number, flip: number): void {
  for (let to; (to = pop(slot)) >= 0;) {
    const from = (to - step) ^ flip;
    if (to < 56) add(flags, from, to ^ flip);
    else for (let i = 3; i >= 0; i--) add(flags | PROMOTION | i, from, to ^ flip); // queen to knight
  }
}

/** Adds captures en passant. Reads MOVERS, the position; spoils TAKERS and what findTakers() spoils. */
function addEnPassant(passed: Square, us: number): void {
  findTakers(passed, us);
  slots[TAKERS] &= slots[MOVERS];
  for (let from; (from = pop(TAKERS)) >= 0;) add(EN_PASSANT, from, passed);
}

/**
 * Adds the steps of the king. Reads the position; leaves the squares stepped to in SAFE_STEPS; spoils
 * STEPS and what isAttacked() spoils.
 */
function addKingSteps(us: number, king: Square): void {
  slots[SAFE_STEPS] = 0n;
  slots[STEPS] = KING_ATTACKS[king] & (slots[us] ^ -1n);
  // The king does not hide the square behind it from a slider, so it is lifted off the board.
  slots[OCCUPIED] ^= BIT[king];
  for (let to; (to = pop(STEPS)) >= 0;) {
    if (isAttacked(to, us ^ 1)) continue;
    slots[SAFE_STEPS] |= BIT[to];
    add(mailbox[to] === EMPTY ? QUIET : CAPTURE, king, to);
  }
  slots[OCCUPIED] ^= BIT[king];
}

/**
 * Adds castling for a right still held, if all squares between king and rook are empty, and the king
 * neither crosses an attacked square, which is one it could not step to, nor arrives on one. Reads
 * SAFE_STEPS, the position; spoils what isAttacked() spoils.
 */
function addCastling(right: number, king: Square, them: number): void {
  const rook = HOMES[right][1], step = rook > king ? 1 : -1;
  if (i64(slots[OCCUPIED] & BETWEEN[(king << 6) | rook]) !== 0n) return;
  if (i64(slots[SAFE_STEPS] & BIT[king + step]) === 0n) return;
  if (isAttacked(king + 2 * step, them)) return;
  add(rook > king ? KING_CASTLE : QUEEN_CASTLE, king, king + 2 * step);
}

const ALL = -1; // for `only`: the moves of all pieces

/**
 * Lists the legal moves from an index of the list on, and returns where they end: the moves of all
 * pieces, or of the piece on `only`. If `counting`, most are not written, but `top` moves on as if
 * they were; so from 0, it returns their number. Reads the position; spoils all slots beyond it.
 */
function generate(start: number, counting: boolean, only: Square): number {
  const us = state[0] >> 10, them = us ^ 1, king = findKing(us);
  top[0] = start;
  slots[MOVERS] = slots[us];
  if (only !== ALL) slots[MOVERS] &= BIT[only];

  // Who gives check, and who is pinned?
  findAttackers(king, them);
  slots[PINNED] = slots[BLOCKERS] & slots[us];
  slots[ALLOWED] = slots[us] ^ -1n; // anywhere but onto our own pieces
  const checker = pop(ATTACKERS);
  if (checker >= 0) slots[ALLOWED] = BETWEEN[(king << 6) | checker] | BIT[checker];
  if (!isEmpty(ATTACKERS)) slots[ALLOWED] = 0n; // a second checker

  // What may each piece do, and what may the king do?
  addPieces(us, king, counting);
  addPawns(us, king, counting);
  const passed = state[0] & 63;
  if (passed !== 0) addEnPassant(passed, us);
  if (only !== ALL && only !== king) return top[0];
  addKingSteps(us, king);
  if (checker < 0 && !isEmpty(SAFE_STEPS)) { // not in check, and over a safe square
    const rights = state[0] >> (6 + 2 * us);
    if ((rights & 1) !== 0) addCastling(2 * us, king, them);
    if ((rights & 2) !== 0) addCastling(2 * us + 1, king, them);
  }
  return top[0];
}

// 8. Perft: count the leaves of the tree of moves -------------------------------------------------
// Playing all lines of some length and counting them is the standard test of a move generator: the
// counts are known, and a wrong move anywhere in the tree changes them. The last moves need not
// be made to be counted, which saves most of the work.

function perft(depth: number): number {
  if (depth === 0) return 1;
  if (depth === 1) return generate(0, true, ALL);
  const start = PART * depth, end = generate(start, false, ALL);
  let leaves = 0;
  for (let i = start; i < end; i++) {
    const move = list[i], memory = make(move);
    leaves += perft(depth - 1);
    undo(move, memory);
  }
  return leaves;
}

// 9. Out in the open: names, drawings, attacks and FEN --------------------------------------------
// Out here bitboards are unsigned and what comes in is checked, since it may come from plain
// JavaScript: a SyntaxError for a text that does not parse, a RangeError for everything else.

/** Throws unless `ok`: says what was expected and quotes what came instead, shortened if long. */
function demand(ok: boolean, error: ErrorConstructor, what: string, got: unknown): asserts ok {
  if (ok) return;
  const isObject = Object(got) === got; // An object can turn itself into any text, or throw.
  const text = typeof got === "string" ? JSON.stringify(got) : isObject ? typeof got : String(got);
  throw new error(`Expected ${what}, got ${text.length > 80 ? text.slice(0, 79) + "…" : text}`);
}

function checkInteger(value: number, least: number, most: number, what: string): number {
  const ok = Number.isInteger(value) && value >= least && value <= most;
  if (!ok) demand(ok, RangeError, `${what} from ${least} to ${most}`, value);
  return value;
}

function checkSquare(square: Square): Square {
  return checkInteger(square, 0, 63, "a square");
}

function checkMove(move: Move): Move {
  return checkInteger(move, 0, 0xffff, "a move");
}

function checkColor(color: Color): number {
  demand(color === "w" || color === "b", RangeError, '"w" or "b"', color);
  return color === "w" ? WHITE : BLACK;
}

function checkBitboard(set: Bitboard): Bitboard {
  const ok = typeof set === "bigint" && unsigned(set) === set;
  demand(ok, RangeError, "a bitboard from 0 to 2^64 - 1", set);
  return set;
}

function checkText(text: string, pattern: RegExp, what: string): string {
  demand(typeof text === "string" && pattern.test(text), SyntaxError, what, text);
  return text;
}

/** Names a square: `"a1"` to `"h8"`. */
export function squareName(square: Square): string {
  return "abcdefgh"[checkSquare(square) & 7] + (1 + (square >> 3));
}

/** Finds a square by its name. */
export function parseSquare(name: string): Square {
  return squareAt(checkText(name, /^[a-h][1-8]$/, 'a square such as "e4"'), 0);
}

function squareAt(text: string, index: number): Square {
  return text.charCodeAt(index) - 97 + 8 * (text.charCodeAt(index + 1) - 49); // "a" is 97, "1" is 49
}

/** The square a move leaves. */
export function moveFrom(move: Move): Square {
  return (checkMove(move) >> 6) & 63;
}

/** The square a move goes to; when castling, the king's. */
export function moveTo(move: Move): Square {
  return checkMove(move) & 63;
}

/** What a pawn becomes, or `undefined` if the move does not promote. */
export function promotion(move: Move): "n" | "b" | "r" | "q" | undefined {
  const flags = checkMove(move) >> 12;
  return flags < PROMOTION ? undefined : (["n", "b", "r", "q"] as const)[flags & 3];
}

/** Whether a move captures, en passant included. */
export function isCapture(move: Move): boolean {
  return ((checkMove(move) >> 12) & CAPTURE) !== 0;
}

/** Writes a move as UCI does, such as `"e2e4"`, `"e7e8q"` or, castling by the king's step, `"e1g1"`. */
export function toUci(move: Move): string {
  return squareName(moveFrom(move)) + squareName(moveTo(move)) + (promotion(move) ?? "");
}

/**
 * Lists the squares of a set, lowest first.
 *
 * @example
 * ```ts
 * import { knightAttacks, squareName, squares } from "@quintessence/chess";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(squares(knightAttacks(0)).map(squareName), ["c2", "b3"]);
 * ```
 */
export function squares(set: Bitboard): Square[] {
  slots[REACH] = checkBitboard(set);
  const found = new Array<Square>(size(REACH));
  for (let i = 0; i < found.length; i++) found[i] = pop(REACH);
  return found;
}

function draw(sign: (square: Square) => string): string[] {
  return [56, 48, 40, 32, 24, 16, 8, 0].map((first) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((file) => sign(first + file)).join(" ")
  );
}

/** Draws a set of squares as White sees the board: `X` in the set, `.` not. */
export function drawBitboard(set: Bitboard): string {
  checkBitboard(set);
  return draw((square) => set & BIT[square] ? "X" : ".").join("\n");
}

/** Reads what {@linkcode drawBitboard} draws: eight lines of eight `X` or `.`; spaces do not matter. */
export function parseBitboard(drawing: string): Bitboard {
  const isDrawing = /^\s*([^\S\n]*([.X][^\S\n]*){8}(\n|$)){8}\s*$/;
  const signs = checkText(drawing, isDrawing, 'eight lines of eight "." or "X"').replace(/\s/g, "");
  return unsigned(BIT.reduce((set, bit, i) => signs[i ^ 56] === "X" ? set | bit : set, 0n));
}

/** The squares a knight attacks. */
export function knightAttacks(square: Square): Bitboard {
  return unsigned(KNIGHT_ATTACKS[checkSquare(square)]);
}

/** The squares a king attacks. */
export function kingAttacks(square: Square): Bitboard {
  return unsigned(KING_ATTACKS[checkSquare(square)]);
}

/** The squares a pawn of a color attacks, whether or not there is anything to capture. */
export function pawnAttacks(square: Square, color: Color): Bitboard {
  return unsigned(PAWN_ATTACKS[(checkColor(color) << 6) | checkSquare(square)]);
}

/** The squares a bishop attacks if `occupied` are all pieces: each way up to the first of them. */
export function bishopAttacks(square: Square, occupied: Bitboard): Bitboard {
  return attacksAmong(occupied, square, slideDiagonally);
}

/** The squares a rook attacks if `occupied` are all pieces: each way up to the first of them. */
export function rookAttacks(square: Square, occupied: Bitboard): Bitboard {
  return attacksAmong(occupied, square, slideStraight);
}

/** The squares a queen attacks: those of a bishop and those of a rook. */
export function queenAttacks(square: Square, occupied: Bitboard): Bitboard {
  return bishopAttacks(square, occupied) | rookAttacks(square, occupied);
}

function attacksAmong(occupied: Bitboard, square: Square, reach: typeof slideStraight): Bitboard {
  checkSquare(square);
  const kept = slots[OCCUPIED]; // It belongs to the position on the desk.
  slots[OCCUPIED] = checkBitboard(occupied);
  slots[REACH] = 0n;
  reach(square);
  slots[OCCUPIED] = kept;
  return unsigned(slots[REACH]);
}

// The castling rights as FEN writes them, by their bits.
const RIGHTS = "- K Q KQ k Kk Qk KQk q Kq Qq KQq kq Kkq Qkq KQkq".split(" ");

/** Sets up a position on the empty desk; returns the clock and the number of the move. */
function readFen(fen: string): [clock: number, fullmove: number] {
  const fields = checkText(fen, /^/, "a FEN").trim().split(/\s+/), { length } = fields;
  demand(length === 4 || length === 6, SyntaxError, "a FEN of four or six fields", fen);
  const [placement, turn, castling, passed, clock = "0", fullmove = "1"] = fields;
  const rows = placement.split("/");
  demand(rows.length === 8, SyntaxError, "eight ranks", placement);
  for (let first = 56; first >= 0; first -= 8) {
    const row = rows[7 - (first >> 3)];
    checkText(row, /^[PNBRQKpnbrqk1-8]*$/, "pieces and digits in a rank");
    let square = first;
    for (const sign of row) {
      if (sign <= "8") square += Number(sign);
      else toggle(LETTERS.indexOf(sign), square++ & 63); // A rank that is too long is refused below.
    }
    demand(square === first + 8, SyntaxError, "eight files in a rank", row);
  }
  demand(turn === "w" || turn === "b", SyntaxError, '"w" or "b" to move', turn);
  const us = turn === "w" ? WHITE : BLACK, them = us ^ 1, rights = RIGHTS.indexOf(castling);
  demand(rights >= 0, SyntaxError, 'castling rights such as "KQkq" or "-"', castling);
  const square = passed === "-" ? 0 : parseSquare(passed);
  for (const counter of [clock, fullmove]) {
    checkText(counter, /^\d+$/, "a whole number as counter");
    demand(counter.length < 10, RangeError, "a counter of at most nine digits", counter);
  }

  for (const color of [WHITE, BLACK]) {
    slots[REACH] = slots[KING] & slots[color];
    demand(size(REACH) === 1, RangeError, 'one "K" and one "k"', placement);
    demand(size(color) <= 16, RangeError, "at most sixteen pieces a side", placement);
  }
  const outermost = bytes[PAWN * 8] | bytes[PAWN * 8 + 7];
  demand(outermost === 0, RangeError, "no pawn on rank 1 or 8", placement);
  for (const [right, [king, rook]] of HOMES.entries()) {
    const atHome = LETTERS[mailbox[king]] + LETTERS[mailbox[rook]] === (right < 2 ? "KR" : "kr");
    const ok = atHome || ((rights >> right) & 1) === 0;
    demand(ok, RangeError, "castling rights with king and rook at home", castling);
  }
  if (passed !== "-") {
    const [rank, up] = us === WHITE ? [5, 8] : [2, -8];
    const ok = square >> 3 === rank && mailbox[square - up] === ((PAWN << 1) | them) &&
      mailbox[square] === EMPTY && mailbox[square + up] === EMPTY;
    demand(ok, RangeError, "a square that a pawn has just passed", passed);
  }
  demand(!isAttacked(findKing(them), us), RangeError, "the side to move not to give check", fen);

  if (square !== 0) findTakers(square, us);
  const isTaken = square !== 0 && !isEmpty(TAKERS);
  setState((us << 10) | (rights << 6) | (isTaken ? square : 0));
  return [Number(clock), Number(fullmove)];
}

function writeFen(clock: number, ply: number): string {
  let fen = "";
  for (let i = 0, empty = 0; i < 64; i++) { // from a8 to h1
    const piece = mailbox[i ^ 56], isLast = (i & 7) === 7;
    if (piece === EMPTY) empty++;
    if (empty > 0 && (piece !== EMPTY || isLast)) {
      fen += empty;
      empty = 0;
    }
    if (piece !== EMPTY) fen += LETTERS[piece];
    if (isLast) fen += i < 63 ? "/" : " ";
  }
  const passed = (state[0] & 63) === 0 ? "-" : squareName(state[0] & 63);
  fen += `${"wb"[state[0] >> 10]} ${RIGHTS[(state[0] >> 6) & 15]} ${passed}`;
  return `${fen} ${clock} ${(ply >> 1) + 1}`;
}

function listMoves(only: Square): Move[] {
  const moves = new Array<Move>(generate(0, false, only));
  for (let i = 0; i < moves.length; i++) moves[i] = list[i];
  return moves;
}

/** Whether the side to move is in check. Reads the position; spoils KINGS and what isAttacked() spoils. */
function isCheck(): boolean {
  const us = state[0] >> 10;
  return isAttacked(findKing(us), us ^ 1);
}

const DARK = i64(0xaa55aa55aa55aa55n); // the squares of a1's shade

/** Bare kings, one minor piece, or nothing but bishops on squares of one shade: no mate exists. */
function isInsufficient(): boolean {
  if (!isEmpty(PAWN) || !isEmpty(ROOK) || !isEmpty(QUEEN)) return false;
  slots[REACH] = slots[BISHOP] & DARK;
  const bishops = size(BISHOP), dark = size(REACH);
  return bishops + size(KNIGHT) <= 1 || isEmpty(KNIGHT) && (dark === 0 || dark === bishops);
}

// 10. The Board: a position with its history -------------------------------------------------------
// There may be many boards, but only one position lies on the desk: each method first lays its own
// there. While one board is in use, that is a single comparison. From then on a method calls only
// functions of this file, never methods: a subclass may have overridden them, and lay another board.

let onDesk: Board | undefined;

/**
 * A chess position and the moves that led to it.
 *
 * `console.log` shows a board as a drawing, `JSON.stringify` as its FEN. Boards keep what they know to
 * themselves: compare them by `fen()` or `hash`, and copy one without its history by
 * `new Board(board.fen())`; `structuredClone`, spreading and `deepEqual` see nothing.
 *
 * @example
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
  readonly #history: { hash: bigint; clock: number; move: Move; memory: number }[] = [];
  readonly #firstPly: number; // half-moves from the start of the game to the FEN
  #clock: number; // half-moves since a capture or pawn move

  /** Lays this board's position on the desk; the one that lay there goes back to its board. */
  #lay(): BigInt64Array {
    if (onDesk === this) return slots;
    if (onDesk !== undefined) onDesk.#kept.set(position);
    position.set(this.#kept);
    onDesk = this;
    return slots;
  }

  /**
   * Sets up a position given as FEN: four fields, or six with both counters.
   *
   * A text of another form is a `SyntaxError`. A `RangeError` means: not exactly one king a side, more
   * than sixteen pieces a side, a pawn on rank 1 or 8, castling rights without king and rook at home,
   * an en passant square that no pawn can just have passed, or a check given by the side to move.
   * Nothing else is checked: nine pawns are accepted, or three pieces that give check.
   */
  constructor(fen: string = START) {
    this.#lay(); // all 0, since this board is new
    const [clock, fullmove] = readFen(fen);
    this.#clock = clock;
    this.#firstPly = 2 * Math.max(fullmove - 1, 0) + (state[0] >> 10);
  }

  /**
   * Writes the position as FEN. The en passant square is written only if a legal en passant capture
   * exists, so that positions with the same moves have the same FEN and the same hash.
   */
  fen(): string {
    this.#lay();
    return writeFen(this.#clock, this.#firstPly + this.#history.length);
  }

  /** What `JSON.stringify` writes: the FEN. */
  toJSON(): string {
    return this.fen();
  }

  /** Draws the board as White sees it, with the rest of the position beside it. */
  toString(): string {
    const hash = `0x${unsigned(this.#lay()[HASH]).toString(16).padStart(16, "0")}`;
    const fen = writeFen(this.#clock, this.#firstPly + this.#history.length);
    const [, turn, castling, passed, clock, fullmove] = fen.split(" ");
    const names = ["to move", "castling", "en passant", "halfmove clock", "move", "hash"];
    const values = [turn === "w" ? "white" : "black", castling, passed, clock, fullmove, hash];
    const notes = ["", ...names.map((name, i) => `${name}: ${values[i]}`), ""];
    return draw((square) => LETTERS[mailbox[square]])
      .map((row, i) => `${8 - i}  ${row}   ${notes[i]}`.trimEnd())
      .concat("   a b c d e f g h").join("\n");
  }

  /** What `console.log` shows under Deno, Node and Bun: the drawing. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  /** The side to move. */
  get turn(): Color {
    this.#lay();
    return state[0] >> 10 === WHITE ? "w" : "b";
  }

  /** All pieces on the board. */
  get occupied(): Bitboard {
    return unsigned(this.#lay()[OCCUPIED]);
  }

  /** The 64-bit Zobrist key: equal positions have equal keys, in every run of the program. */
  get hash(): bigint {
    return unsigned(this.#lay()[HASH]);
  }

  /** All pieces of a color. */
  occupiedBy(color: Color): Bitboard {
    return unsigned(this.#lay()[checkColor(color)]);
  }

  /** All pieces of a kind and color, such as `"N"` or `"q"`. */
  pieces(piece: Piece): Bitboard {
    const index = typeof piece === "string" && piece.length === 1 ? LETTERS.indexOf(piece, 4) : -1;
    demand(index >= 0, RangeError, 'a piece such as "P" or "k"', piece);
    this.#lay();
    return unsigned(slots[index >> 1] & slots[index & 1]);
  }

  /** The piece on a square, or `undefined`. */
  at(square: Square): Piece | undefined {
    this.#lay();
    const piece = mailbox[checkSquare(square)];
    return piece === EMPTY ? undefined : LETTERS[piece] as Piece;
  }

  /** Lists the legal moves: all of them, or only those `from` one square. */
  moves(from?: Square): Move[] {
    this.#lay();
    return listMoves(from === undefined ? ALL : checkSquare(from));
  }

  /** Counts the legal moves, faster than listing them. */
  count(): number {
    this.#lay();
    return generate(0, true, ALL);
  }

  /** Plays one of `moves()`. Legality is not checked: any other move corrupts the board. */
  make(move: Move): void {
    const from = moveFrom(move), hash = this.#lay()[HASH], clock = this.#clock;
    const isPawn = mailbox[from] >> 1 === PAWN, memory = make(move);
    this.#history.push({ hash, clock, move, memory });
    this.#clock = isPawn || memory >> 11 !== EMPTY ? 0 : clock + 1;
  }

  /** Takes the last move back, and returns it. */
  undo(): Move {
    const last = this.#history.pop();
    demand(last !== undefined, RangeError, "a move in the history to undo", last);
    this.#lay();
    undo(last.move, last.memory);
    this.#clock = last.clock;
    return last.move;
  }

  /**
   * Finds the legal move that a UCI text names, such as `"e2e4"`, `"e7e8q"` or, castling, `"e1g1"`.
   * A text that is not a move is a `SyntaxError`, a move that is not legal a `RangeError`.
   */
  parseUci(uci: string): Move {
    checkText(uci, /^([a-h][1-8]){2}[nbrq]?$/, 'a move such as "e2e4" or "e7e8q"');
    this.#lay();
    const to = squareAt(uci, 2), moves = listMoves(squareAt(uci, 0));
    const move = moves.find((move) => (move & 63) === to && promotion(move) === uci[4]);
    demand(move !== undefined, RangeError, "a move that is legal here", uci);
    return move;
  }

  /** Plays the move that a UCI text names, see {@linkcode Board.parseUci}, and returns the board. */
  play(uci: string): this {
    this.make(this.parseUci(uci));
    return this;
  }

  /** Whether the side to move is in check. */
  isCheck(): boolean {
    this.#lay();
    return isCheck();
  }

  /** The pieces of a color that attack a square, empty or not; pinned pieces included. */
  attackers(square: Square, color: Color): Bitboard {
    this.#lay();
    findAttackers(checkSquare(square), checkColor(color));
    return unsigned(slots[ATTACKERS]);
  }

  /**
   * Says whether and how the game has ended; `undefined` while it goes on. It is drawn by repetition
   * when the position has occurred three times, and by the fifty-move rule when the clock is at 100.
   * (Players may claim both half a move earlier, by announcing the move that leads there.)
   */
  outcome(): Outcome | undefined {
    const hash = this.#lay()[HASH], height = this.#history.length;
    if (generate(0, true, ALL) === 0) return isCheck() ? "checkmate" : "stalemate";
    if (isInsufficient()) return "insufficient material";
    if (this.#clock >= 100) return "fifty-move rule";
    // Equal positions have the same side to move, and no capture or pawn move between them.
    let occurrences = 1;
    const oldest = Math.max(0, height - this.#clock);
    for (let i = height - 2; i >= oldest; i -= 2) if (this.#history[i].hash === hash) occurrences++;
    return occurrences >= 3 ? "threefold repetition" : undefined;
  }

  /** Counts the ways to play `depth` half-moves, 0 to 64: the leaves of the tree of legal moves. */
  perft(depth: number): number {
    this.#lay();
    return perft(checkInteger(depth, 0, MAX_DEPTH, "a depth"));
  }

  /**
   * Counts as {@linkcode Board.perft} does, but below each legal move separately.
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
    checkInteger(depth, 1, MAX_DEPTH, "a depth");
    this.#lay();
    const counts = new Map<string, number>();
    for (const move of listMoves(ALL)) {
      const memory = make(move);
      counts.set(toUci(move), perft(depth - 1));
      undo(move, memory);
    }
    return counts;
  }
}
