/// <reference lib="dom" />
// The engine as an opponent: it thinks in a worker, and nobody moves meanwhile.

import { onPlayed, pick } from "./board.ts";
import { find, say } from "./dom.ts";
import { game, onChange, play } from "./game.ts";
import { start } from "./jobs.ts";
import type { Thought } from "./worker.ts";

let worker: Worker | undefined;

function lock(on: boolean): void {
  game.locked = on;
  document.body.classList.toggle("locked", on);
  say({ "engine-move": on ? "Stop" : "Engine move" });
}

function stop(): void {
  worker?.terminate();
  worker = undefined;
  lock(false);
  say({ "engine-score": "", "engine-line": "" });
}

function think(): void {
  if (game.board.outcome() !== undefined) return;
  pick(-1);
  lock(true);
  say({ "engine-score": "The engine thinks …", "engine-line": "" });
  const time = Number(find<HTMLSelectElement>("engine-time").value);
  worker = start<Thought>({ time }, ({ score, line, plays }) => {
    if (plays !== undefined) play(game.board.parseUci(plays), true);
    say({ "engine-score": score, "engine-line": line });
  });
}

find("engine-move").onclick = () => worker === undefined ? think() : stop();
onPlayed(() => find<HTMLInputElement>("engine-answers").checked && think());
onChange(() => {
  stop();
  find<HTMLButtonElement>("engine-move").disabled = game.board.outcome() !== undefined;
});
