/**
 * What the tools share: how they are called, what they show, and how they end.
 *
 * @module
 */

import { parseArgs, type ParseArgsConfig } from "node:util";

/**
 * Ends the program because it was called wrongly, something it needs is missing, or it failed.
 *
 * @param reason The error, or the one line that says what was wrong.
 */
export function fail(reason: unknown): never {
  progress("");
  console.error(`error: ${reason instanceof Error ? reason.message : reason}`);
  Deno.exit(2);
}

/** What options are worth: a text, or whether they were given. */
export type Values<Presets> = {
  [Name in keyof Presets]: Presets[Name] extends string ? string : boolean;
};

/**
 * Reads the command line; prints the help and ends the program if that is asked for.
 *
 * @param help What `--help` and `-h` print.
 * @param most How many words there may be beside the options.
 * @param presets The options, with what stands for them if not given: a text, or `false` for those
 * that take no value.
 * @returns The words, and the value of each option.
 */
export function readArguments<Presets extends Record<string, string | false>>(
  help: string,
  most: number,
  presets: Presets,
): { words: string[]; values: Values<Presets> } {
  const options: ParseArgsConfig["options"] = { help: { type: "boolean", short: "h" } };
  for (const name in presets) {
    options[name] = { type: presets[name] === false ? "boolean" : "string" };
  }
  try {
    const { values, positionals: words } = parseArgs({ options, allowPositionals: true });
    if (values.help) {
      console.log(help);
      Deno.exit(0);
    }
    if (words.length > most) fail(`Expected nothing more, got ${JSON.stringify(words[most])}`);
    const empty = Object.keys(values).find((name) => values[name] === "");
    if (empty !== undefined) fail(`Expected a value for --${empty}, got ""`);
    return { words, values: { ...presets, ...values } as Values<Presets> };
  } catch (error) {
    fail((error as Error).message.split(/\.\s/)[0]); // the rest is advice for other programs
  }
}

/**
 * Reads a whole number from the command line.
 *
 * @param name What the number means.
 * @param text The argument.
 * @param least The least number that makes sense.
 * @returns The number.
 */
export function wholeNumber(name: string, text: string, least = 0): number {
  if (!/^\d{1,15}$/.test(text) || Number(text) < least) {
    const from = least > 0 ? ` from ${least}` : "";
    fail(`Expected a whole number${from} for ${name}, got ${JSON.stringify(text)}`);
  }
  return Number(text);
}

const untidy = new Set<() => void>();

function tidyAll(): void {
  for (const tidy of [...untidy].reverse()) tidy(); // what came last may stand on what came first
}

const EXITS: [Deno.Signal, () => never][] = [
  ["SIGHUP", () => Deno.exit(129)],
  ["SIGINT", () => Deno.exit(130)],
  ["SIGTERM", () => Deno.exit(143)],
];

/**
 * Tidies up before the program ends: by itself, by `fail`, Ctrl-C, a closed terminal, or a request.
 *
 * @param tidy What is to be done, without waiting for anything; an error means that it is done.
 * @returns Does it at once, and so not in the end; it is done no more than once.
 */
export function whenEnding(tidy: () => void): () => void {
  const once = () => {
    if (!untidy.delete(once)) return;
    try {
      tidy();
    } catch {
      // what is gone by itself
    }
  };
  if (untidy.size === 0) {
    globalThis.addEventListener("unload", tidyAll);
    for (const [signal, exit] of EXITS) Deno.addSignalListener(signal, exit);
  }
  untidy.add(once);
  return once;
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
