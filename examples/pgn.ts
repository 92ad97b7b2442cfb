/**
 * Chess games as people write them: moves in standard algebraic notation (SAN), games in portable
 * game notation (PGN). It stands on the public API of the move generator.
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

import {
  Board,
  isCapture,
  type Move,
  moveFrom,
  moveTo,
  parseSquare,
  type Piece,
  promotion,
  type Square,
  squareName,
  squares,
  toUci,
} from "../mod.ts";

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

function refuse(error: ErrorConstructor, expected: string, got: string, where = ""): never {
  const short = got.length > 60 ? got.slice(0, 59) + "…" : got;
  throw new error(`Expected ${expected}, got ${JSON.stringify(short)}${where}`);
}

// ---------------------------------------------------------------------------------------------
// Moves: SAN names the piece and its target; where it comes from is for the reader to find
// ---------------------------------------------------------------------------------------------

/** What a SAN text says, whatever the position. */
interface San {
  readonly kind: "P" | "N" | "B" | "R" | "Q" | "K";
  /** File and rank of the from-square as far as they are given, -1 if not. */
  readonly file: number;
  readonly rank: number;
  readonly to: Square;
  readonly promotion: string | undefined;
  readonly castles: boolean;
}

const CASTLING = /^[O0o]-[O0o](-[O0o])?[+#!?]*$/;
const MOVE =
  /^([PNBRQK])?([a-h])?([1-8])?[-x:]?([a-h][1-8])(?:=?([NBRQnbrq]))?(?: ?e\.p\.)?[+#!?]*$/;

// The same few thousand texts make up all games, so each is taken apart once.
const known = new Map<string, San | undefined>();

function takeApart(text: string): San | undefined {
  let san = known.get(text);
  if (san !== undefined) return san;
  const castling = text.match(CASTLING), move = text.match(MOVE);
  if (castling) {
    const to = castling[1] ? 2 : 6; // on White's side
    san = { kind: "K", file: 4, rank: -1, to, promotion: undefined, castles: true };
  } else if (move) {
    const [, kind = "P", file, rank = 0, target, letter] = move;
    san = {
      kind: kind as San["kind"],
      file: file ? file.charCodeAt(0) - 97 : -1,
      rank: Number(rank) - 1,
      to: parseSquare(target),
      promotion: letter?.toLowerCase(),
      castles: false,
    };
  } else return undefined;
  if (known.size >= 20000) known.clear(); // nobody has so many, unless to do harm
  known.set(text, san);
  return san;
}

/** The squares from which a piece of ours could go to another, if its king does not mind. */
function sources(board: Board, kind: "N" | "B" | "R" | "Q" | "K", to: Square): Square[] {
  const us = board.turn, piece = us === "w" ? kind : kind.toLowerCase() as Piece;
  return squares(board.attackers(to, us) & board.pieces(piece));
}

/** The one square from which a pawn could go to another on a way that begins on the given file. */
function pawnSource(board: Board, file: number, to: Square): Square[] {
  const back = board.turn === "w" ? -8 : 8, near = (to & 56 | file) + back;
  if (near < 0 || near > 63) return [];
  const isDouble = near === to + back && board.at(near) === undefined;
  const from = isDouble ? near + back : near;
  const isPawn = from >= 0 && from < 64 && board.at(from) === (back < 0 ? "P" : "p");
  return isPawn ? [from] : [];
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
  const san = takeApart(text);
  if (san === undefined) {
    refuse(SyntaxError, 'a move such as "Nf3"', text, ` in ${board.fen()}`);
  }
  const { kind, file, rank, castles } = san;
  const to = castles && board.turn === "b" ? san.to ^ 56 : san.to;
  const candidates = castles
    ? squares(board.pieces(board.turn === "w" ? "K" : "k"))
    : kind === "P"
    ? pawnSource(board, file < 0 ? to & 7 : file, to)
    : sources(board, kind, to);
  let found = -1, count = 0;
  for (const from of candidates) {
    if (file >= 0 && (from & 7) !== file || rank >= 0 && from >> 3 !== rank) continue;
    for (const move of board.moves(from)) {
      if (moveTo(move) !== to) continue;
      if (promotion(move) !== san.promotion && san.promotion !== undefined) continue;
      found = move;
      count++;
    }
  }
  if (count === 1) return found;
  const expected = count === 0 ? "a legal move" : "a move that is not ambiguous";
  refuse(RangeError, expected, text, ` in ${board.fen()}`);
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
  const from = moveFrom(move), to = moveTo(move);
  if (!board.moves(from).includes(move)) {
    refuse(RangeError, "a legal move", toUci(move), ` in ${board.fen()}`);
  }
  const kind = board.at(from)!.toUpperCase(), start = squareName(from);
  const target = (isCapture(move) ? "x" : "") + squareName(to);
  let san = kind + target;
  if (kind === "P") {
    const piece = promotion(move)?.toUpperCase();
    san = (isCapture(move) ? start[0] : "") + target + (piece ? `=${piece}` : "");
  } else if (kind === "K") {
    if (Math.abs(to - from) === 2) san = to > from ? "O-O" : "O-O-O";
  } else {
    const rivals = sources(board, kind as "N", to).filter((rival) =>
      rival !== from && board.moves(rival).some((move) => moveTo(move) === to)
    );
    const sharesFile = rivals.some((rival) => (rival & 7) === (from & 7));
    const sharesRank = rivals.some((rival) => rival >> 3 === from >> 3);
    if (rivals.length > 0) {
      san = kind + (!sharesFile ? start[0] : !sharesRank ? start[1] : start) + target;
    }
  }
  board.make(move);
  if (board.isCheck()) san += board.count() === 0 ? "#" : "+";
  board.undo();
  return san;
}

// ---------------------------------------------------------------------------------------------
// Games: one pass over the text, character by character
// ---------------------------------------------------------------------------------------------

const TAG = /\[\s*(\w+)\s*"((?:[^"\\\r\n]|\\.|"(?!\s*\]))*)"\s*\]/y;
const RESULT = /^(1-0|0-1|1\/2-1\/2|\*)$/;

/** Whether a character may be part of a move, a move number or a result. */
const WORD = new Uint8Array(65536);
for (let code = 0; code < 128; code++) {
  WORD[code] = /[\w+#=:/.-]/.test(String.fromCharCode(code)) ? 1 : 0;
}

/** A game, the place where it begins and where it ends; or what was expected at the end instead. */
interface Scan {
  readonly game: Game;
  readonly start: number;
  readonly end: number;
  readonly expected?: string;
}

/** Reads one game; its start is -1 if there is none. */
function scan(text: string, at: number): Scan {
  const tags: Game["tags"] = {}, moves: string[] = [];
  const game: Game = { tags, moves, result: "*" };
  let start = -1, depth = 0, opened = 0;
  while (at < text.length) {
    let end = at;
    while (end < text.length && WORD[text.charCodeAt(end)] === 1) end++;
    if (depth > 0 && end > at) at = end;
    else if (end > at) {
      const first = text.charCodeAt(at);
      if (first === 46) at++; // a dot
      else {
        let digits = at;
        while (digits < end && text.charCodeAt(digits) >= 48 && text.charCodeAt(digits) < 58) {
          digits++;
        }
        if (digits > at && (digits === end || text[digits] === ".")) at = digits; // a move number
        else {
          const word = text.slice(at, end);
          if (word !== "e.p.") {
            if (start < 0) start = at;
            if (digits > at && RESULT.test(word)) {
              game.result = word as Result;
              return { game, start, end };
            }
            if (takeApart(word) === undefined) return { game, start, end: at, expected: "a move" };
            moves.push(word);
          }
          at = end;
        }
      }
    } else {
      switch (text[at]) {
        case " ":
        case "\n":
        case "!":
        case "?":
          at++;
          break;
        case "{":
          end = text.indexOf("}", at);
          if (end < 0) return { game, start, end: at, expected: "a comment with an end" };
          at = end + 1;
          break;
        case "%":
        case ";":
          if (text[at] === "%" && at > 0 && text[at - 1] !== "\n") {
            return { game, start, end: at, expected: "a move" };
          }
          end = text.indexOf("\n", at);
          at = end < 0 ? text.length : end;
          break;
        case "(":
          if (depth++ === 0) opened = at;
          at++;
          break;
        case ")":
          if (depth-- === 0) return { game, start, end: at, expected: "a move" };
          at++;
          break;
        case "$":
          at++;
          break;
        case "*":
          if (start < 0) start = at;
          at++;
          if (depth === 0) return { game, start, end: at };
          break;
        case "[": {
          if (depth > 0) return { game, start, end: opened, expected: "a variation with an end" };
          TAG.lastIndex = at;
          const tag = moves.length > 0 ? null : TAG.exec(text);
          if (moves.length > 0 || tag?.[1] === "Event" && start >= 0) {
            game.result = RESULT.test(tags.Result) ? tags.Result as Result : "*";
            return { game, start, end: at };
          }
          if (!tag) return { game, start, end: at, expected: 'a tag such as [White "Greco"]' };
          if (start < 0) start = at;
          tags[tag[1]] = tag[2].includes("\\") ? tag[2].replaceAll(/\\(["\\])/g, "$1") : tag[2];
          at = TAG.lastIndex;
          break;
        }
        default:
          if (!/\s/.test(text[at])) return { game, start, end: at, expected: "a move" };
          at++;
      }
    }
  }
  if (depth > 0) return { game, start, end: opened, expected: "a variation with an end" };
  game.result = RESULT.test(tags.Result) ? tags.Result as Result : "*";
  return { game, start, end: at };
}

function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  while ((from = text.indexOf("\n", from) + 1) > 0 && from <= to) lines++;
  return lines;
}

/** The lines in which the games that were read begin; known to `replay`, but no part of a game. */
const places = new WeakMap<Game, number>();

/** A text that comes in pieces is broken for good where so much more of it does not mend it. */
const PATIENCE = 2 ** 22;

/**
 * Reads the games of a text one by one. Comments, variations, glyphs and lines for other programs
 * are read past.
 *
 * @param text The text, or an iterable of the pieces of a text that is too long for one string.
 * @returns The games. The iterator throws a `SyntaxError` that names the line of what is broken;
 * whoever asks it for the next game again gets the one after the broken one.
 */
export function readPgn(text: string | Iterable<string>): IterableIterator<Game> {
  const pieces = (typeof text === "string" ? [text] : text)[Symbol.iterator]();
  let rest = "", at = 0, line = 1, isComplete = false;
  const advance = (to: number): number => {
    line += countLines(rest, at, to);
    at = to;
    return line;
  };
  return {
    [Symbol.iterator]() {
      return this;
    },
    next(): IteratorResult<Game> {
      for (;;) {
        const { game, start, end, expected } = scan(rest, at);
        if (!isComplete && (expected ? rest.length - end < PATIENCE : end === rest.length)) {
          rest = rest.slice(at);
          at = 0;
          // Twice as much as before, so that reading it again and again costs no more than twice.
          for (const enough = 2 * rest.length; !isComplete && rest.length <= enough;) {
            const { value, done } = pieces.next();
            if (done) isComplete = true;
            else rest += value;
          }
        } else if (expected) {
          const place = advance(end), got = rest.slice(at, at + 30).split("\n", 1)[0];
          const next = rest.indexOf("\n[Event ", at);
          advance(next < 0 ? rest.length : next + 1);
          throw new SyntaxError(
            `Line ${place}: Expected ${expected}, got ${JSON.stringify(got)}`,
          );
        } else if (start < 0) return { done: true, value: undefined };
        else {
          places.set(game, advance(start));
          advance(end);
          return { done: false, value: game };
        }
      }
    },
  };
}

/**
 * Plays a game through.
 *
 * @param game The game.
 * @returns The board at its end, from which `undo()` leads back to the start.
 * @throws {SyntaxError} If one of its texts is not a move, or its `FEN` tag not a FEN.
 * @throws {RangeError} If one of its moves is not legal, or its `FEN` tag no position.
 */
export function replay(game: Game): Board {
  let board: Board | undefined, ply = 0;
  try {
    board = new Board(game.tags.FEN);
    for (const san of game.moves) {
      board.make(parseSan(board, san));
      ply++;
    }
    return board;
  } catch (error) {
    const place = places.has(game) ? `Line ${places.get(game)}: ` : "";
    const move = board ? `${moveNumber(board)} ${game.moves[ply]}` : "FEN";
    const { message, constructor } = error as Error;
    throw new (constructor as ErrorConstructor)(`${place}${move}: ${message}`);
  }
}

const ROSTER: Game["tags"] = {
  Event: "?",
  Site: "?",
  Date: "????.??.??",
  Round: "?",
  White: "?",
  Black: "?",
};

/** The number that stands before a move of the side to move: `"12."` or `"12..."`. */
function moveNumber(board: Board): string {
  return board.fen().split(" ")[5] + (board.turn === "w" ? "." : "...");
}

/**
 * Writes a game in the standard's export format: the roster of seven tags, the other tags by name,
 * the moves in lines of less than 80 characters.
 *
 * @param game The game.
 * @returns The text, which ends with an empty line, so that those of several games can be joined.
 * @throws {RangeError} If the game holds what PGN has no way to write.
 */
export function writePgn(game: Game): string {
  const tags: Game["tags"] = { ...ROSTER, Result: game.result, ...game.tags };
  const names = new Set([...Object.keys(ROSTER), "Result", ...Object.keys(game.tags).sort()]);
  const lines = Array.from(names, (name) => {
    const line = `[${name} "${tags[name].replaceAll(/["\\]/g, "\\$&")}"]`;
    if (!/^\[\w+ .*$/.test(line)) refuse(RangeError, "a tag of one line", line);
    return line;
  }).concat("", "");
  let [number, isBlack] = [1, false];
  if (game.tags.FEN !== undefined) {
    const board = new Board(game.tags.FEN);
    [number, isBlack] = [parseInt(moveNumber(board)), board.turn === "b"];
  }
  const words = game.moves.flatMap((san, i) => {
    if (!/^\S*[^\s!?]$/.test(san) || !takeApart(san)) refuse(RangeError, "a move in SAN", san);
    isBlack = !isBlack;
    if (isBlack) return [`${number}.`, san];
    return i === 0 ? [`${number++}...`, san] : (number++, [san]);
  });
  if (!RESULT.test(game.result)) refuse(RangeError, "a result", game.result);
  for (const word of [...words, game.result]) {
    const line = lines.at(-1)!, longer = line === "" ? word : `${line} ${word}`;
    if (longer.length < 80) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join("\n") + "\n\n";
}
