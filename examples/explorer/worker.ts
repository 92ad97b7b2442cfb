/// <reference lib="dom" />
// Long work, away from the page: perft, and the engine's thinking.

import { Board, toUci } from "@quintessence/chess";
import { bestMove, MATE, type Report } from "../engine.ts";
import { toSan } from "../pgn.ts";
import { POSITIONS } from "../positions.ts";

/** What is asked: a game so far, and how deep to count or how many milliseconds to think. */
export type Job = { fen: string; moves: string[]; depth?: number; time?: number };

/** What is told of a count: how far it is, and at its end the leaves below each move. */
export type Count = { says: string; done: number; divide?: [san: string, leaves: number][] };

/** What the engine says after each depth, and at last plays. */
export type Thought = { score: string; line: string; plays?: string };

self.onmessage = ({ data: { fen, moves, depth, time } }: MessageEvent<Job>) => {
  const board = new Board(fen);
  for (const move of moves) board.play(move);
  if (depth !== undefined) count(board, depth);
  else think(board, time ?? 1000);
};

function tell(report: Count | Thought): void {
  self.postMessage(report);
}

const ENOUGH = 0.1; // seconds: a speed from less is chance
let isWarm = false;

function since(start: number): number {
  return (performance.now() - start) / 1000;
}

/** Counts until it gets no faster: by then the browser has compiled the code as well as it will. */
function warmUp(): void {
  // All kinds of moves are near. (After some other positions, V8 makes code that is a fifth slower.)
  const kiwipete = new Board(POSITIONS.kiwipete.fen), start = new Board();
  let best = 0;
  for (let tries = 0, calm = 0; calm < 8 && tries < 30; tries++) {
    const began = performance.now();
    let leaves = 0;
    while (since(began) < ENOUGH) leaves += kiwipete.perft(3) + start.perft(4);
    const speed = leaves / since(began);
    calm = speed > 1.1 * best ? 0 : calm + 1;
    best = Math.max(best, speed);
  }
  isWarm = true;
}

function count(board: Board, depth: number): void {
  const moves = board.moves(), divide: [string, number][] = [];
  const isMeasured = depth > 2 && moves.length > 0; // or there is too little to count
  if (isMeasured && !isWarm) {
    tell({ says: "Warming up: the browser compiles the code …", done: 0 });
    warmUp();
  }
  const start = performance.now();
  let leaves = 0, rounds = 1;
  const says = (): string => {
    const counted = `${leaves.toLocaleString("en")} leaves`, seconds = since(start);
    if (!isMeasured || seconds < ENOUGH) return counted;
    const time = (seconds / rounds).toLocaleString("en", { maximumSignificantDigits: 3 });
    const speed = (leaves * rounds / seconds / 1e6).toFixed(1);
    return `${counted} in ${time} s, ${speed} million a second in this browser`;
  };
  for (const move of moves) {
    const san = toSan(board, move);
    board.make(move);
    const below = board.perft(depth - 1);
    board.undo();
    leaves += below;
    divide.push([san, below]);
    tell({ says: says(), done: divide.length / moves.length });
  }
  // A short count is repeated until its speed means something.
  for (; isMeasured && leaves > 0 && since(start) < ENOUGH; rounds++) board.perft(depth);
  tell({ says: says(), done: 1, divide });
}

function think(board: Board, time: number): void {
  const last = bestMove(board, { time }, (report) => tell(inWords(board, report)));
  if (last !== undefined) tell({ ...inWords(board, last), plays: toUci(last.move) });
}

function inWords(board: Board, { score, depth, nodes, line }: Report): Thought {
  const distance = MATE - Math.abs(score); // half-moves to a mate, if that is what it is
  const white = board.turn === "w" ? score : -score,
    [winner, sign] = white > 0 ? ["White", "+"] : ["Black", ""];
  const worth = distance < 1000
    ? `${winner} mates in ${Math.ceil(distance / 2)}`
    : `${sign}${(white / 100).toFixed(2)} for White`;
  const copy = new Board(board.fen());
  const names = line.map((uci) => {
    const move = copy.parseUci(uci), san = toSan(copy, move);
    copy.make(move);
    return san;
  });
  const looked = `${nodes.toLocaleString("en")} positions`;
  return { score: `${worth}, depth ${depth}, ${looked}`, line: names.join(" ") };
}
