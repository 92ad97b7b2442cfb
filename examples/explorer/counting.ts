/// <reference lib="dom" />
// Perft, counted in a worker so that the page stays awake.

import { create, find, say } from "./dom.ts";
import { onChange } from "./game.ts";
import { start } from "./jobs.ts";
import type { Count } from "./worker.ts";

const bar = find<HTMLProgressElement>("progress"); // seen while there is something to stop
let worker: Worker | undefined; // kept for the next count, with the code that the browser compiled

function stop(): void {
  if (!bar.hidden) {
    worker?.terminate();
    worker = undefined;
  }
  end();
  say({ leaves: "", divide: "" });
  find("counts").hidden = true;
  bar.value = 0;
}

function end(): void {
  bar.hidden = true;
  say({ count: "Count" });
}

function count(): void {
  if (!bar.hidden) return stop();
  stop();
  bar.hidden = false;
  say({ count: "Stop" });
  const depth = Number(find<HTMLSelectElement>("depth").value);
  worker = start<Count>({ depth }, ({ says, done, divide }) => {
    bar.value = done;
    say({ leaves: says });
    if (divide === undefined) return;
    end();
    const sum = divide.reduce((sum, [, leaves]) => sum + leaves, 0);
    find("divide").append(...divide.map(([san, leaves]) => {
      const share = 100 * leaves / sum || 0;
      return create(
        `<tr><td>${san}</td><td>${leaves.toLocaleString("en")}</td><td>${share.toFixed(1)} %</td>` +
          `<td><svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">` +
          `<rect width="${share}" height="1"/></svg></td></tr>`,
      );
    }));
    find("counts").hidden = divide.length === 0;
  }, worker);
}

find("count").onclick = count;
onChange(stop);
