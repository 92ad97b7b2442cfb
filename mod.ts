/**
 * Quintessence generates the legal moves of chess from sets of squares. A set, a *bitboard*, is one
 * 64-bit number: bit 0 is a1, bit 63 is h8. To find a piece's moves is then arithmetic on whole sets.
 * Read this file from top to bottom; each chapter opens with its idea.
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
 *      a  b  c  d  e  f  g  h
 * ```
 * @module
 */

// 1. Vocabulary: squares, pieces and moves are small numbers --------------------------------------
// Names that recur: `us` and `them` are the side to move and its opponent; `from` and `to` the
// squares of a move; `king` the square of our king; `kind` one of the six kinds of pieces; `piece`
// a kind with its color; `slot` a place in the array where bitboards live (chapter 2).

/** A square, from 0 (a1) through 1 (b1) to 63 (h8). */
export type Square = number;
/** A set of squares: bit `n` stands for square `n`. Unsigned; signed inside this file (chapter 2). */
export type Bitboard = bigint;
/**
 * A move in 16 bits: flags, from, to (4 + 6 + 6). Flags are 0 quiet, 1 double push, 2 and 3 castling,
 * 4 capture, 5 en passant, 8 to 11 promotion to N, B, R and Q, 12 to 15 the same with capture.
 */
export type Move = number;
/** White or black. */
export type Color = "w" | "b";
/** A piece as FEN writes it: capitals are white. */
export type Piece = "P" | "N" | "B" | "R" | "Q" | "K" | "p" | "n" | "b" | "r" | "q" | "k";
/** How a game can be drawn other than by stalemate. */
export type Draw = "insufficient material" | "fifty-move rule" | "threefold repetition";
/** How a game can end, see {@linkcode Board.outcome}. */
export type Outcome = "checkmate" | "stalemate" | Draw;
/** The FEN of the position in which every game starts. */
export const START: string = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

// Inside this file, a color and a kind are the numbers of the slots that hold their sets. A piece
// is kind * 2 + color: `piece >> 1` is its kind, `piece & 1` its color, and 0 is left for "empty".
const WHITE = 0, BLACK = 1;
const EMPTY = 0, PAWN = 2, KNIGHT = 3, BISHOP = 4, ROOK = 5, QUEEN = 6, KING = 7;
const LETTERS = "....PpNnBbRrQqKk"; // the pieces by their numbers
const QUIET = 0, DOUBLE_PUSH = 1, KING_CASTLE = 2, QUEEN_CASTLE = 3;
const CAPTURE = 4, EN_PASSANT = 5, PROMOTION = 8;

// 2. Bitboards: sets of squares in the slots of one array -----------------------------------------
// Sets have an algebra: a & b is what both hold, a | b what either holds, a ^ b what exactly one of
// them holds, x ^ -1n everything but x (V8 has no fast ~x), x << 8n the same set one rank up.
// (JavaScript adds before it shifts, and shifts before it takes &, then ^, then |.)
//
// BigInts are slow where every result is a new object, and as fast as machine words where V8 can
// prove that they fit one. It can if sets are signed, rest in the slots of a BigInt64Array and
// never travel: functions pass squares and slot numbers, and leave the sets they compute in slots.
// Nor may two sets meet in one variable, as in `c ? a : b` or in a `let` that a loop reassigns:
// where two paths join, V8 gives up its proof and makes an object.
//
// V8 knows the address of an array that is a constant. So there is one array for all, `slots`, the
// *desk*, on which the one position being worked on lies. A Board not in use keeps a copy (chapter
// 10). The comments of chapters 4 to 7 say which slots a function reads (and restores, if it changes
// them), which it leaves for its caller, and which it spoils; what the functions it calls leave or
// spoil, it spoils too.
//
// Slots 0 to 7 are the sets of the two colors and six kinds (chapter 1). The position goes on with:
const OCCUPIED = 8; // all pieces of both colors
const HASH = 9; // one number that stands for the whole position (chapter 5)
const STATE = 10; // one slot, seen as one number: turn, castling rights, en passant (chapter 5)
const MAILBOX = 11; // nine slots, seen as 65 bytes: the piece on each square; the last is NOWHERE's
const KEPT_SLOTS = 20; // The position ends here. What follows is working memory, except two constants:
const NOTHING = 20, EVERYTHING = 21; // no square and all: V8 compares faster with a slot than a literal
const SUM = 22; // scratch
const slots = new BigInt64Array(43);
slots[EVERYTHING] = -1n;
const position = slots.subarray(0, KEPT_SLOTS);
// Views of the same memory, lowest byte first: a slot as 2 halves or 8 bytes, and read either way.
const halves = new Int32Array(slots.buffer);
const bytes = new Uint8Array(slots.buffer);
const view = new DataView(slots.buffer);
const state = new Int32Array(slots.buffer, STATE * 8, 1);
const mailbox = new Uint8Array(slots.buffer, MAILBOX * 8, 65);

// A result that is not stored in a slot is cut to 64 bits right away, even just to compare it. i64
// is the built-in itself with one argument bound: a wrapper of ours would be given an uncut object.
const i64 = BigInt.asIntN.bind(null, 64);
const unsigned = BigInt.asUintN.bind(null, 64); // for sets that leave the module
const NOWHERE = 64; // a square off the board, for toggle() alone; its bit is cut away
const BIT = BigInt64Array.from({ length: 65 }, (_, square) => 1n << BigInt(square));

// The set in a slot, upright or upside down. A rank is a byte, so reading the eight bytes in
// reverse, big-endian, swaps rank 1 and 8 and so on. V8 inlines this, so it may return a set.
function read(slot: number, upright: boolean): bigint {
  return view.getBigInt64(slot * 8, upright);
}

// Whether the set in a slot is empty: whether its complement is full. To compare the set itself is a
// risk: h8 alone is -2^63, which V8 thinks too large for a machine word, and a comparison that meets
// it before V8 compiles it makes objects ever after. (The complement is that number only for a1 to g8
// together, which never occurs.) Sets that cannot be h8 alone are compared directly.
function isEmpty(slot: number): boolean {
  return i64(slots[slot] ^ -1n) === slots[EVERYTHING];
}

