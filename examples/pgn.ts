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

function refuse(error: ErrorConstructor, expected: string, got: unknown, board?: Board): never {
  // No object may turn itself into a text.
  const short = String(Object(got) === got ? typeof got : got).replace(/^(.{59}).{2,}/s, "$1…");
  const text = typeof got === "string" ? JSON.stringify(short) : short;
  throw new error(`Expected ${expected}, got ${text}${board ? ` in ${board.fen()}` : ""}`);
}

// ---------------------------------------------------------------------------------------------
// Words: a move in SAN names the piece, the square it goes to and, in case of doubt, where it stands
// ---------------------------------------------------------------------------------------------

const ALL = 2n ** 64n - 1n, FILE_A = 0x0101010101010101n, RANK_1 = 0xffn;
const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];
const SAN =
  /^(?:([PNBRQK])?([a-h])?([1-8])?[-x:]?([a-h][1-8])(?:=?([NBRQnbrq]))?(?: ?e(?:p|\.p\.)?)?|[O0]-[O0](-[O0])?)[+#!?]{0,5}$/;
// Numbers, what is left of "e.p." without its dots, and opinions such as "+-", but not "--": no move.
const IDLE = /^(?:\d+|e|p|ep|(?!--)[-+/=]+)$/;

/** What a word says, whatever the position: the piece, the squares it goes from and to, the flags. */
function takeApart(text: string) {
  const [move, letter, file, rank, target, promoted, long] = text.match(SAN) ?? [];
  const other = IDLE.test(text) ? "idle" : RESULTS.includes(text) ? "result" : "nonsense";
  const kind = letter ?? (target ? "P" : "K"), fromFile = file ?? (kind === "P" ? target[0] : "");
  const onFile = fromFile ? FILE_A << BigInt(parseSquare(fromFile + "1")) : ALL;
  const onRank = rank ? RANK_1 << BigInt(parseSquare("a" + rank)) : ALL;
  // The flags to look for, as Move has them but without 4, which says that it captures; undefined if
  // any will do. A step of the king has 0, lest Kg1 castle.
  const castling = long ? 3 : 2, step = kind === "K" ? 0 : undefined;
  const flags = promoted ? 8 + "NBRQ".indexOf(promoted.toUpperCase()) : target ? step : castling;
  const pieces = { w: kind, b: kind.toLowerCase() } as { w: Piece; b: Piece };
  const to = target ? parseSquare(target) : undefined;
  return { text, role: move ? "move" : other, pieces, from: onFile & onRank, to, flags };
}

type Word = ReturnType<typeof takeApart>;

// What a character is: part of a word (a move, a number, a result), or in a gap between words.
const WORD = 1, GAP = 2, SORTS = [/[\w+#=:/-]/, /[\0- .!?]/];
const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const TYPES = Uint8Array.from(ASCII, (char) => 1 + SORTS.findIndex((sort) => sort.test(char)));

// All games share a few thousand words, so each is taken apart once and kept at its hash, until
// another word with that hash replaces it.
const known: Word[] = new Array(2 ** 14);

/** Takes apart the word that begins at a place of a text, unless it is known. */
function recall(text: string, at = 0): Word {
  let hash = text.charCodeAt(at) & (known.length - 1), end = at + 1;
  for (let code; end < text.length && TYPES[code = text.charCodeAt(end)] === WORD; end++) {
    hash = (hash * 47 + code) & (known.length - 1);
  }
  const word = known[hash];
  if (word?.text.length === end - at && text.startsWith(word.text, at)) return word;
  const taken = takeApart(text.slice(at, end));
  return end - at > 12 ? taken : known[hash] = taken; // V8 keeps the whole text of a longer slice
}

/** The legal moves that a word can mean. */
function find(board: Board, { pieces, from, to, flags }: Word): Move[] {
  const moves = board.moves(board.pieces(pieces[board.turn]) & from, to);
  return flags === undefined ? moves : moves.filter((move) => (move >> 12 & ~4) === flags);
}

/**
 * Finds the legal move that a SAN text names. Besides what the standard demands, it reads what is
 * found in real files: `0-0`, `a8Q`, `Ng1f3`, `e2-e4`, `exd6 e.p.`, `Nf3!?`, and `+` and `#` that
 * are missing or wrong. Any other text is a `SyntaxError`, and it is a `RangeError` if no legal move
 * has that name, or more than one.
 */
export function parseSan(board: Board, text: string): Move {
  const whole = typeof text === "string" ? text : "", word = recall(whole);
  const san = word.text === whole ? word : takeApart(whole);
  if (san.role !== "move") refuse(SyntaxError, 'a move such as "Nf3"', text, board);
  const [move, rival] = find(board, san);
  if (move !== undefined && rival === undefined) return move;
  refuse(RangeError, rival ? "a move that is not ambiguous" : "a legal move", text, board);
}

/**
 * Writes a legal move in SAN, in the shortest form that no other move shares: `"Nbd2"`, `"exd6"`,
 * `"O-O-O"`, `"a8=Q+"`, `"Rd8#"`. An illegal move is a `RangeError`.
 */
export function toSan(board: Board, move: Move): string {
  const uci = toUci(move), piece = board.at(moveFrom(move))?.toUpperCase().replace("P", "") ?? "";
  const target = uci.slice(2).replace(/[nbrq]$/, (letter) => "=" + letter.toUpperCase());
  const end = (isCapture(move) ? "x" : "") + target;
  const forms = ["", uci[0], uci[1], uci.slice(0, 2)].map((start) => piece + start + end);
  const isClear = (san: string) => find(board, recall(san)).join() === String(move);
  const san = [...forms, "O-O", "O-O-O"].find(isClear) ??
    refuse(RangeError, "a legal move", uci, board);
  board.make(move);
  const sign = !board.isCheck() ? "" : board.count() === 0 ? "#" : "+";
  board.undo();
  return san + sign;
}

// ---------------------------------------------------------------------------------------------
// Games: one pass over the text, word by word
// ---------------------------------------------------------------------------------------------

const TAG = /\[\s*(\w+)\s*"((?:\\.|[^\\\r\n])*?)"\s*\]/y;
const ASIDE = /\s|;[^\r\n]*|^%[^\r\n]*|\$\d+/my; // rests of lines, lines for programs, glyphs
// Up to the "[" of a game: of a tag line after any other line, or of an Event after any line.
const GAME = /(?<![^\n])[ \t]*(?:[^[\s][^\n]*\n\s*|\S[^\n]*\n\s*(?=\[Event\b))(?<=\n)\[/g;

/**
 * Reads a game, up to its end: where it starts (-1 if there is none), or else what was expected, and
 * the place where.
 */
function scan(text: string, at: number, lastBrace: number) {
  const tags: Game["tags"] = {}, moves: string[] = [], opened: number[] = [];
  let start = -1, ending = "", expected = "";
  while (at < text.length && !ending && !expected) {
    const type = TYPES[text.charCodeAt(at)];
    if (type === GAP) at++;
    else if (type === WORD) {
      const word = recall(text, at), first = at;
      at += word.text.length;
      if (opened.length > 0 || word.role === "idle") continue;
      if (start < 0) start = first;
      if (word.role === "move") moves.push(word.text);
      else if (word.role === "result") ending = word.text;
      else [at, expected] = [first, "a move"];
    } else if (text[at] === "[") {
      TAG.lastIndex = at;
      const tag = TAG.exec(text), isNext = tag?.[1] === "Event" && tags.Event !== undefined;
      if (moves.length + opened.length > 0 || isNext) break; // the next game
      if (start < 0) start = at;
      if (tag) {
        tags[tag[1]] = tag[2].includes("\\") ? tag[2].replaceAll(/\\(["\\])/g, "$1") : tag[2];
        at = TAG.lastIndex;
      } else expected = 'a tag such as [White "Greco"]';
    } else if (text[at] === "(") opened.push(at++);
    else if (text[at] === ")" && opened.pop() !== undefined) at++;
    else if (text[at] === "*" && opened.length === 0) {
      if (start < 0) start = at;
      ending = text[at++];
    } else if (text[at] === "{" && at < lastBrace) at = text.indexOf("}", at) + 1;
    else {
      ASIDE.lastIndex = at;
      if (ASIDE.test(text) || opened.length > 0 && text[at] !== "{") at = ASIDE.lastIndex || at + 1;
      else expected = text[at] === "{" ? 'a comment with its "}"' : "a move";
    }
  }
  if (expected) start = at;
  else if (opened.length > 0) [start, expected] = [opened[0], 'a variation with its ")"'];
  const result = RESULTS.find((result) => result === (ending || tags.Result)) ?? "*";
  return { game: { tags, moves, result: result as Result }, start, end: at, expected };
}

/** The lines in which the games that were read begin, for `replay` to name; games do not hold them. */
const places = new WeakMap<Game, number>();

/**
 * Reads the games of a text one by one, past comments, variations, glyphs and all else off the main
 * line. Broken text makes the iterator throw a `SyntaxError` that names the line; asked for the next
 * game again, it goes on with the next one that has tags.
 */
export function readPgn(text: string): IterableIterator<Game> {
  if (typeof text !== "string") refuse(SyntaxError, "a text in PGN", text);
  const lastBrace = text.lastIndexOf("}");
  let at = 0, line = 1, newline = text.indexOf("\n");
  const advance = (to: number): number => {
    for (; newline >= 0 && newline < to; newline = text.indexOf("\n", newline + 1)) line++;
    at = to;
    return line;
  };
  const games: IterableIterator<Game> = { // no generator: that would end when it throws
    [Symbol.iterator]: () => games,
    next() {
      const { game, start, end, expected } = scan(text, at, lastBrace);
      if (expected) {
        const place = advance(start), [got] = text.slice(at, at + 30).split(/[\r\n]/, 1);
        GAME.lastIndex = text.lastIndexOf("\n", at) + 1;
        advance(start < end ? end : GAME.test(text) ? GAME.lastIndex - 1 : text.length);
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

/** Returns what is a game, since it may come from plain JavaScript. */
function checkGame(game: Game): Game {
  const isText = (it: unknown) => typeof it === "string", { tags, moves } = Object(game);
  const isRecord = Object(tags) === tags && Object.values(tags).every(isText);
  if (isRecord && Array.isArray(moves) && moves.every(isText)) return game;
  refuse(RangeError, "a game { tags, moves, result }", game);
}

/** The number before a move, `later` half-moves after a FEN: `"12."`, or `"12..."` for Black's. */
function moveNumber(fen: string, later = 0): string {
  const [, turn, , , , number] = fen.split(" ");
  const ply = 2 * Number(number) + (turn === "w" ? 0 : 1) + later;
  return (ply >> 1) + (ply & 1 ? "..." : ".");
}

/**
 * Plays a game through and returns the board at its end, from which `undo()` leads back. If
 * `strict`, a false `+` or `#` is an error, too. Errors are those of `parseSan` and of `Board`; they
 * name the number of the move, its text and, if `readPgn` made this object, the line in which the
 * game begins.
 */
export function replay(game: Game, strict = false): Board {
  const { tags, moves } = checkGame(game);
  let board: Board | undefined, text = "FEN tag";
  try {
    board = new Board(tags.FEN);
    for (text of moves) {
      const move = parseSan(board, text), mark = strict && text.match(/[+#](?=[!?]*$)/)?.[0];
      if (mark && !toSan(board, move).endsWith(mark)) refuse(RangeError, toSan(board, move), text);
      board.make(move);
    }
    return board;
  } catch (error) {
    const line = places.get(game), { message } = error as Error;
    const place = (line ? `Line ${line}: ` : "") + (board ? moveNumber(board.fen()) + " " : "");
    throw Object.assign(error as Error, { message: `${place}${text}: ${message}` });
  }
}

const ROSTER = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/**
 * Writes a game in the standard's export format: the roster of seven tags, the other tags in the
 * order of their names, the moves in lines of less than 80 characters, and an empty line, so that
 * games can be joined. What PGN cannot hold is a `RangeError`; a wrong FEN is refused as `Board` does.
 */
export function writePgn(game: Game): string {
  const { tags, moves, result } = checkGame(game), fen = new Board(tags.FEN).fen();
  if (!RESULTS.includes(result)) refuse(RangeError, `one of ${RESULTS.join(" ")}`, result);
  const values: Game["tags"] = { Date: "????.??.??", Result: result, ...tags };
  if (tags.FEN) values.SetUp ??= "1"; // as the standard demands
  const lines = Array.from(new Set([...ROSTER, ...Object.keys(values).sort()]), (name) => {
    const line = `[${name} "${(values[name] ?? "?").replaceAll(/["\\]/g, "\\$&")}"]`;
    return /^\[\w+ "[^\r\n]*$/.test(line) ? line : refuse(RangeError, "a tag of one line", line);
  });
  const words = Array.from(moves, (text, i) => {
    const { text: word, role } = recall(String(text)), number = moveNumber(fen, i);
    if (word !== text || role !== "move") refuse(RangeError, "a move in SAN", text);
    return i > 0 && number.endsWith("...") ? text : `${number} ${text}`;
  });
  const movetext = [...words, result].join(" ").replaceAll(/(.{1,79})(?: |$)/g, "$1\n");
  return `${lines.join("\n")}\n\n${movetext}\n`;
}
