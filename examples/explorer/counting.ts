/// <reference lib="dom" />
// Perft, counted in a worker so that the page stays awake.

import { create, find, say } from "./dom.ts";
import { onChange } from "./game.ts";
import { start } from "./jobs.ts";
import type { Count } from "./worker.ts";

const MEANS_SOMETHING = 0.05; // seconds: a speed from less is chance

const bar = find<HTMLProgressElement>("progress");
let worker: Worker | undefined;

function stop(): void {
  worker?.terminate();
  worker = undefined;
  bar.hidden = true;
  say({ count: "Count" });
}

function count(): void {
  if (worker !== undefined) return stop();
  const moves: Count[] = [];
  clear();
  bar.hidden = false;
  say({ count: "Stop", leaves: "Warming up: the browser compiles the code …" });
  worker = start<Count>({ depth: Number(find<HTMLSelectElement>("depth").value) }, (report) => {
    if (report.san !== undefined) moves.push(report);
    const sum = moves.reduce((sum, { leaves }) => sum + leaves, 0), { done, of, seconds } = report;
    [bar.value, bar.max] = [done, of || 1];
    const speed = seconds < MEANS_SOMETHING
      ? ""
      : `, ${(sum / seconds / 1e6).toFixed(1)} million a second in this browser`;
    say({ leaves: `${sum.toLocaleString("en")} leaves in ${seconds.toFixed(3)} s${speed}` });
    if (done < of) return;
    stop();
    find("divide").append(...moves.map(({ san, leaves }) => {
      const share = 100 * leaves / sum || 0;
      return create(
        `<tr><td>${san}</td><td>${leaves.toLocaleString("en")}</td><td>${share.toFixed(1)} %</td>` +
          `<td><svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">` +
          `<rect width="${share}" height="1"/></svg></td></tr>`,
      );
    }));
    find("counts").hidden = of === 0;
  });
}

function clear(): void {
  say({ leaves: "", divide: "" });
  find("counts").hidden = true;
  bar.value = 0;
}

find("count").onclick = count;
onChange(() => {
  stop();
  clear();
});