// Removes the lowest square from the set in a slot and returns it, or -1 if the set is empty. (x &
// -x is the lowest bit of x, x & (x - 1) is x without it, clz32 counts the zeros in front.) Loops
// run until -1: after a pop, isEmpty() is slow, since it reads as a whole what was written by halves.
// Loops that are rarely entered ask it all the same: V8 inlines just so much, and a pop() that is
// rarely called takes nothing of that.
const { clz32 } = Math;
function pop(slot: number): number {
  const at = 2 * slot, low = halves[at];
  if (low !== 0) {
    halves[at] = low & (low - 1);
    return clz32(low & -low) ^ 31;
  }
  const high = halves[at + 1];
  if (high === 0) return -1;
  halves[at + 1] = high & (high - 1);
  return clz32(high & -high) ^ 63;
}

// How many squares the set in a slot holds. Spoils SUM. Neighbors are added up: bits to pairs (2a +
// b - a is a + b), pairs to fours, fours to bytes. The product adds up all bytes in the highest one,
// as the middle digit of 123 * 111 = 13653 is 1 + 2 + 3; the slot cuts off what is above.
function size(slot: number): number {
  const set = slots[slot], pairs = i64(set - (set >> 1n & 0x5555555555555555n));
  const fours = i64((pairs & 0x3333333333333333n) + (pairs >> 2n & 0x3333333333333333n));
  slots[SUM] = ((fours + (fours >> 4n)) & 0x0f0f0f0f0f0f0f0fn) * 0x0101010101010101n;
  return bytes[SUM * 8 + 7];
}

// 3. Geometry: one walk, and the tables that follow from it ---------------------------------------
// How a piece moves is a list of steps and one rule: go on until the edge or the first piece.
const N = [0, 1], E = [1, 0], S = [0, -1], W = [-1, 0]; // files and ranks
const NE = [1, 1], SE = [1, -1], SW = [-1, -1], NW = [-1, 1];
const JUMPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
const AXES = [[NE, SW], [NW, SE], [N, S], [E, W]];
const DIAGONAL = 0, ANTIDIAGONAL = 64, FILE = 128, RANK = 192; // where each begins in LINES

// What is seen from a square: each way as far as the edge or the first piece, included.
function walk(square: Square, steps: number[][], occupied: Bitboard): Bitboard {
  let seen = 0n; // This runs only while the module loads, so it need not care about objects.
  for (const [files, ranks] of steps) {
    let file = (square & 7) + files, rank = (square >> 3) + ranks;
    for (; file >= 0 && file < 8 && rank >= 0 && rank < 8; file += files, rank += ranks) {
      const bit = BIT[8 * rank + file];
      seen |= bit;
      if ((occupied & bit) !== 0n) break;
    }
  }
  return seen;
}

// A leaper is a slider on a full board: its first step is its last.
const FULL = -1n, BARE = 0n;
const KNIGHT_ATTACKS = BIT.map((_, square) => walk(square, JUMPS, FULL));
const KING_ATTACKS = BIT.map((_, square) => walk(square, AXES.flat(), FULL));
const PAWN_ATTACKS = new BigInt64Array(128) // indexed by color << 6 | square
  .map((_, i) => walk(i & 63, i >> 6 === WHITE ? [NW, NE] : [SW, SE], FULL));

// The lines through a square, without it: one, indexed by axis | square, or both of a kind.
const LINES = new BigInt64Array(256).map((_, i) => walk(i & 63, AXES[i >> 6], BARE));
const DIAGONALS = BIT.map((_, square) => LINES[DIAGONAL | square] | LINES[ANTIDIAGONAL | square]);
const STRAIGHTS = BIT.map((_, square) => LINES[FILE | square] | LINES[RANK | square]);

const REACH = 23; // where the piece in question can go; also a set to count or to list
// Indexed by from << 6 | to: for two squares on one line, the squares between them, and the ray from
// the first through the second to the edge. For any other two, both are empty.
const BETWEEN = new BigInt64Array(4096), RAY = new BigInt64Array(4096);
for (let from = 0; from < 64; from++) {
  for (const step of AXES.flat()) {
    const ray = slots[REACH] = walk(from, [step], BARE);
    for (let to; (to = pop(REACH)) >= 0;) {
      RAY[(from << 6) | to] = ray;
      BETWEEN[(from << 6) | to] = walk(from, [step], BIT[to]) ^ BIT[to];
    }
  }
}

// 4. Sliders: Hyperbola Quintessence --------------------------------------------------------------
// How far does a slider see along a line? Subtraction knows, without walking. Take the blockers,
// the pieces on the line, and subtract the slider's own bit. It is not among them, so the
// subtraction must borrow: it clears the nearest blocker above and sets all empty squares on the
// way. What has changed on the line, apart from the slider's own square, is what it sees upward.
// With no blocker above, the borrow runs off the top of the number, where i64 or a slot cuts it
// away: everything up to the edge has changed, which again is right.
//
// Downward the same holds in the mirror. `up ^ down` then holds the bits that only one of the two
// subtractions has changed: all beyond the blockers cancels, as does the slider's own square, and
// `& line` drops what the borrow did beside the line. A file, its lowest square to the left, with a
// rook on the fourth:
//     line      X X X . X X X X
//     blockers  . X . . . . X .
//     up        . X . X X X . .     blockers - rook
//     down      . . X X . . X .     the same in the mirror
//     attacks   . X X . X X X .     (up ^ down) & line
// A mirror is whatever reverses the order of the squares on the line. Reading the slot upside down
// does that for files and for diagonals of both directions alike, because each of their squares
// lies on a rank of its own. A rank lies within one byte, whose bits keep their order. But a byte
// is small enough for a table, and its outer bits never matter: a slider sees the edge whether or
// not a piece stands there. Six bits are left, and 64 entries per file answer for the rank.
const ON_LINE = 24, MIRRORED = 25; // scratch

