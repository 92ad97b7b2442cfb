/**
 * Chess games as people write them: moves in standard algebraic notation (SAN), games in portable
 * game notation (PGN). It stands on the public API of the move generator alone.
 *
 * @example Replay a game
 * ```ts
 * import { parseSan, readPgn, replay, toSan } from "@quintessence/chess/pgn";
 * import { assertEquals } from "@std/assert";
 *
 * const [game] = readPgn('[White "Greco"] 1. f3 e5 2. g4 {A gift.} Qh4# 0-1');
 * assertEquals(game, { tags: { White: "Greco" }, moves: ["f3", "e5", "g4", "Qh4#"], result: "0-1" });
 *
 * const board = replay(game);
 * assertEquals(board.outcome(), "checkmate");
 * const mate = board.undo();
 * assertEquals(toSan(board, mate), "Qh4#");
 * assertEquals(parseSan(board, "Qh4"), mate);
 * ```
 *
 * @module
 */

import { Board, isCapture, moveFrom, moveTo, promotion, squares, toUci } from "../mod.ts";
import type { Move, Piece, Square } from "../mod.ts";

/** How a game ended; `"*"` if it did not, or if nobody knows. */
export type Result = "1-0" | "0-1" | "1/2-1/2" | "*";

/** A game: what is known about it, and its main line. */
export interface Game {
  /** The tags by name, such as `White`, `Date`, or `FEN` for a game from another position. */
  tags: Record<string, string>;
  /** The moves of both sides as SAN texts. */
  moves: string[];
  /** The result as it stands after the moves; if none does, that of the tag. */
  result: Result;
}

function refuse(error: ErrorConstructor, expected: string, got: string, board?: Board): never {
  const short = got.length > 60 ? got.slice(0, 59) + "…" : got;
  const where = board ? ` in ${board.fen()}` : "";
  throw new error(`Expected ${expected}, got ${JSON.stringify(short)}${where}`);
}

// ---------------------------------------------------------------------------------------------
// Moves: SAN names a piece and its target; where the piece comes from is for the reader to find
// ---------------------------------------------------------------------------------------------

