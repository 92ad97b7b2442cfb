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

import { Board, isCapture, type Move, moveFrom, parseSquare, type Piece, toUci } from "../mod.ts";

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
  const short = JSON.stringify(got.length > 60 ? got.slice(0, 59) + "…" : got);
  throw new error(`Expected ${expected}, got ${short}${board ? ` in ${board.fen()}` : ""}`);
}

// ---------------------------------------------------------------------------------------------
// Words: a move in SAN names the piece, the square it goes to and, in case of doubt, where it stands
// ---------------------------------------------------------------------------------------------

const ALL = 2n ** 64n - 1n, FILE_A = 0x0101010101010101n, RANK_1 = 0xffn;
const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];
const SAN =
  /^(?:([PNBRQK])?([a-h])?([1-8])?[-x:]?([a-h][1-8])(?:=?([NBRQnbrq]))?(?: ?e\.p\.)?|[O0]-[O0](-[O0])?)[+#!?]*$/;

/** What a word says, whatever the position: the piece, the squares it goes from and to, the flags. */
function takeApart(text: string) {
  const [isMove, sign, file, rank, target, promoted, long] = text.match(SAN) ?? [];
  const isNumber = /^(\d+|[A-Za-z])$/.test(text); // or a letter, such as those of "e.p."
  const other = isNumber ? "number" : RESULTS.includes(text) ? "result" : "nonsense";
  const kind = sign ?? (target ? "P" : "K"), fromFile = file ?? (kind === "P" ? target[0] : "");
  const onFile = fromFile ? FILE_A << BigInt(parseSquare(fromFile + "1")) : ALL;
  const onRank = rank ? RANK_1 << BigInt(parseSquare("a" + rank)) : ALL;
  const to = target ? parseSquare(target) : undefined;
  // Castling and promotions have flags that must be there; a king that only steps lacks castling's.
  const castling = target ? 0 : long ? 3 : 2;
  const flags = promoted ? 8 + "NBRQ".indexOf(promoted.toUpperCase()) : castling;
  const mask = flags ? 11 : kind === "K" ? 2 : 0; // without 4, which says that it captures
  const white = kind as Piece, black = kind.toLowerCase() as Piece, from = onFile & onRank;
  return { text, sort: isMove ? "move" : other, white, black, from, to, flags, mask };
}

type Word = ReturnType<typeof takeApart>;

// What a character belongs to: a word (a move, a number, a result), a gap between words, or neither.
const WORD = 1, GAP = 2;
const TYPES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[\w+#=:/*-]/.test(character) ? WORD : /[\0- .!?]/.test(character) ? GAP : 0;
});

// The same few thousand words make up all games, so each is taken apart once and kept for all.
const known: Word[] = new Array(2 ** 14);

/** Takes apart the word that begins at a place of a text, unless it is known. */
function recall(text: string, at = 0): Word {
  let hash = 0, end = at;
  for (let code; end < text.length && TYPES[code = text.charCodeAt(end)] === WORD; end++) {
    hash = hash * 47 + code & known.length - 1;
  }
  const word = known[hash];
  if (word?.text.length === end - at && text.startsWith(word.text, at)) return word;
  return known[hash] = takeApart(text.slice(at, end));
}

/** The legal moves that a word can mean. */
function find(board: Board, { white, black, from, to, flags, mask }: Word): Move[] {
  const pieces = board.pieces(board.turn === "w" ? white : black);
  const moves = board.moves(pieces & from, to);
  return mask ? moves.filter((move) => (move >> 12 & mask) === flags) : moves;
}

/**
 * Finds the legal move that a SAN text names. Besides what the standard demands, it reads what is
 * found in real files: `0-0`, `a8Q`, `Ng1f3`, `e2-e4`, `exd6 e.p.`, `Nf3!?`, and `+` and `#` that
 * are missing or wrong. Any other text is a `SyntaxError`, and it is a `RangeError` if no legal move
 * has that name, or more than one.
 */
export function parseSan(board: Board, text: string): Move {
  const word = recall(text), san = word.text === text ? word : takeApart(text);
  if (san.sort !== "move") refuse(SyntaxError, 'a move such as "Nf3"', text, board);
  const moves = find(board, san);
  if (moves.length === 1) return moves[0];
  const expected = moves.length > 0 ? "a move that is not ambiguous" : "a legal move";
  refuse(RangeError, expected, text, board);
}

/**
 * Writes a legal move in SAN, in the shortest form that no other move shares: `"Nbd2"`, `"exd6"`,
 * `"O-O-O"`, `"a8=Q+"`, `"Rd8#"`. A move that is not legal is a `RangeError`.
 */
export function toSan(board: Board, move: Move): string {
  const uci = toUci(move), kind = board.at(moveFrom(move))?.toUpperCase() ?? "";
  const castling = ["O-O", "O-O-O"][(move >> 12) - 2], piece = kind === "P" ? "" : kind;
  const target = uci.slice(2).replace(/[nbrq]$/, (kind) => "=" + kind.toUpperCase());
  const end = (isCapture(move) ? "x" : "") + target;
  const forms = ["", uci[0], uci[1], uci.slice(0, 2)].map((start) => piece + start + end);
  const isClear = (san: string) => find(board, recall(san)).join() === String(move);
  const san = (castling ? [castling] : forms).find(isClear) ??
    refuse(RangeError, "a legal move", uci, board);
  board.make(move);
  const sign = !board.isCheck() ? "" : board.count() === 0 ? "#" : "+";
  board.undo();
  return san + sign;
}