// Adds to REACH what is seen along a file or diagonal. Reads OCCUPIED; spoils ON_LINE, MIRRORED.
function slide(axis: number, square: Square): void {
  const line = LINES[axis | square];
  slots[ON_LINE] = slots[OCCUPIED] & line;
  const up = i64(slots[ON_LINE] - BIT[square]);
  slots[MIRRORED] = read(ON_LINE, false) - BIT[square ^ 56];
  const down = read(MIRRORED, false);
  slots[REACH] |= (up ^ down) & line;
}

// Indexed by file << 6 | the six inner bits of a rank: what is seen along it, on all eight ranks.
const RANK_ATTACKS = new BigInt64Array(512)
  .map((_, i) => walk(i >> 6, [E, W], BigInt(i & 63) << 1n) * 0x0101010101010101n);

// Adds to REACH what is seen along the rank. Reads OCCUPIED.
function slideRank(square: Square): void {
  const inner = (bytes[OCCUPIED * 8 + (square >> 3)] >> 1) & 63;
  slots[REACH] |= RANK_ATTACKS[((square & 7) << 6) | inner] & LINES[RANK | square];
}

// 5. The position: the same facts three times -----------------------------------------------------
// White's knights are the knights in White's set. What stands on a given square, the mailbox says.
// And a single number, the hash, tells whether two positions are equal. It is Zobrist's: the
// exclusive or of random numbers, the keys: one for the state and, for each piece, its square's and
// that of NOWHERE. Only toggle() moves pieces, and it keeps all three consistent.
//
// The *state* is one number, too: who is to move, which castling rights are left, and the square on
// which a pawn can capture en passant, or 0 (a1, which no pawn can pass) if there is none:
//     turn << 10 | rights << 6 | en passant square
const FIRST_STATE = 65 << 4;
const KEYS = new BigInt64Array(3088).map((_, i) => { // square << 4 | piece, or FIRST_STATE + state
  const spread = i64(BigInt(i + 1) * 0x9e3779b97f4a7c15n); // mixes i: in the end, each bit affects all
  const mixed = i64((spread ^ (spread >> 32n)) * 0xd6e8feb86659fd93n);
  return (mixed ^ (mixed >> 32n)) * 0xd6e8feb86659fd93n;
});

// Moves a piece, in either direction: toggles it on both squares. Captured pieces and promoting pawns
// go NOWHERE; new pieces come from there. Changes the position except STATE.
function toggle(piece: number, from: Square, to: Square): void {
  const both = i64(BIT[from] | BIT[to]);
  slots[piece >> 1] ^= both;
  slots[piece & 1] ^= both;
  slots[OCCUPIED] ^= both;
  slots[HASH] ^= KEYS[(from << 4) | piece] ^ KEYS[(to << 4) | piece];
  mailbox[from] ^= piece;
  mailbox[to] ^= piece;
}

// Changes STATE, and HASH with it.
function setState(next: number): void {
  slots[HASH] ^= KEYS[FIRST_STATE + state[0]] ^ KEYS[FIRST_STATE + next];
  state[0] = next;
}

const ATTACKERS = 26, BLOCKERS = 27; // what findAttackers() leaves
const SLIDERS = 28, THE_KING = 29; // scratch

// Finds the pieces of a color that attack a square; says whether there are any. Attacks are mutual:
// a knight attacks the square if one on it would attack back; only a pawn, which has a direction, is
// found by one of the other color. Reads the position; leaves the pieces in ATTACKERS, and in
// BLOCKERS each piece, of either color, alone between the square and a slider; spoils SLIDERS.
function findAttackers(square: Square, by: number): boolean {
  slots[ATTACKERS] = (PAWN_ATTACKS[((by ^ 1) << 6) | square] & slots[PAWN] |
    KNIGHT_ATTACKS[square] & slots[KNIGHT] | KING_ATTACKS[square] & slots[KING]) & slots[by];
  slots[SLIDERS] = (DIAGONALS[square] & (slots[BISHOP] | slots[QUEEN]) |
    STRAIGHTS[square] & (slots[ROOK] | slots[QUEEN])) & slots[by];
  slots[BLOCKERS] = 0n;
  while (!isEmpty(SLIDERS)) {
    const slider = pop(SLIDERS), between = i64(BETWEEN[(square << 6) | slider] & slots[OCCUPIED]);
    if (between === slots[NOTHING]) slots[ATTACKERS] |= BIT[slider];
    else if (i64(between & (between - 1n)) === slots[NOTHING]) slots[BLOCKERS] |= between;
  }
  return !isEmpty(ATTACKERS);
}

// The square of a color's king, or -1. Reads the position; spoils THE_KING.
function findKing(color: number): Square {
  slots[THE_KING] = slots[KING] & slots[color];
  return pop(THE_KING);
}

// Whether a color is in check. Reads the position; leaves what findAttackers() leaves.
function isInCheck(color: number): boolean {
  return findAttackers(findKing(color), color ^ 1);
}

// 6. Make and undo: toggles, and one number to remember -------------------------------------------
// A move is one to three toggles; the same ones, in any order, take it back, and the hash with them.
// What they cannot know, the captured piece and the state before the move, fits in one number, the
// *memory*, which make() returns and undo() asks for: victim << 11 | state.
//
// The rights are K, Q, k and q, with the bits 1, 2, 4 and 8. A right is lost when anything leaves
// or enters the home of its king or rook. So each square has a mask for the state after a move from
// or to it: it keeps the turn and the rights that do not depend on the square, and drops the en
// passant square. A new one is recorded only if a pawn can legally capture there, so that positions
// with the same moves have the same state.
const HOMES = [[4, 7], [4, 0], [60, 63], [60, 56]]; // of king and rook, by right
const KEPT_STATE = new Uint16Array(64).fill(31 << 6);
HOMES.forEach((homes, right) => homes.forEach((home) => KEPT_STATE[home] &= ~(64 << right)));