const FILES = "abcdefgh";
const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];
const SAN =
  /^(?:([PNBRQK])?([a-h])?([1-8])?[-x:]?([a-h])([1-8])(?:=?([NBRQnbrq]))?(?: ?e\.p\.)?|([O0]-[O0](-[O0])?))[+#!?]*$/;

/** What a word says, whatever the position; -1 is a file or rank that a move leaves open. */
function takeApart(text: string) {
  const [isMove, kind = "P", file = "", rank = 0, toFile, toRank, promoted, castles, long] =
    text.match(SAN) ?? [];
  const isNumber = /^(\d+|[A-Za-z])$/.test(text); // or a letter, such as those of "e.p."
  return {
    text,
    sort: isMove ? "move" : RESULTS.includes(text) ? "result" : isNumber ? "number" : "nonsense",
    white: (castles ? "K" : kind) as Piece,
    black: (castles ? "k" : kind.toLowerCase()) as Piece,
    file: castles ? 4 : file ? FILES.indexOf(file) : -1,
    rank: Number(rank) - 1,
    to: castles ? (long ? 2 : 6) : FILES.indexOf(toFile) + 8 * Number(toRank) - 8, // White's
    promoted: promoted?.toLowerCase(),
    castles: castles !== undefined,
  };
}

// The same few thousand words make up all games, so each is taken apart once and kept for all.
const known: ReturnType<typeof takeApart>[] = new Array(2 ** 14);

/** Takes apart the word that stands at a place of a text, unless it is known. */
function recall(text: string, from = 0, to: number = text.length): ReturnType<typeof takeApart> {
  let hash = 0;
  for (let i = from; i < to; i++) hash = hash * 31 + text.charCodeAt(i) & known.length - 1;
  let word = known[hash];
  if (word?.text.length !== to - from || !text.startsWith(word.text, from)) {
    word = takeApart(text.slice(from, to));
    if (word.sort !== "nonsense") known[hash] = word;
  }
  return word;
}

/** The squares from which a piece of ours goes to another, if our king does not mind. */
function sources(board: Board, piece: Piece, to: Square, file: number): Square[] {
  if (piece !== "P" && piece !== "p") {
    return squares(board.attackers(to, piece < "a" ? "w" : "b") & board.pieces(piece));
  }
  const back = piece === "P" ? -8 : 8, near = (to & 56 | (file < 0 ? to & 7 : file)) + back & 63;
  if (board.at(near) === piece) return [near];
  const far = near + back & 63;
  return board.at(far) === piece ? [far] : [];
}

/**
 * Finds the legal move that a SAN text names. Besides what the standard demands, it reads what is
 * found in real files: `0-0`, `a8Q`, `Ng1f3`, `e2-e4`, `exd6 e.p.`, `Nf3!?`, and `+` and `#` that
 * are missing or wrong.
 *
 * @param board The position.
 * @param text The move, such as `"Nf3"`, `"exd6"`, `"O-O"` or `"a8=Q+"`.
 * @returns The move.
 * @throws {SyntaxError} If the text is not a move.
 * @throws {RangeError} If no legal move has that name, or more than one.
 */
export function parseSan(board: Board, text: string): Move {
  const san = recall(text), isWhite = board.turn === "w";
  if (san.sort !== "move") refuse(SyntaxError, 'a move such as "Nf3"', text, board);
  const { file, rank, castles, promoted } = san, piece = isWhite ? san.white : san.black;
  const to = castles && !isWhite ? san.to ^ 56 : san.to;
  let found = 0, count = 0;
  for (const from of castles ? squares(board.pieces(piece)) : sources(board, piece, to, file)) {
    if (file >= 0 && (from & 7) !== file || rank >= 0 && from >> 3 !== rank) continue;
    for (const move of board.moves(from)) {
      if ((move & 63) !== to || promoted && promotion(move) !== promoted) continue;
      found = move;
      count++;
    }
  }
  if (count === 1) return found;
  refuse(RangeError, count === 0 ? "a legal move" : "a move that is not ambiguous", text, board);
}

/**
 * Writes a move in SAN, in the shortest form that no other legal move shares.
 *
 * @param board The position; it is left as it was.
 * @param move One of its legal moves.
 * @returns The text, such as `"Nbd2"`, `"exd6"`, `"O-O-O"`, `"a8=Q+"` or `"Rd8#"`.
 * @throws {RangeError} If the move is not legal.
 */
export function toSan(board: Board, move: Move): string {
  const from = moveFrom(move), to = moveTo(move), uci = toUci(move);
  if (!board.moves(from).includes(move)) refuse(RangeError, "a legal move", uci, board);
  const piece = board.at(from)!, kind = piece.toUpperCase();
  let san = kind;
  if (kind === "P") san = isCapture(move) ? uci[0] : "";
  else {
    const rivals = sources(board, piece, to, -1).filter((rival) =>
      rival !== from && board.moves(rival).some((move) => moveTo(move) === to)
    );
    if (rivals.every((rival) => (rival & 7) !== (from & 7))) san += rivals.length ? uci[0] : "";
    else san += rivals.every((rival) => rival >> 3 !== from >> 3) ? uci[1] : uci.slice(0, 2);
  }
  san += (isCapture(move) ? "x" : "") + uci.slice(2, 4);
  if (promotion(move)) san += "=" + uci[4].toUpperCase();
  if (kind === "K" && Math.abs(to - from) === 2) san = to > from ? "O-O" : "O-O-O";
  board.make(move);
  if (board.isCheck()) san += board.count() === 0 ? "#" : "+";
  board.undo();
  return san;
}

// ---------------------------------------------------------------------------------------------
// Games: one pass over the text, character by character
// ---------------------------------------------------------------------------------------------

const TAG = /\[\s*(\w+)\s*"((?:[^"\\\r\n]|\\.|"(?!\s*\])){0,9999})"\s*\]/y;
const ASIDE = /\s|;.*|^%.*|\$\d+/my; // comments on a line, lines for other programs, glyphs

// What a character belongs to: a word (a move, a number, a result), a gap between words, or neither.
const WORD = 1, GAP = 2;
const TYPES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[\w+#=:/*-]/.test(character) ? WORD : /[\0- .!?]/.test(character) ? GAP : 0;
});

