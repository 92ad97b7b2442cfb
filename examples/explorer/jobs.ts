/// <reference lib="dom" />
// Gives long work to a worker.

import { toUci } from "@quintessence/chess";
import { game } from "./game.ts";
import type { Job } from "./worker.ts";

/** Starts a worker on the game as it is; to stop it, terminate it. */
export function start<Report>(limit: Partial<Job>, onReport: (report: Report) => void): Worker {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => onReport(data);
  const moves = game.plies.slice(0, game.at).map(({ move }) => toUci(move));
  worker.postMessage({ fen: game.first, moves, ...limit });
  return worker;
}