// Toggles the pieces that a move touches: makes it, or takes it back, but for STATE.
function toggleMove(move: Move, piece: number, placed: number, victim: number): void {
  const from = (move >> 6) & 63, to = move & 63, flags = move >> 12;
  // In en passant, the victim stands beside the taker: to ^ 8 swaps ranks 3 and 4, and 5 and 6.
  if (victim !== EMPTY) toggle(victim, flags === EN_PASSANT ? to ^ 8 : to, NOWHERE);
  toggle(piece, from, placed === piece ? to : NOWHERE);
  if (placed !== piece) toggle(placed, NOWHERE, to);
  if (flags === KING_CASTLE) toggle((ROOK << 1) | (piece & 1), to + 1, to - 1);
  if (flags === QUEEN_CASTLE) toggle((ROOK << 1) | (piece & 1), to - 2, to + 1);
}

const TAKERS = 30; // what findTakers() leaves
const CANDIDATES = 31; // scratch

// Finds the pawns of a color that can legally capture en passant on a square; says whether there
// are any. Two pieces leave a rank at once, which no rule about pins (chapter 7) foresees, so each
// capture is tried out: three squares of OCCUPIED change, and one enemy disappears. Reads the
// position; leaves the pawns in TAKERS; spoils CANDIDATES.
function findTakers(passed: Square, color: number): boolean {
  const enemy = color ^ 1, victim = BIT[passed ^ 8];
  slots[TAKERS] = 0n;
  slots[CANDIDATES] = PAWN_ATTACKS[(enemy << 6) | passed] & slots[PAWN] & slots[color];
  for (let from; (from = pop(CANDIDATES)) >= 0;) {
    const changed = i64(BIT[from] | BIT[passed] | victim);
    slots[OCCUPIED] ^= changed;
    slots[enemy] ^= victim;
    if (!isInCheck(color)) slots[TAKERS] |= BIT[from];
    slots[OCCUPIED] ^= changed;
    slots[enemy] ^= victim;
  }
  return !isEmpty(TAKERS);
}

// Makes a move, and returns the memory of it. Changes the position.
function make(move: Move): number {
  const from = (move >> 6) & 63, to = move & 63, flags = move >> 12;
  const before = state[0], us = before >> 10, them = us ^ 1, piece = mailbox[from];
  const placed = flags < PROMOTION ? piece : ((KNIGHT + (flags & 3)) << 1) | us;
  const pawn = (PAWN << 1) | them, victim = flags === EN_PASSANT ? pawn : mailbox[to];
  toggleMove(move, piece, placed, victim);
  // Most double pushes end beside no enemy pawn, as a look at the mailbox shows.
  const isBeside = flags === DOUBLE_PUSH && (mailbox[to - 1] === pawn || mailbox[to + 1] === pawn);
  const passed = isBeside && findTakers(to ^ 8, them) ? to ^ 8 : 0;
  setState(((before & KEPT_STATE[from] & KEPT_STATE[to]) ^ (1 << 10)) | passed);
  return (victim << 11) | before;
}

// Takes back the last move, given the memory of it. Changes the position.
function undo(move: Move, memory: number): void {
  const before = memory & 2047, placed = mailbox[move & 63];
  const piece = move >> 12 < PROMOTION ? placed : (PAWN << 1) | (before >> 10);
  toggleMove(move, piece, placed, memory >> 11);
  setState(before);
}

// 7. Moves: where each piece can go, and the filter that keeps the king safe ----------------------
// First stage: a piece's *pseudo-legal* moves follow from how it moves. Second stage: a move is
// legal if it does not leave the mover's king attacked. Instead of trying each one out, it is
// enough to find, once per position, who gives check and who is pinned:
//
// - In check, a piece other than the king must capture the checker or step in between. Against two
//   checkers at once only a king move helps.
// - A pinned piece, the only one between its king and an enemy slider, must stay on that line.
// - Any other piece may go where it can: it leaves no line to its king open.
// - King steps and en passant are tried out one by one.
//     a pin on e3          where it may go      a check              where others answer it
//     . . . . r . . k      . . . . X . . .      k . . . . . . .      . . . . . . . .
//     . . . . . . . .      . . . . X . . .      . . . . . . . .      . . . . . . . .
//     . . . . . . . .      . . . . X . . .      . . . . . . . .      . . . . . . . .
//     . . . . . . . .      . . . . X . . .      . . . . . . . .      . . . . . . . .
//     . . . . . . . .      . . . . X . . .      . b . . . . . R      . X . . . . . .
//     . . . . R . . .      . . . . . . . .      . . . . . . . .      . . X . . . . .
//     . . . . . . . .      . . . . X . . .      . . . . . . . .      . . . X . . . .
//     . . . . K . . .      . . . . . . . .      . N . . K . . .      . . . . . . . .
//
// Pawns are moved as one set: a step forward shifts it by one rank. Black's sets are read upside
// down, so that forward is always up, and rank 8 is where pawns promote. A double push is a second
// push for those that have come to rank 3. A capture off the left edge reappears on the h-file, one
// off the right edge on the a-file; both are masked out:
//
//     pawns               << 8                << 7 & NOT_FILE_H   << 9 & NOT_FILE_A
//     . . . . . . . .     X . . X . . . X     . . X . . . X .     . X . . X . . .
//     X . . X . . . X     . . . . . . . .     . . . . . . . .     . . . . . . . .
//
// A pinned pawn shares just one line with its king: it may push along a file, or capture along a
// diagonal. A double push may answer a check that its first step does not.
const RANK_3 = 0xff0000n, NOT_FILE_A = i64(0xfefefefefefefefen), NOT_FILE_H = 0x7f7f7f7f7f7f7f7fn;
const SIZES = new Uint8Array(256); // How many bits has a byte? A new top bit adds one.
for (let n = 1; n < 256; n *= 2) SIZES.set(SIZES.subarray(0, n).map((size) => size + 1), n);
const ALLOWED = 32, PINNED = 33; // the filter: set up by generate(), then only read
const FROM = 34, TO = 35; // where wanted moves start and end: anywhere, unless #list() narrows it
const MOVERS = 36, PIECES = 37, STEPS = 38; // scratch
const PUSHES = 39, DOUBLE_PUSHES = 40, LEFT_CAPTURES = 41, RIGHT_CAPTURES = 42; // scratch
const MAX_DEPTH = 64; // of perft, where each depth has a part of the list to itself
const PART = 512; // No piece has more than 27 moves, so sixteen have fewer than 512.
const list = new Uint16Array(PART * (MAX_DEPTH + 1));
const top = new Int32Array(1); // where in the list the next move goes; a `let` would be slower

