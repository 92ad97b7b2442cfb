/// <reference lib="dom" />
// Gives long work to a worker.

import { toUci } from "@quintessence/chess";
import { game } from "./game.ts";
import type { Job } from "./worker.ts";

/** Sets a worker to work on the game as it is, a new one or one that is idle; terminate it to stop. */
export function start<Report>(
  limit: Partial<Job>,
  onReport: (report: Report) => void,
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
): Worker {
  worker.onmessage = ({ data }) => onReport(data);
  const moves = game.plies.slice(0, game.at).map(({ move }) => toUci(move));
  worker.postMessage({ fen: game.first, moves, ...limit });
  return worker;
}
