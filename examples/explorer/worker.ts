// Long work, away from the page: perft, and the engine's thinking. One worker does one job.

import { Board, toUci } from "@quintessence/chess";
import { bestMove, MATE, type Report } from "../engine.ts";

/** What is asked: a game so far, and how deep to count or how many milliseconds to think. */
export type Job = { fen: string; moves: string[]; depth?: number; time?: number };

/** What is told of a count, after each move of the position. */
export type Count = { move: string; leaves: number; done: number; of: number; seconds: number };

/** What the engine says after each depth, and at last plays. */
export type Thought = { says: string; plays?: string };

self.onmessage = ({ data: { fen, moves, depth, time } }: MessageEvent<Job>) => {
  const board = new Board(fen);
  for (const move of moves) board.play(move);
  if (depth !== undefined) count(board, depth);
  else think(board, time ?? 1000);
};

function tell(report: Count | Thought): void {
  self.postMessage(report);
}

function count(board: Board, depth: number): void {
  // The clock starts when the browser has seen the code often enough to compile it well.
  for (let i = 0; i < 3; i++) new Board().perft(4);
  const start = performance.now();
  board.moves().map(toUci).sort().forEach((move, i, { length }) => {
    const leaves = board.play(move).perft(depth - 1);
    board.undo();
    tell({ move, leaves, done: i + 1, of: length, seconds: (performance.now() - start) / 1000 });
  });
}

function think(board: Board, time: number): void {
  const last = bestMove(board, { time }, (report) => tell({ says: inWords(report) }));
  if (last !== undefined) tell({ says: inWords(last), plays: toUci(last.move) });
}

function inWords({ score, depth, nodes, line }: Report): string {
  const distance = MATE - Math.abs(score); // half-moves to a mate, if that is what it is
  const worth = distance < 1000
    ? `mate in ${score > 0 ? "" : "-"}${Math.ceil(distance / 2)}`
    : (score > 0 ? "+" : "") + (score / 100).toFixed(2);
  return `${worth}, depth ${depth}, ${nodes.toLocaleString("en")} nodes: ${line.join(" ")}`;
}