// ---------------------------------------------------------------------------------------------
// Games: one pass over the text, word by word
// ---------------------------------------------------------------------------------------------

const TAG = /\[\s*(\w+)\s*"((?:[^"\\\r\n]|\\.|"(?!\s*\])){0,9999})"\s*\]/y;
const ASIDE = /\s|;.*|^%.*|\$\d+/my; // comments on a line, lines for other programs, glyphs

/** Reads a game: where it starts (-1 if there is none) and ends, or what was expected there. */
function scan(text: string, at: number, lastBrace: number) {
  const tags: Game["tags"] = {}, moves: string[] = [];
  let start = -1, depth = 0, opened = 0, ending = "", expected = "";
  while (at < text.length && !ending && !expected) {
    const type = TYPES[text.charCodeAt(at)];
    if (type === GAP) at++;
    else if (type === WORD) {
      const word = recall(text, at), first = at;
      at += word.text.length;
      if (depth > 0 || word.sort === "number") continue;
      if (start < 0) start = first;
      if (word.sort === "move") moves.push(word.text);
      else if (word.sort === "result") ending = word.text;
      else [at, expected] = [first, "a move"];
    } else if (text[at] === "[" && depth === 0) {
      TAG.lastIndex = at;
      const tag = TAG.exec(text);
      if (moves.length > 0 || tag?.[1] === "Event" && start >= 0) break; // the next game
      if (start < 0) start = at;
      if (tag) {
        tags[tag[1]] = tag[2].includes("\\") ? tag[2].replaceAll(/\\(["\\])/g, "$1") : tag[2];
        at = TAG.lastIndex;
      } else expected = 'a tag such as [White "Greco"]';
    } else if (text[at] === "(") [opened, depth, at] = [depth ? opened : at, depth + 1, at + 1];
    else if (text[at] === ")" && depth > 0) [depth, at] = [depth - 1, at + 1];
    else if (text[at] === "{" && at < lastBrace) at = text.indexOf("}", at) + 1;
    else if ((ASIDE.lastIndex = at, ASIDE.test(text))) at = ASIDE.lastIndex;
    else expected = text[at] === "{" ? 'a comment with its "}"' : "a move";
  }
  if (depth > 0) [at, expected] = [opened, 'a variation with its ")"'];
  const result = RESULTS.find((result) => result === (ending || tags.Result)) ?? "*";
  return { game: { tags, moves, result: result as Result }, start, end: at, expected };
}

/** The lines in which the games that were read begin; `replay` tells them, but no game holds its. */
const places = new WeakMap<Game, number>();

/**
 * Reads the games of a text one by one, past comments, variations, glyphs and all else that is not
 * the main line. What is broken makes the iterator throw a `SyntaxError` that names the line; asked
 * for the next game again, it goes on with the one after the broken one.
 */
export function readPgn(text: string): IterableIterator<Game> {
  const lastBrace = text.lastIndexOf("}");
  let at = 0, line = 1;
  const advance = (to: number): number => {
    for (let end; (end = text.indexOf("\n", at)) >= 0 && end < to; at = end + 1) line++;
    at = to;
    return line;
  };
  const games: IterableIterator<Game> = {
    [Symbol.iterator]: () => games,
    next() {
      const { game, start, end, expected } = scan(text, at, lastBrace);
      if (expected) {
        const place = advance(end), [got] = text.slice(at, at + 30).split(/\r?\n/, 1);
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
  return games;
}

/** The number before a move, so many half-moves after a FEN: `"12."`, or `"12..."` for Black's. */
function moveNumber(fen: string, later = 0): string {
  const [, turn, , , , number] = fen.split(" ");
  const ply = 2 * Number(number) + (turn === "w" ? 0 : 1) + later;
  return (ply >> 1) + (ply & 1 ? "..." : ".");
}

/**
 * Plays a game through and returns the board at its end, from which `undo()` leads back. If it is
 * `strict`, a `+` or `#` that is not true is an error, too. Errors are those of `parseSan` and of
 * `Board`; they name the line in which the game begins, the number of the move and its text.
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
    const { message, constructor } = error as Error, line = places.get(game);
    const place = (line ? `Line ${line}: ` : "") + (board ? moveNumber(board.fen()) + " " : "");
    throw new (constructor as ErrorConstructor)(`${place}${text}: ${message}`);
  }
}

const ROSTER = { Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?" };

/**
 * Writes a game in the standard's export format: the roster of seven tags and the other tags, the
 * moves in lines of less than 80 characters, and an empty line, so that games can be joined. What
 * PGN cannot hold is a `RangeError`.
 */
export function writePgn({ tags, moves, result }: Game): string {
  const lines = Object.entries({ ...ROSTER, Result: result, ...tags }).map(([name, value]) => {
    const line = `[${name} "${value.replaceAll(/["\\]/g, "\\$&")}"]`;
    return /^\[\w+ ".*$/.test(line) ? line : refuse(RangeError, "a tag of one line", line);
  });
  const fen = new Board(tags.FEN).fen();
  const words = moves.map((text, i) => {
    const { text: word, sort } = recall(text), number = moveNumber(fen, i);
    if (word !== text || sort !== "move") refuse(RangeError, "a move in SAN", text);
    return i > 0 && number.endsWith("...") ? text : `${number} ${text}`;
  });
  if (!RESULTS.includes(result)) refuse(RangeError, `one of ${RESULTS.join(" ")}`, result);
  const movetext = [...words, result].join(" ").replaceAll(/(.{1,79})(?: |$)/g, "$1\n");
  return `${lines.join("\n")}\n\n${movetext}\n`;
}