/** Reads a game: where it starts (-1 if there is none) and ends, or what was expected there. */
function scan(text: string, at: number, lastBrace: number) {
  const tags: Game["tags"] = {}, moves: string[] = [];
  let start = -1, depth = 0, opened = 0, result = "", expected = "";
  while (at < text.length && !result && !expected) {
    const type = TYPES[text.charCodeAt(at)], first = at;
    if (type === GAP) at++;
    else if (type === WORD) {
      do at++; while (at < text.length && TYPES[text.charCodeAt(at)] === WORD);
      if (depth > 0) continue;
      const word = recall(text, first, at);
      if (word.sort === "number") continue;
      if (word.sort === "move") moves.push(word.text);
      else if (word.sort === "result") result = word.text;
      else [at, expected] = [first, "a move"];
      if (start < 0) start = first;
    } else if (text[at] === "{" && at < lastBrace) at = text.indexOf("}", at) + 1;
    else if ((ASIDE.lastIndex = at, ASIDE.test(text))) at = ASIDE.lastIndex;
    else if (text[at] === "(") {
      if (depth++ === 0) opened = at;
      at++;
    } else if (text[at] === ")" && depth > 0) [at, depth] = [at + 1, depth - 1];
    else if (text[at] === "[" && depth === 0) {
      TAG.lastIndex = at;
      const [, name, value] = TAG.exec(text) ?? [];
      if (moves.length > 0 || name === "Event" && start >= 0) break; // the next game
      if (start < 0) start = at;
      if (name === undefined) expected = 'a tag such as [White "Greco"]';
      else {
        tags[name] = value.includes("\\") ? value.replaceAll(/\\(["\\])/g, "$1") : value;
        at = TAG.lastIndex;
      }
    } else expected = text[at] === "{" ? 'a comment with its "}"' : "a move";
  }
  if (depth > 0) [at, expected] = [opened, 'a variation with its ")"'];
  if (!result) result = RESULTS.includes(tags.Result) ? tags.Result : "*";
  return { game: { tags, moves, result: result as Result }, start, end: at, expected };
}

/** The lines in which the games that were read begin; `replay` tells them, but no game holds its. */
const places = new WeakMap<Game, number>();

/**
 * Reads the games of a text one by one, past comments, variations, glyphs and all else that is not
 * the main line.
 *
 * @param text The text, of any number of games.
 * @returns The games. What is broken makes the iterator throw a `SyntaxError` that names the line;
 * asked for the next game again, it goes on with the one after the broken one.
 */
export function readPgn(text: string): IterableIterator<Game> {
  const lastBrace = text.lastIndexOf("}");
  let at = 0, line = 1;
  const advance = (to: number): number => {
    for (let end; (end = text.indexOf("\n", at)) >= 0 && end < to; at = end + 1) line++;
    at = to;
    return line;
  };
  return {
    [Symbol.iterator]() {
      return this;
    },
    next(): IteratorResult<Game> {
      const { game, start, end, expected } = scan(text, at, lastBrace);
      if (expected) {
        const place = advance(end), got = text.slice(at, at + 30).split(/\r?\n/, 1)[0];
        const next = text.indexOf("\n[Event ", at);
        advance(next < 0 ? text.length : next);
        throw new SyntaxError(`Line ${place}: Expected ${expected}, got ${JSON.stringify(got)}`);
      }
      if (start < 0) return { done: true, value: undefined };
      places.set(game, advance(start));
      advance(end);
      return { done: false, value: game };
    },
  };
}

/** The number before a move, so many half-moves after a FEN: `"12."`, or `"12..."` for Black's. */
function moveNumber(fen: string, later = 0): string {
  const [, turn, , , , number] = fen.split(" ");
  const ply = 2 * Number(number) - (turn === "w" ? 2 : 1) + later;
  return (ply >> 1) + 1 + (ply & 1 ? "..." : ".");
}

/**
 * Plays a game through.
 *
 * @param game The game.
 * @param strict Whether a `+` or `#` that is not true is an error.
 * @returns The board at its end, from which `undo()` leads back to the start.
 * @throws {SyntaxError} If one of its texts is not a move, or its `FEN` tag not a FEN.
 * @throws {RangeError} If one of its moves is not legal, or its `FEN` tag not a position. Both name
 * the line in which the game begins, the number of the move and its text.
 */
export function replay(game: Game, strict = false): Board {
  let board: Board | undefined, text = "FEN tag";
  try {
    board = new Board(game.tags.FEN);
    for (text of game.moves) {
      const move = parseSan(board, text), sign = strict && text.match(/[+#]$/)?.[0];
      if (sign && !toSan(board, move).endsWith(sign)) refuse(RangeError, toSan(board, move), text);
      board.make(move);
    }
    return board;
  } catch (error) {
    const place = places.has(game) ? `Line ${places.get(game)}: ` : "";
    const number = board ? moveNumber(board.fen()) + " " : "";
    const { message, constructor } = error as Error;
    throw new (constructor as ErrorConstructor)(`${place}${number}${text}: ${message}`);
  }
}

const ROSTER = { Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?" };

/**
 * Writes a game in the standard's export format: the roster of seven tags and the other tags, then
 * the moves in lines of less than 80 characters.
 *
 * @param game The game.
 * @returns The text, which ends with an empty line, so that those of several games can be joined.
 * @throws {RangeError} If the game holds what PGN cannot.
 */
export function writePgn(game: Game): string {
  const { tags, moves, result } = game;
  const all: Game["tags"] = { ...ROSTER, Result: result, ...tags };
  const lines = Object.keys(all).map((name) => {
    const line = `[${name} "${all[name].replaceAll(/["\\]/g, "\\$&")}"]`;
    return /^\[\w+ ".*$/.test(line) ? line : refuse(RangeError, "a tag of one line", line);
  });
  const fen = new Board(tags.FEN).fen();
  const words = moves.flatMap((text, i) => {
    if (recall(text).sort !== "move" || /[\s!?]/.test(text)) {
      refuse(RangeError, "a move in SAN", text);
    }
    const number = moveNumber(fen, i);
    return i === 0 || !number.endsWith("...") ? [number, text] : [text];
  });
  if (!RESULTS.includes(result)) refuse(RangeError, `one of ${RESULTS.join(" ")}`, result);
  const movetext = [...words, result].join(" ").replaceAll(/(.{1,79})(?: |$)/g, "$1\n");
  return `${lines.join("\n")}\n\n${movetext}\n`;
}
