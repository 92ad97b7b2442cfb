/// <reference lib="dom" />
// The game on the board, its link and PGN, and whoever wants to know that it has changed.

import { Board, type Move, START, toUci } from "@quintessence/chess";
import { readPgn, replay, type Result, toSan, writePgn } from "../pgn.ts";

/** A move of the game, with those that have been taken back. */
export type Ply = { move: Move; san: string; byEngine: boolean };

/** The state: what stands on the board, how it began, all moves, how many of them are played. */
export const game = {
  board: new Board(),
  first: START,
  plies: [] as Ply[],
  at: 0,
  tags: {} as Record<string, string>, // what a PGN has said of it
  locked: false, // while the engine thinks
};

const listeners: (() => void)[] = [];

/** Calls a function after every change of the position. */
export function onChange(listener: () => void): void {
  listeners.push(listener);
}

/** Plays a legal move; what was taken back before is forgotten. */
export function play(move: Move, byEngine = false): void {
  const san = toSan(game.board, move);
  game.plies = [...game.plies.slice(0, game.at), { move, san, byEngine }];
  game.tags = {}; // no longer the game that was loaded
  go(game.at + 1);
}

/** Undoes or redoes moves until so many are played. */
export function go(to: number): void {
  for (; game.at > to; game.at--) game.board.undo();
  for (; game.at < to; game.at++) game.board.make(game.plies[game.at].move);
  history.replaceState(null, "", toLink());
  for (const listener of listeners) listener();
}

/** Takes a move back, and with an answer of the engine the move that it answered. */
export function back(): void {
  if (game.at > 0) go(game.at - (answered(game.at - 1) ? 2 : 1));
}

/** Plays again what was taken back. */
export function forth(): void {
  if (game.at < game.plies.length) go(game.at + (answered(game.at + 1) ? 2 : 1));
}

const answered = (ply: number) =>
  game.plies[ply]?.byEngine && game.plies[ply - 1]?.byEngine === false;

/** Begins a game, with its first moves; refuses what is wrong, and then nothing has changed. */
export function setUp(fen: string, moves: string[] = [], at = moves.length, tags = {}): void {
  const board = new Board(fen), first = board.fen();
  const plies = moves.map((uci) => {
    const move = board.parseUci(uci), san = toSan(board, move);
    board.make(move);
    return { move, san, byEngine: false };
  });
  Object.assign(game, { board, first, plies, at: plies.length, tags });
  go(Math.min(at, plies.length));
}

/** Begins another game, to which the browser's own way back leads. */
export function begin(fen: string, moves: string[] = [], tags = {}): void {
  new Board(fen); // or nothing is done
  history.pushState(null, "", location.href);
  setUp(fen, moves, moves.length, tags);
}

/** Begins the first game of a PGN at its end. */
export function loadPgn(text: string): void {
  const [read] = readPgn(text);
  if (read === undefined) throw new SyntaxError(`Expected a game, got ${JSON.stringify(text)}`);
  const board = replay(read), moves = read.moves.map(() => toUci(board.undo())).reverse();
  begin(board.fen(), moves, { ...read.tags, Result: read.result });
}

/** The whole game as PGN. */
export function toPgn(): string {
  const { first, plies, tags } = game, end = new Board(first);
  for (const { move } of plies) end.make(move);
  const outcome = end.outcome(), winner = end.turn === "b" ? "1-0" : "0-1";
  const result = outcome === "checkmate" ? winner : outcome ? "1/2-1/2" : tags.Result ?? "*";
  const start: Record<string, string> = first === START ? {} : { SetUp: "1", FEN: first };
  const moves = plies.map(({ san }) => san);
  return writePgn({ tags: { ...tags, Result: result, ...start }, moves, result: result as Result });
}

/** The game as the end of an address. */
function toLink(): string {
  const { first, plies, at } = game, words: (string | number)[] = [];
  if (first !== START || plies.length === 0) words.push(first);
  if (plies.length > 0) words.push("moves", ...plies.map(({ move }) => toUci(move)));
  if (at < plies.length) words.push("at", at);
  return "#" + words.join("_").replaceAll(" ", "_");
}

/** Sets up the game that a link names, or a new one; some programs write signs as numbers. */
export function followLink(link: string): void {
  const text = link.slice(1).replaceAll("_", " ")
    .replaceAll(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
  const [, fen, moves, at] = /^(.*?)(?:\b *moves((?: [a-h1-8nbrq]+)*))?(?: at (\d+))?$/s.exec(
    text,
  )!;
  setUp(fen.trim() || START, moves?.match(/\S+/g) ?? [], at ? Number(at) : undefined);
}
