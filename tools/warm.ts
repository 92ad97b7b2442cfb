/**
 * Benches that are all warm before the first is measured.
 *
 * V8 compiles a function once for all its callers, with an eye on those it has seen so far, and on a
 * busy machine it takes its time. `deno bench` warms each bench up on its own, for a hundredth of a
 * second: the speeds then depend on which benches ran before, by up to 14 %, and code may be
 * measured that is not compiled yet.
 *
 * @module
 */

import { progress } from "./cli.ts";

/** What to measure; the first of a group is what the others are compared with. */
export interface Bench {
  name: string;
  group?: string;
  run: () => unknown;
  /** What to warm up with, if running it takes long. */
  warm?: () => unknown;
  /** How often to run it, if not as long as Deno thinks fit; it then runs two times more. */
  n?: number;
}

/**
 * Warms benches up, one after the other, and registers them.
 *
 * @param benches The benches.
 */
export function benchWarm(benches: Bench[]): void {
  progress("warming up");
  for (const { run, warm = run } of benches) {
    for (const end = performance.now() + 100; performance.now() < end;) warm();
  }
  progress("");
  benches.forEach(({ name, group, run, n }, i) => {
    const baseline = group !== undefined && benches.findIndex((one) => one.group === group) === i;
    Deno.bench({ name, group, baseline, n, fn: () => void run() });
  });
}
