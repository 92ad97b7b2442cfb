/**
 * What the tools share: how they are called, what they show, and how they end.
 *
 * @module
 */

import { parseArgs } from "node:util";

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
 * Reads the command line; prints the help and ends the program if that is asked for.
 *
 * @param help What `--help` and `-h` print.
 * @param most How many words there may be beside the options.
 * @param presets The options, all of which take a value, with what stands for them if not given.
 * @returns The words, and the value of each option.
 */
export function readArguments<Name extends string>(
  help: string,
  most: number,
  presets: Record<Name, string>,
): { words: string[]; values: Record<Name, string> } {
  const options: Record<string, { type: "string"; default: string }> = {};
  for (const name in presets) options[name] = { type: "string", default: presets[name] };
  try {
    const { values, positionals: words } = parseArgs({
      args: Deno.args,
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" }, ...options },
    });
    if (values.help) {
      console.log(help);
      Deno.exit(0);
    }
    if (words.length > most) fail(`Expected nothing more, got ${JSON.stringify(words[most])}`);
    return { words, values: values as Record<Name, string> };
  } catch (error) {
    fail((error as Error).message.split(". ")[0]); // the rest is advice for other programs
  }
}

/**
 * Reads a whole number from the command line.
 *
 * @param name What the number means.
 * @param text The argument, if it was given.
 * @param preset The number if it was not.
 * @param least The least number that makes sense.
 * @returns The number.
 */
export function wholeNumber(
  name: string,
  text: string | undefined,
  preset: number,
  least = 0,
): number {
  if (text === undefined) return preset;
  if (!/^\d{1,15}$/.test(text) || Number(text) < least) {
    const from = least > 0 ? ` from ${least}` : "";
    fail(`Expected a whole number${from} for ${name}, got ${JSON.stringify(text)}`);
  }
  return Number(text);
}

/**
 * Tidies up before the program ends because of Ctrl-C, a closed terminal, or a request to end.
 *
 * @param tidy What is to be done, without waiting for anything.
 */
export function whenInterrupted(tidy: () => void): void {
  for (const [signal, code] of [["SIGHUP", 129], ["SIGINT", 130], ["SIGTERM", 143]] as const) {
    Deno.addSignalListener(signal, () => {
      tidy();
      Deno.exit(code);
    });
  }
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

/**
 * Makes sure that two things are the same.
 *
 * @param what What they are.
 * @param actual The one that is looked at.
 * @param expected The one that it should be.
 * @throws {Error} If they are not.
 */
export function equal(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}
