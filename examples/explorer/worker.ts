/// <reference lib="dom" />
// Long work, away from the page: perft, and the engine's thinking. One worker does one job.

import { Board, toUci } from "@quintessence/chess";
import { bestMove, MATE, type Report } from "../engine.ts";
import { toSan } from "../pgn.ts";

/** What is asked: a game so far, and how deep to count or how many milliseconds to think. */
export type Job = { fen: string; moves: string[]; depth?: number; time?: number };

/** What is told of a count: at its start, and after each move of the position. */
export type Count = { san?: string; leaves: number; done: number; of: number; seconds: number };

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

// With all kinds of moves near, so that no code is met for the first time while the clock runs.
const RICH = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";

/** Counts until it gets no faster: by then the browser has compiled the code as well as it will. */
function warmUp(board: Board): void {
  const rich = new Board(RICH);
  let best = 0;
  for (let tries = 0, calm = 0; calm < 8 && tries < 30; tries++) {
    const start = performance.now();
    let leaves = 0;
    while (performance.now() < start + 100) leaves += rich.perft(3) + board.perft(4);
    const speed = leaves / (performance.now() - start);
    calm = speed > 1.1 * best ? 0 : calm + 1;
    best = Math.max(best, speed);
  }
}

function count(board: Board, depth: number): void {
  if (depth > 3) warmUp(board); // a shorter count is over before its speed could mean anything
  const start = performance.now(), moves = board.moves(), of = moves.length;
  tell({ leaves: 0, done: 0, of, seconds: 0 });
  moves.forEach((move, i) => {
    const san = toSan(board, move);
    board.make(move);
    const leaves = board.perft(depth - 1), seconds = (performance.now() - start) / 1000;
    board.undo();
    tell({ san, leaves, done: i + 1, of, seconds });
  });
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
