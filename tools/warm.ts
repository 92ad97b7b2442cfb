/**
 * Benches that warm up together.
 *
 * V8 compiles a function once for all its callers, with an eye on those it has seen so far, and on a
 * busy machine it takes its time. Benches that warm up one after the other, for the hundredth of a
 * second that `deno bench` allows, therefore show their order, by up to 14 %, and slow code.
 *
 * @module
 */

import { progress } from "./cli.ts";

/** What to measure; the first of a group is what the others are compared with. */
export interface Bench {
  name: string;
  group?: string;
  run: () => unknown;
}

/**
 * Warms benches up in turn, and registers them.
 *
 * @param benches The benches.
 * @param milliseconds For how long to warm up.
 */
export function benchTogether(benches: Bench[], milliseconds: number): void {
  progress("warming up");
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    for (const { run } of benches) { // each for the same time, however short it is
      for (const next = performance.now() + 10; performance.now() < next;) run();
    }
  }
  progress("");
  benches.forEach(({ name, group, run }, i) => {
    const baseline = group !== undefined && benches.findIndex((one) => one.group === group) === i;
    Deno.bench({ name, group, baseline, fn: () => void run() });
  });
}