function add(flags: number, from: Square, to: Square): void {
  list[top[0]++] = (flags << 12) | (from << 6) | to;
}

// Lists the moves of a piece to the squares in REACH. Reads the mailbox; empties REACH.
function addReach(from: Square): void {
  for (let to; (to = pop(REACH)) >= 0;) add(mailbox[to] === EMPTY ? QUIET : CAPTURE, from, to);
}

// Lists pawn moves to the squares in a slot, each from `step` below; `^ flip` makes them real.
// Empties the slot.
function addPawns(slot: number, flags: number, step: number, flip: number): void {
  for (let to; (to = pop(slot)) >= 0;) {
    const from = (to - step) ^ flip;
    if (to < 56) add(flags, from, to ^ flip);
    else for (let i = 3; i >= 0; i--) add(flags | PROMOTION | i, from, to ^ flip); // queen to knight
  }
}

// Finds the squares in STEPS that the king can step to. Reads the position; leaves them in REACH;
// empties STEPS.
function findKingSteps(us: number, king: Square): void {
  slots[REACH] = 0n;
  // The king does not hide the square behind it from a slider, so it is lifted off the board.
  slots[OCCUPIED] ^= BIT[king];
  for (let to; (to = pop(STEPS)) >= 0;) {
    if (!findAttackers(to, us ^ 1)) slots[REACH] |= BIT[to];
  }
  slots[OCCUPIED] ^= BIT[king];
}

// Lists castling for a king that is not in check, with each right still held: nothing may stand
// between king and rook, and the king may cross no attacked square (REACH holds the safe steps) and
// arrive on none. Reads REACH, TO and the position.
function addCastling(us: number, king: Square): void {
  for (let right = 2 * us; right < 2 * us + 2; right++) {
    const rook = HOMES[right][1], step = rook > king ? 1 : -1, to = king + 2 * step;
    const isWanted = i64(slots[TO] & BIT[to]) !== slots[NOTHING];
    if (((state[0] >> (6 + right)) & 1) === 0 || !isWanted) continue;
    if (i64(slots[OCCUPIED] & BETWEEN[(king << 6) | rook]) !== slots[NOTHING]) continue;
    const isSafe = i64(slots[REACH] & BIT[king + step]) !== slots[NOTHING];
    if (isSafe && !findAttackers(to, us ^ 1)) add(step > 0 ? KING_CASTLE : QUEEN_CASTLE, king, to);
  }
}

// Lists, at `start`, the legal moves from squares in FROM to squares in TO; returns where they end.
// If `counting`, most only advance the end, so with `start` 0 it returns their number. Reads the
// position, FROM and TO; spoils every other slot except the constants.
function generate(start: number, counting: boolean): number {
  const us = state[0] >> 10, them = us ^ 1, king = findKing(us);
  top[0] = start;
  slots[MOVERS] = slots[us] & slots[FROM];

  // Who gives check, and who is pinned?
  const inCheck = findAttackers(king, them);
  slots[PINNED] = slots[BLOCKERS] & slots[us];
  slots[ALLOWED] = slots[TO] & (slots[us] ^ -1n); // what is wanted, but not onto our own pieces
  while (!isEmpty(ATTACKERS)) { // Two checkers have no answer in common.
    const checker = pop(ATTACKERS);
    slots[ALLOWED] &= BETWEEN[(king << 6) | checker] | BIT[checker];
  }

  // Where can the knights, bishops, rooks and queens go? Sliders walled in by our own pieces are
  // left out. (Where a shift runs around an edge, a few too many are kept.)
  const others = i64(slots[us] ^ -1n), beside = i64(others << 1n | others >> 1n);
  slots[PIECES] = slots[MOVERS] & (slots[KNIGHT] |
    (slots[ROOK] | slots[QUEEN]) & (beside | others << 8n | others >> 8n) |
    (slots[BISHOP] | slots[QUEEN]) & (beside << 8n | beside >> 8n));
  for (let from; (from = pop(PIECES)) >= 0;) {
    const kind = mailbox[from] >> 1;
    if (kind === KNIGHT) slots[REACH] = KNIGHT_ATTACKS[from];
    else {
      const last = kind === BISHOP ? ANTIDIAGONAL : FILE;
      slots[REACH] = 0n;
      for (let axis = kind === ROOK ? FILE : DIAGONAL; axis <= last; axis += 64) slide(axis, from);
      if (kind !== BISHOP) slideRank(from);
    }
    slots[REACH] &= slots[ALLOWED]; // the filter: answer a check, and stay on the line of a pin
    if (i64(slots[PINNED] & BIT[from]) !== slots[NOTHING]) slots[REACH] &= RAY[(king << 6) | from];
    if (counting) top[0] += size(REACH);
    else addReach(from);
  }

  // Where can the pawns go?
  const upright = us === WHITE, flip = upright ? 0 : 56, seen = king ^ flip;
  const pawns = i64(read(PAWN, upright) & read(MOVERS, upright));
  const free = i64(pawns & (read(PINNED, upright) ^ -1n));
  const empty = i64(read(OCCUPIED, upright) ^ -1n), allowed = read(ALLOWED, upright);
  const enemies = i64(read(them, upright) & allowed);
  const pushed = i64((free | pawns & LINES[FILE | seen]) << 8n & empty);
  slots[PUSHES] = pushed & allowed;
  slots[DOUBLE_PUSHES] = (pushed & RANK_3) << 8n & empty & allowed;
  slots[LEFT_CAPTURES] = (free | pawns & LINES[ANTIDIAGONAL | seen]) << 7n & NOT_FILE_H & enemies;
  slots[RIGHT_CAPTURES] = (free | pawns & LINES[DIAGONAL | seen]) << 9n & NOT_FILE_A & enemies;
  if (counting) {
    // No two of these sets overlap, so one count is enough: single pushes end in front of a pawn,
    // double ones in front of an empty square, right captures on enemies; left ones, shifted back,
    // on our pawns (none ends on h8, the sign, so >> copies a 0). Each on rank 8 is four moves.
    slots[REACH] = slots[PUSHES] | slots[DOUBLE_PUSHES] | slots[RIGHT_CAPTURES] |
      slots[LEFT_CAPTURES] >> 7n;
    const promotions = SIZES[bytes[REACH * 8 + 7]] + SIZES[bytes[LEFT_CAPTURES * 8 + 7]];
    top[0] += size(REACH) + 3 * promotions;
  } else if (pawns !== slots[NOTHING]) {
    addPawns(PUSHES, QUIET, 8, flip);
    addPawns(DOUBLE_PUSHES, DOUBLE_PUSH, 16, flip);
    addPawns(LEFT_CAPTURES, CAPTURE, 7, flip);
    addPawns(RIGHT_CAPTURES, CAPTURE, 9, flip);
  }
  const passed = state[0] & 63;
  if (passed !== 0 && i64(slots[TO] & BIT[passed]) !== slots[NOTHING]) {
    findTakers(passed, us);
    slots[TAKERS] &= slots[MOVERS];
    for (let from; (from = pop(TAKERS)) >= 0;) add(EN_PASSANT, from, passed);
  }

  // Where can the king go? If it is not in check and can step sideways, it may also castle.
  slots[STEPS] = KING_ATTACKS[king] & (slots[us] ^ -1n);
  slots[THE_KING] = slots[MOVERS] & slots[KING];
  if (isEmpty(STEPS) || isEmpty(THE_KING)) return top[0];
  findKingSteps(us, king);
  const canCastle = !inCheck && ((state[0] >> (6 + 2 * us)) & 3) !== 0;
  if (canCastle && i64(slots[REACH] & LINES[RANK | king]) !== slots[NOTHING]) addCastling(us, king);
  slots[REACH] &= slots[TO];
  if (counting) top[0] += size(REACH);
  else addReach(king);
  return top[0];
}

