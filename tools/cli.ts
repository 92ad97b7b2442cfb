/**
 * What the command lines of the tools share.
 *
 * @module
 */

/**
 * Ends the program because it was called wrongly, or because something it needs is missing.
 *
 * @param reason The error, or the one line that says what was wrong.
 */
export function fail(reason: unknown): never {
  console.error(`error: ${reason instanceof Error ? reason.message : reason}`);
  Deno.exit(2);
}

/**
 * Reads a whole number from the command line.
 *
 * @param name What the number means.
 * @param text The argument, if it was given.
 * @param preset The number if it was not.
 * @returns The number, 0 or more.
 */
export function wholeNumber(name: string, text: string | undefined, preset: number): number {
  if (text === undefined) return preset;
  if (!/^\d{1,15}$/.test(text)) {
    fail(`Expected a whole number for ${name}, got ${JSON.stringify(text)}`);
  }
  return Number(text);
}

/**
 * Shows on a terminal how far the work is, in place of the line shown before.
 *
 * @param line What to show; an empty line clears.
 */
export function progress(line: string): void {
  if (Deno.stderr.isTerminal()) Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${line}`));
}

/**
 * Measures the memory in use, after a collection of what is not (if run with --expose-gc).
 *
 * @returns The size of the heap, such as "3.1 MB".
 */
export function heapInUse(): string {
  (globalThis as { gc?: () => void }).gc?.();
  return `${(Deno.memoryUsage().heapUsed / 1e6).toFixed(1)} MB`;
}