// 8. Perft: count the leaves of the tree of moves -------------------------------------------------
// Counting all lines of some length is the standard test of a move generator: a wrong move anywhere
// changes the count. The last moves need not be made to be counted, which saves most of the work.
function perft(depth: number): number {
  if (depth < 2) return depth === 0 ? 1 : generate(0, true);
  const start = PART * depth, end = generate(start, false);
  let leaves = 0;
  for (let i = start; i < end; i++) {
    const move = list[i], memory = make(move);
    leaves += depth === 2 ? generate(0, true) : perft(depth - 1); // saves a call
    undo(move, memory);
  }
  return leaves;
}

// 9. Out in the open: names, drawings, attacks and FEN --------------------------------------------
// Out here bitboards are unsigned and what comes in is checked, since it may come from plain
// JavaScript: a SyntaxError for what should be a text and does not parse, a RangeError otherwise.

// Returns what it got if `ok`; else says what was expected, and quotes what came, or its start.
function demand<T>(got: T, ok: boolean, error: ErrorConstructor, what: string): T {
  if (ok) return got;
  const isObject = Object(got) === got; // An object can turn itself into any text, or throw.
  const text = typeof got === "string" ? JSON.stringify(got) : isObject ? typeof got : String(got);
  throw new error(`Expected ${what}, got ${text.length > 80 ? text.slice(0, 79) + "…" : text}`);
}

function checkInteger(value: number, min: number, max: number, what: string): number {
  return demand(value, Number.isInteger(value) && value >= min && value <= max, RangeError, what);
}

function checkSquare(square: Square): Square {
  return checkInteger(square, 0, 63, "a square from 0 to 63");
}

function checkMove(move: Move): Move {
  return checkInteger(move, 0, 65535, "a move from 0 to 65535");
}

function checkColor(color: Color): number {
  return "wb".indexOf(demand(color, color === "w" || color === "b", RangeError, '"w" or "b"'));
}

function checkBitboard(set: Bitboard): Bitboard {
  const ok = typeof set === "bigint" && unsigned(set) === set;
  return demand(set, ok, RangeError, "a bitboard from 0 to 2^64 - 1");
}

function checkText(text: string, pattern: RegExp, what: string): string {
  return demand(text, typeof text === "string" && pattern.test(text), SyntaxError, what);
}

/** Names a square: `"a1"` to `"h8"`. */
export function squareName(square: Square): string {
  return "abcdefgh"[checkSquare(square) & 7] + (1 + (square >> 3));
}

/** Finds a square by its name. */
export function parseSquare(name: string): Square {
  checkText(name, /^[a-h][1-8]$/, 'a square such as "e4"');
  return name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49); // "a" is 97, "1" is 49
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

/** Lists the squares of a set, lowest first. */
export function squares(set: Bitboard): Square[] {
  slots[REACH] = checkBitboard(set);
  const found = new Array<Square>(size(REACH));
  for (let i = 0; i < found.length; i++) found[i] = pop(REACH);
  return found;
}

// Puts a set, or the set of one square, into a slot.
function narrow(slot: number, where: Square | Bitboard): void {
  if (typeof where === "bigint") slots[slot] = checkBitboard(where);
  else slots[slot] = BIT[checkSquare(where)];
}

// A rank is eight symbols and the spaces between.
function draw(symbol: (square: Square) => string): string[] {
  return Array.from({ length: 64 }, (_, i) => symbol(i ^ 56)).join(" ").match(/\S.{14}/g)!;
}

/** Draws a set of squares as White sees the board: `X` in the set, `.` not. */
export function drawBitboard(set: Bitboard): string {
  checkBitboard(set);
  return draw((square) => set & BIT[square] ? "X" : ".").join("\n");
}

/** Reads what {@linkcode drawBitboard} draws: eight lines of eight `X` or `.`; spaces do not matter. */
export function parseBitboard(drawing: string): Bitboard {
  const isDrawing = /^(\s*\n)?([^\S\n]*([.X][^\S\n]*){8}(\n|$)){8}\s*$/;
  const marks = checkText(drawing, isDrawing, 'eight lines of eight "." or "X"').replace(/\s/g, "");
  return unsigned(BIT.reduce((set, bit, i) => marks[i ^ 56] === "X" ? set | bit : set, 0n));
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
  return attacksAmong(occupied, square, [DIAGONAL, ANTIDIAGONAL]);
}

/** The squares a rook attacks if `occupied` are all pieces: each way up to the first of them. */
export function rookAttacks(square: Square, occupied: Bitboard): Bitboard {
  return attacksAmong(occupied, square, [FILE, RANK]);
}

/** The squares a queen attacks: those of a bishop and those of a rook. */
export function queenAttacks(square: Square, occupied: Bitboard): Bitboard {
  return attacksAmong(occupied, square, [DIAGONAL, ANTIDIAGONAL, FILE, RANK]);
}

function attacksAmong(occupied: Bitboard, square: Square, axes: number[]): Bitboard {
  checkSquare(square);
  slots[OCCUPIED] = checkBitboard(occupied);
  slots[REACH] = 0n;
  for (const axis of axes) axis === RANK ? slideRank(square) : slide(axis, square);
  slots[OCCUPIED] = slots[WHITE] | slots[BLACK]; // what it is on the desk
  return unsigned(slots[REACH]);
}

const RIGHTS = "- K Q KQ k Kk Qk KQk q Kq Qq KQq kq Kkq Qkq KQkq".split(" "); // by their bits

// Bare kings, one minor piece, or nothing but bishops on squares of one shade: mate is impossible.
function isInsufficient(): boolean {
  slots[REACH] = slots[BISHOP] & i64(0xaa55aa55aa55aa55n); // those on squares of a1's shade
  const bishops = size(BISHOP), dark = size(REACH), others = size(OCCUPIED) - 2 - bishops;
  if (others > 0) return bishops === 0 && others === 1 && !isEmpty(KNIGHT);
  return dark === 0 || dark === bishops;
}

// 10. The Board: a position with its history -------------------------------------------------------
// There may be many boards, but only one position lies on the desk: each method first lays its own
// there. While one board is in use, that is a single comparison. From then on a method calls nothing
// that a subclass can replace: it might lay another board there.
let onDesk: Board | undefined;
/** A position and its history. Compare boards by `fen()` or `hash`; copy by `new Board(old.fen())`. */
export class Board {
  readonly #kept = new BigInt64Array(KEPT_SLOTS);
  readonly #history: { hash: bigint; clock: number; move: Move; memory: number }[] = [];
  readonly #firstPly: number; // half-moves from the start of the game to the FEN
  #clock: number; // half-moves since a capture or pawn move

  // Lays this board's position on the desk; the one that lay there goes back to its board.
  #lay(): BigInt64Array {
    slots[FROM] = slots[TO] = -1n; // All moves are wanted, until #list() narrows them.
    if (onDesk === this) return slots;
    if (onDesk !== undefined) onDesk.#kept.set(position);
    position.set(this.#kept);
    onDesk = this;
    return slots;
  }

  #list(from?: Square | Bitboard, to?: Square | Bitboard): Move[] {
    this.#lay();
    if (from !== undefined) narrow(FROM, from);
    if (to !== undefined) narrow(TO, to);
    const moves = new Array<Move>(generate(0, false));
    for (let i = 0; i < moves.length; i++) moves[i] = list[i];
    return moves;
  }

  /**
   * Sets up a FEN of four fields, or six with both counters. Another form is a `SyntaxError`; a
   * `RangeError` means: not exactly one king a side, more than sixteen pieces a side, a pawn on rank
   * 1 or 8, castling rights without king and rook at home, an en passant square that no pawn can just
   * have passed, a check given by the side to move, or a counter of ten digits. Nothing else is
   * checked, such as nine pawns.
   */
  constructor(fen: string = START) {
    checkText(fen, /^\s*\S+(\s+\S+){3}((\s+\S+){2})?\s*$/, "a FEN of four or six fields");
    const [placement, turn, castling, target, clock = "0", fullmove = "1"] = fen.match(/\S+/g)!;
    const rows = checkText(placement, /^([^/]*\/){7}[^/]*$/, "eight ranks").split("/");
    this.#lay(); // all 0, since this board is new
    for (const [i, row] of rows.entries()) {
      let square = 56 - 8 * i;
      for (const symbol of checkText(row, /^[PNBRQKpnbrqk1-8]*$/, "pieces and digits in a rank")) {
        if (symbol <= "8") square += Number(symbol);
        else toggle(LETTERS.indexOf(symbol), NOWHERE, square++ & 63); // one too many is refused below
      }
      demand(row, square === 64 - 8 * i, SyntaxError, "eight files in a rank");
    }
    const us = "wb".indexOf(checkText(turn, /^[wb]$/, '"w" or "b" to move')), them = us ^ 1;
    const rights = RIGHTS.indexOf(castling), passed = target === "-" ? 0 : parseSquare(target);
    demand(castling, rights >= 0, SyntaxError, 'castling rights such as "KQkq" or "-"');
    for (const counter of [clock, fullmove]) {
      checkText(counter, /^\d+$/, "a whole number as counter");
      demand(counter, counter.length < 10, RangeError, "a counter of at most nine digits");
    }
    const hasKings = size(KING) === 2 && findKing(WHITE) >= 0 && findKing(BLACK) >= 0;
    demand(placement, hasKings, RangeError, 'one "K" and one "k"');
    const larger = Math.max(size(WHITE), size(BLACK)), ends = bytes[PAWN * 8] | bytes[PAWN * 8 + 7];
    demand(placement, larger <= 16, RangeError, "at most sixteen pieces a side");
    demand(placement, ends === 0, RangeError, "no pawn on rank 1 or 8");
    for (const [right, [king, rook]] of HOMES.entries()) {
      const isHome = LETTERS[mailbox[king]] + LETTERS[mailbox[rook]] === (right < 2 ? "KR" : "kr");
      demand(castling, isHome || !((rights >> right) & 1), RangeError, "king and rook at home");
    }
    const up = 8 - 16 * us, pawn = (PAWN << 1) | them, way = mailbox[passed] | mailbox[passed + up];
    const isPassed = passed >> 3 === 5 - 3 * us && mailbox[passed - up] === pawn && way === EMPTY;
    demand(target, target === "-" || isPassed, RangeError, "a square that a pawn has just passed");
    demand(fen, !isInCheck(them), RangeError, "no check by the side to move");
    setState((us << 10) | (rights << 6) | (passed !== 0 && findTakers(passed, us) ? passed : 0));
    this.#clock = Number(clock);
    this.#firstPly = 2 * Math.max(Number(fullmove) - 1, 0) + us;
  }

  /** Writes the position as FEN, with an en passant square only if a pawn can legally capture there. */
  fen(): string {
    this.#lay();
    let rows = "", gap = 0; // how many empty squares are just before this one
    for (let i = 0; i < 64; i++, gap++) {
      const piece = mailbox[i ^ 56], isFirst = i % 8 === 0;
      if (piece === EMPTY && !isFirst) continue;
      rows += (gap > 0 ? gap : "") + (isFirst ? "/" : "") + (piece === EMPTY ? "" : LETTERS[piece]);
      gap = piece === EMPTY ? 0 : -1;
    }
    const target = (state[0] & 63) === 0 ? "-" : squareName(state[0] & 63);
    const fields = ["wb"[state[0] >> 10], RIGHTS[(state[0] >> 6) & 15], target, this.#clock];
    const fullmove = ((this.#firstPly + this.#history.length) >> 1) + 1;
    return `${rows.slice(1)}${gap || ""} ${fields.join(" ")} ${fullmove}`;
  }

  /** What `JSON.stringify` writes: the FEN. */
  toJSON(): string {
    return this.fen();
  }

  /** Draws the board as White sees it, with the rest of the position beside it. */
  toString(): string {
    const [, turn, castling, passed, clock, fullmove] = Board.prototype.fen.call(this).split(" ");
    const hash = `0x${unsigned(slots[HASH]).toString(16).padStart(16, "0")}`;
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

  /** The 64-bit Zobrist hash: equal positions have equal hashes, in every run of the program. */
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
    demand(piece, index >= 0, RangeError, 'a piece such as "P" or "k"');
    return unsigned(this.#lay()[index >> 1] & slots[index & 1]);
  }

  /** The piece on a square, or `undefined`. */
  at(square: Square): Piece | undefined {
    this.#lay();
    const piece = mailbox[checkSquare(square)];
    return piece === EMPTY ? undefined : LETTERS[piece] as Piece;
  }

  /** Lists the legal moves: all, or only those `from` and `to` a square, or the squares of a set. */
  moves(from?: Square | Bitboard, to?: Square | Bitboard): Move[] {
    return this.#list(from, to);
  }

  /** Counts the legal moves, faster than listing them. */
  count(): number {
    this.#lay();
    return generate(0, true);
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
    demand(0, this.#history.length > 0, RangeError, "a move in the history to undo");
    const { move, memory, clock } = this.#history.pop()!;
    this.#lay();
    undo(move, memory);
    this.#clock = clock;
    return move;
  }

  /** Finds the legal move that a UCI text names: `"e2e4"`, `"e7e8q"` or, castling, `"e1g1"`. */
  parseUci(uci: string): Move {
    checkText(uci, /^([a-h][1-8]){2}[nbrq]?$/, 'a move such as "e2e4" or "e7e8q"');
    const moves = this.#list(parseSquare(uci.slice(0, 2)), parseSquare(uci.slice(2, 4)));
    const move = moves.find((move) => promotion(move) === uci[4]);
    demand(uci, move !== undefined, RangeError, "a move that is legal here");
    return move!;
  }

  /** Plays the move that a UCI text names, see {@linkcode Board.parseUci}, and returns the board. */
  play(uci: string): this {
    this.make(this.parseUci(uci));
    return this;
  }

  /** Whether the side to move is in check. */
  isCheck(): boolean {
    this.#lay();
    return isInCheck(state[0] >> 10);
  }

  /** The pieces of a color that attack a square, empty or not; pinned pieces included. */
  attackers(square: Square, color: Color): Bitboard {
    this.#lay();
    findAttackers(checkSquare(square), checkColor(color));
    return unsigned(slots[ATTACKERS]);
  }

  /** Says how the game has ended, if it has; 100 half-moves or a third occurrence need no claim. */
  outcome(): Outcome | undefined {
    const hash = this.#lay()[HASH], height = this.#history.length;
    if (generate(0, true) === 0) return isInCheck(state[0] >> 10) ? "checkmate" : "stalemate";
    if (isInsufficient()) return "insufficient material";
    if (this.#clock >= 100) return "fifty-move rule";
    const since = this.#history.slice(Math.max(0, height - this.#clock)); // since a capture or pawn move
    const earlier = since.filter((frame) => frame.hash === hash).length;
    return earlier >= 2 ? "threefold repetition" : undefined;
  }

  /** Counts the ways to play `depth` half-moves, 0 to 64: the leaves of the tree of legal moves. */
  perft(depth: number): number {
    this.#lay();
    return perft(checkInteger(depth, 0, MAX_DEPTH, "a depth from 0 to 64"));
  }

  /** Counts as {@linkcode Board.perft} does, but below each legal move separately. */
  divide(depth: number): Map<string, number> {
    checkInteger(depth, 1, MAX_DEPTH, "a depth from 1 to 64");
    const counts = new Map<string, number>();
    for (const move of this.#list()) {
      const memory = make(move);
      counts.set(toUci(move), perft(depth - 1));
      undo(move, memory);
    }
    return counts;
  }
}
