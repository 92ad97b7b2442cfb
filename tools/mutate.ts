/**
 * Asks how good the tests are: makes one small mistake after the other in a copy of `mod.ts`, runs
 * the tests, and lists the mistakes that no test has noticed.
 *
 * @module
 */

import { stripTypeScriptTypes } from "node:module";
import { makeFolder } from "./children.ts";
import { fail, progress, readArguments, whenEnding } from "./cli.ts";

const HELP = `Make small mistakes in mod.ts, and list those that no test notices.

deno task mutate [text]

Only mistakes in lines that hold the text, if one is given. A mistake that no
test has noticed is printed as soon as that is known, in the form in which
EQUIVALENT in tools/mutate.ts lists it if it is judged harmless.`;

/** A small mistake. */
export interface Mutant {
  /** What stands in for the characters from `start` to `end`. */
  replacement: string;
  start: number;
  end: number;
  /** The number of the first line that it touches. */
  line: number;
  /**
   * Its name, which no other has: its lines without comments, as one, with the mistake marked, such
   * as `const LAST = «63 → 64»;`. If the same occurs elsewhere, the line above comes first, and
   * after that a number.
   */
  text: string;
}

/**
 * Mistakes that change nothing a test could see, each with the reason. They are known by their text,
 * so that they are found again wherever the lines move, and judged again when they change.
 */
const EQUIVALENT: { reason: string; edits: string[] }[] = [
  {
    reason: "There is room for more than is used.",
    edits: [
      "const slots = new BigInt64Array(«43 → 44»);",
      "const BIT = BigInt64Array.from({ length: «65 → 66» }, (_, square) => 1n << BigInt(square));",
      "const PAWN_ATTACKS = new BigInt64Array(«128 → 129»)",
      "const BETWEEN = new BigInt64Array(«4096 → 4097»), RAY = new BigInt64Array(4096);",
      "const BETWEEN = new BigInt64Array(4096), RAY = new BigInt64Array(«4096 → 4097»);",
      "const RANK_ATTACKS = new BigInt64Array(«512 → 513»)",
      "const KEYS = new BigInt64Array(«3088 → 3089»).map((_, i) => {",
      "const SIZES = new Uint8Array(«256 → 257»);",
      "const mailbox = new Uint8Array(slots.buffer, MAILBOX * 8, «65 → 66»);",
      "const KEPT_SLOTS = «20 → 21»;",
      "const state = new Int32Array(slots.buffer, STATE * 8, «1 → 2»);",
      "const KEPT_STATE = new Uint16Array(«64 → 65»).fill(31 << 6);",
      "const PART = «512 → 513»;",
      "const list = new Uint16Array(PART * (MAX_DEPTH + «1 → 2»));",
      "const top = new Int32Array(«1 → 2»);",
    ],
  },
  {
    reason: "Beyond the corner a1 the board ends anyway.",
    edits: [
      "const FULL = -«1n → 2n», BARE = 0n;",
      "const FULL = -1n, BARE = «0n → 1n»;",
    ],
  },
  {
    reason: "What is written beyond a table is lost.",
    edits: [
      "for (let from = 0; from «< → <=» 64; from++) {",
      "for (let from = 0; from < «64 → 65»; from++) {",
    ],
  },
  {
    reason: "The borrow crosses the same squares of the line if it starts beside the slider.",
    edits: [
      "slots[MIRRORED] = read(ON_LINE, false) - BIT[square ^ «56 → 57»];",
    ],
  },
  {
    reason: "The corner a1 lies between no squares, and no pawn stands or arrives on its rank.",
    edits: [
      "else if (i64(between & (between - «1n → 2n»)) === slots[NOTHING]) slots[BLOCKERS] |= between;",
      "const RANK_3 = 0xff0000n, NOT_FILE_A = i64(«0xfefefefefefefefen → 0xfefefefefefefefcn»), NOT_FILE_H = 0x7f7f7f7f7f7f7f7fn;",
      "const RANK_3 = 0xff0000n, NOT_FILE_A = i64(0xfefefefefefefefen), NOT_FILE_H = «0x7f7f7f7f7f7f7f7fn → 0x7f7f7f7f7f7f7f7en»;",
      "const free = i64(pawns & (read(PINNED, upright) ^ -«1n → 2n»));",
      "for (let from; (from = pop(CANDIDATES)) «>= → >» 0;) {",
      "for (let from; (from = pop(CANDIDATES)) >= «0 → 1»;) {",
      "const empty = i64(read(OCCUPIED, upright) ^ -«1n → 2n»), allowed = read(ALLOWED, upright);",
    ],
  },
  {
    reason: "The mask holds no bit of the en passant square.",
    edits: [
      "HOMES.forEach((homes, right) => homes.forEach((home) => KEPT_STATE[home] &= ~(«64 → 65» << right)));",
    ],
  },
  {
    reason: "The victim has been taken off, so setting the bit is toggling it.",
    edits: [
      "slots[OCCUPIED] ^= changed; ⏎ slots[enemy] «^= → |=» victim; (2)",
    ],
  },
  {
    reason: "To look at a slider that is walled in adds no moves.",
    edits: [
      "const others = i64(slots[us] «^ → |» -1n), beside = i64(others << 1n | others >> 1n);",
    ],
  },
  {
    reason: "A look that saves work: what it leaves out would add no moves.",
    edits: [
      "} else if («pawns !== slots[NOTHING] → true») {",
      "const canCastle = !inCheck && ((state[0] >> (6 + «2 → 3» * us)) & 3) !== 0;",
      "if (canCastle && i64(slots[REACH] «& → |» LINES[RANK | king]) !== slots[NOTHING]) addCastling(us, king);",
    ],
  },
  {
    reason: "Listing moves in order to count them is slower, but counts the same.",
    edits: [
      "if (i64(slots[PINNED] & BIT[from]) !== slots[NOTHING]) slots[REACH] &= RAY[(king << 6) | from]; ⏎ if («counting → false») top[0] += size(REACH);",
      "slots[REACH] &= slots[TO]; ⏎ if («counting → false») top[0] += size(REACH);",
      "if (depth < 2) return depth === 0 ? 1 : generate(0, «true → false»);",
      "leaves += depth === 2 ? generate(0, «true → false») : perft(depth - 1);",
      'if (generate(0, «true → false») === 0) return isInCheck(state[0] >> 10) ? "checkmate" : "stalemate";',
      "if («counting → false») {",
      "return generate(0, «true → false»);",
    ],
  },
  {
    reason: "A board that lies on the desk may be laid there again, and that is slower.",
    edits: [
      "if («onDesk === this → false») return slots;",
    ],
  },
  {
    reason: "The letters are looked for from the fourth on, and what is not found is negative.",
    edits: [
      'demand(piece, index «>= → >» 0, RangeError, \'a piece such as "P" or "k"\');',
      'demand(piece, index >= «0 → 1», RangeError, \'a piece such as "P" or "k"\');',
      'const index = typeof piece === "string" && piece.length === 1 ? LETTERS.indexOf(piece, 4) : -«1 → 2»;',
    ],
  },
  {
    reason: "A captured piece is at least a pawn, whose number has a bit above the lowest.",
    edits: [
      "this.#clock = isPawn || memory >> «11 → 12» !== EMPTY ? 0 : clock + 1;",
    ],
  },
  {
    reason:
      "Every result is masked, compared or stored in 64 bits, and its low 64 bits are the same.",
    edits: [
      "const i64 = BigInt.asIntN.bind(null, «64 → 65»);",
    ],
  },
  {
    reason: "Every caller asks whether the square is negative.",
    edits: [
      "if (high === 0) return -«1 → 2»;",
    ],
  },
  {
    reason:
      "The corner a1 lies between no squares, and no pawn stands or arrives on its first rank.",
    edits: [
      "for (let to; (to = pop(slot)) «>= → >» 0;) {",
      "for (let to; (to = pop(slot)) >= «0 → 1»;) {",
      "for (let from; (from = pop(TAKERS)) «>= → >» 0;) add(EN_PASSANT, from, passed);",
      "for (let from; (from = pop(TAKERS)) >= «0 → 1»;) add(EN_PASSANT, from, passed);",
    ],
  },
  {
    reason: "The king has been lifted off the square, so setting the bit is toggling it.",
    edits: [
      "} ⏎ slots[OCCUPIED] «^= → |=» BIT[king];",
    ],
  },
  {
    reason: "These slots are never in use at the same time.",
    edits: [
      "const ON_LINE = «24 → 25», MIRRORED = 25;",
      "const ON_LINE = 24, MIRRORED = «25 → 26»;",
      "const SLIDERS = «28 → 29», THE_KING = 29;",
      "const CANDIDATES = «31 → 32»;",
      "const MOVERS = 36, PIECES = «37 → 38», STEPS = 38;",
      "const MOVERS = 36, PIECES = 37, STEPS = «38 → 39»;",
    ],
  },
  {
    reason: "King and rook never stand on one square.",
    edits: [
      "const rook = HOMES[right][1], step = rook «> → >=» king ? 1 : -1, to = king + 2 * step;",
      "if (isSafe && !findAttackers(to, us ^ 1)) add(step «> → >=» 0 ? KING_CASTLE : QUEEN_CASTLE, king, to);",
    ],
  },
  {
    reason: "A call of perft(1) counts as generate() does.",
    edits: [
      "leaves += depth === 2 «? → && false ?» generate(0, true) : perft(depth - 1);",
    ],
  },
  {
    reason: "Looking for takers when none are asked for is slower, and changes nothing.",
    edits: [
      "setState((us << 10) | (rights << 6) | (passed !== «0 → 1» && findTakers(passed, us) ? passed : 0));",
    ],
  },
];

interface Token {
  sort: string;
  text: string;
  start: number;
  end: number;
}

const SORTS: [sort: string, pattern: RegExp][] = [
  ["space", /\s+|\/\/.*|\/\*[^]*?\*\//y],
  ["name", /[#$_a-z][$\w]*/yi],
  ["number", /0x[\da-f_]+n?|\d[\d_.]*n?/y],
  ["text", /(["'`])(?:\\.|(?!\1)[^\\])*\1/y],
  ["regex", /\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/[a-z]*/y],
  ["sign", /[!=]==|=>|\.{3}|&&|\|\||\?\?|\?\.|\+\+|--|<<|>>|[-+*|&^<>]=|[^]/y],
];

/** Cuts a source without types into its tokens, spaces and comments left out. */
function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  for (let start = 0, end; start < source.length; start = end) {
    end = start;
    for (const [sort, pattern] of SORTS) {
      // After a value, a slash divides.
      const last = tokens.at(-1);
      if (sort === "regex" && last && /[\w)\]"]$/.test(last.text)) continue;
      pattern.lastIndex = start;
      const text = pattern.exec(source)?.[0];
      if (text === undefined) continue;
      end = pattern.lastIndex;
      if (sort !== "space") tokens.push({ sort, text, start, end });
      break;
    }
  }
  return tokens;
}

const SWAPS: Record<string, string> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  "*": "+",
  "%": "*",
  "&": "|",
  "|": "&",
  "^": "|",
  "<<": ">>",
  ">>": "<<",
  "++": "--",
  "+=": "-=",
  "-=": "+=",
  "^=": "|=",
  "|=": "&=",
  "&=": "|=",
  "!": "",
  "~": "",
  "true": "false",
  "false": "true",
};

/** What may stand in for one token. */
function replacements({ sort, text }: Token, previous?: Token): string[] {
  if (sort === "number") {
    const suffix = text.endsWith("n") ? "n" : "", value = BigInt(text.replaceAll(/[n_]/g, ""));
    if (!text.startsWith("0x")) return [`${value + 1n}${suffix}`];
    const highest = 1n << BigInt(value.toString(2).length - 1); // a mask without an outer bit
    return [value & value - 1n, value ^ highest].map((mask) => `0x${mask.toString(16)}${suffix}`);
  }
  if (sort === "text") return text.length > 2 ? [text[0] + text[0]] : [];
  if (sort === "regex") {
    return [...text.matchAll(/[\^$+?]/g)].map(({ index }) =>
      text.slice(0, index) + text.slice(index + 1)
    );
  }
  if (sort === "sign" && text === "?") return ["&& false ?", "|| true ?"];
  if (text === "*" && previous?.text === "function") return [];
  const isUnary = text === "-" && !/[\w)\]]$/.test(previous?.text ?? "");
  if (isUnary) return [""];
  return Object.hasOwn(SWAPS, text) ? [SWAPS[text]] : [];
}

const OPENING = "([{", CLOSING = ")]}";

/** The index of the bracket that closes the one at an index. */
function closing(tokens: Token[], open: number): number {
  for (let i = open, depth = 0;; i++) {
    if (OPENING.includes(tokens[i].text)) depth++;
    if (CLOSING.includes(tokens[i].text) && --depth === 0) return i;
  }
}

// What starts with one of these is not a statement that can be left out, or is more than one.
const KEPT = /^(?:const|let|function|class|export|import|if|else|for|while|do|switch|case|get)$/;

/** The index of the semicolon that ends the statement at an index, if it is a simple one. */
function statementEnd(tokens: Token[], start: number): number | undefined {
  if (tokens[start].sort !== "name" || KEPT.test(tokens[start].text)) return undefined;
  for (let i = start; i < tokens.length; i++) {
    const { text } = tokens[i];
    if (text === ";") return i;
    if (CLOSING.includes(text) || text === ":") return undefined; // within an expression
    if (text === "{" && tokens[i - 1].text === ")") return undefined; // a method
    if (OPENING.includes(text)) i = closing(tokens, i);
  }
}

/**
 * Finds all the small mistakes to make in a source.
 *
 * @param source A module in TypeScript, laid out by `deno fmt`.
 * @returns The mistakes, in the order of the source.
 */
export function mutants(source: string): Mutant[] {
  const plain = stripTypeScriptTypes(source); // leaves spaces in place of types
  const tokens = tokenize(plain), found: (Mutant & { above: string })[] = [];
  const inOneLine = (text: string) =>
    text.replaceAll(/\/\/ .*/g, "").replaceAll(/\s+/g, " ").trim();
  // The filler stands in for lines that go, so that a test that counts lines sees no difference.
  const add = (start: number, end: number, replacement: string, filler = "") => {
    try {
      stripTypeScriptTypes(plain.slice(0, start) + replacement + plain.slice(end));
    } catch {
      return; // no program any more
    }
    const first = source.lastIndexOf("\n", start) + 1, last = source.indexOf("\n", end - 1);
    const mark = `«${source.slice(start, end)} → ${replacement}»`;
    const more = source.slice(start, end).split("\n").length - 1;
    found.push({
      replacement: `${filler}\n`.repeat(more) + replacement,
      start,
      end,
      line: source.slice(0, start).split("\n").length,
      above: inOneLine(source.slice(source.lastIndexOf("\n", first - 2) + 1, first)),
      text: inOneLine(source.slice(first, start) + mark + source.slice(end, last)),
    });
  };
  const open: string[] = []; // the brackets around the token
  tokens.forEach((token, i) => {
    if (OPENING.includes(token.text)) open.push(token.text);
    if (CLOSING.includes(token.text)) open.pop();
    for (const text of replacements(token, tokens[i - 1])) add(token.start, token.end, text);
    if (token.text === "if") {
      const last = tokens[closing(tokens, i + 1) - 1];
      for (const text of ["true", "false"]) add(tokens[i + 2].start, last.end, text, `${text} &&`);
    }
    const isLoop = /^(?:for|while)$/.test(token.text);
    const start = isLoop ? closing(tokens, i + 1) + 1 : i; // the body of a loop, or what is here
    const isFirst = /^(?:[;{}]|else)$/.test(tokens[i - 1]?.text ?? ";");
    if (!isLoop && !isFirst || open.at(-1) === "(") return; // within a statement
    const end = statementEnd(tokens, start);
    if (end !== undefined) add(tokens[start].start, tokens[end].end, ";", ";");
  });
  for (
    const rename of [
      (mutant: typeof found[0]) => `${mutant.above} ⏎ ${mutant.text}`,
      ({ text }: Mutant, i: number) => `${text} (${i + 1})`,
    ]
  ) {
    for (const same of Map.groupBy(found, ({ text }) => text).values()) {
      if (same.length > 1) same.forEach((mutant, i) => mutant.text = rename(mutant, i));
    }
  }
  return found.map(({ above: _, ...mutant }) => mutant);
}

const TESTS = ["mod_test.ts", "perft_test.ts"];
const QUICK = 50; // milliseconds: the tests that take no longer are run first

/** Copies the project; returns the folder. */
function copyProject(): string {
  const folder = makeFolder();
  // Deno keeps what it has compiled, by folder.
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  const { typescriptCache } = JSON.parse(new TextDecoder().decode(stdout));
  whenEnding(() => Deno.removeSync(`${typescriptCache}/file${folder}`, { recursive: true }));
  const copy = (path: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(`./${path}`)) {
      if (/^(?:\.|node_modules$|dist$)/.test(name)) continue;
      if (!isDirectory) Deno.copyFileSync(path + name, `${folder}/${path}${name}`);
      else {
        Deno.mkdirSync(`${folder}/${path}${name}`);
        copy(`${path}${name}/`);
      }
    }
  };
  copy("");
  return folder;
}

/** A part of the tests: a pattern for their names, and the milliseconds that they may take. */
interface Stage {
  filter: string;
  limit: number;
}

/** Runs some tests in a folder, up to the first that fails; returns what became of them. */
async function test(
  folder: string,
  { filter, limit }: Stage,
): Promise<{ result: "passed" | "failed" | "hung"; output: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    // A mistake may well ask for endless memory.
    args: ["test", "--no-check", "--fail-fast", "--v8-flags=--max-old-space-size=512"]
      .concat("--filter", filter, TESTS),
    cwd: folder,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const stop = whenEnding(() => child.kill("SIGKILL"));
  let hung = false;
  const watch = setTimeout(() => {
    hung = true;
    stop();
  }, limit);
  const { success, stdout } = await child.output();
  clearTimeout(watch);
  stop();
  const result = hung ? "hung" : success ? "passed" : "failed";
  return { result, output: new TextDecoder().decode(stdout) };
}

/** Runs all tests on what is unchanged; returns two stages, the quick tests and the others. */
async function stages(folder: string): Promise<Stage[]> {
  const started = performance.now();
  const { result, output } = await test(folder, { filter: "", limit: 2 ** 31 - 1 });
  if (result !== "passed") {
    const [failed = "they do not run"] = /^\S.* \.\.\. FAILED/m.exec(output) ?? [];
    throw new Error(`Expected all tests to pass before anything is changed, got: ${failed}`);
  }
  const parts: string[][] = [[], []];
  for (const [, name, time] of output.matchAll(/^(\S.*) \.\.\. ok \((.*)\)$/gm)) {
    const isQuick = /µs$/.test(time) || /^\d+ms$/.test(time) && parseInt(time) <= QUICK;
    parts[isQuick ? 0 : 1].push(name.replaceAll(/[^\w ]/g, "."));
  }
  const [, count] = /^ok \| (\d+) passed/m.exec(output) ?? [];
  if (parts.flat().length !== Number(count)) throw new Error(`Expected ${count} times of tests`);
  // Several run at a time, and a mistake may well make them slower without being seen.
  const took = performance.now() - started, limits = [2000 + took / 2, 5000 + 3 * took];
  return parts.map((names, i) => ({ filter: `/^(?:${names.join("|")})$/`, limit: limits[i] }));
}

/** Tries mutants on all cores; returns how many passed the tests, failed and hung. */
async function tryAll(source: string, tried: Mutant[]): Promise<Record<string, number>> {
  const first = copyProject(), parts = await stages(first), started = performance.now();
  const queue = tried.values(), tally: Record<string, number> = { passed: 0, failed: 0, hung: 0 };
  const work = async (folder: string) => {
    for (const { start, end, replacement, line, text } of queue) {
      const mutated = source.slice(0, start) + replacement + source.slice(end);
      Deno.writeTextFileSync(`${folder}/mod.ts`, mutated);
      let result = "passed";
      for (const part of parts) if (result === "passed") ({ result } = await test(folder, part));
      tally[result]++;
      if (result === "passed") {
        progress("");
        console.log(`${JSON.stringify(text)}, // mod.ts:${line}`);
      }
      const done = tally.passed + tally.failed + tally.hung;
      const left = (performance.now() - started) * (tried.length / done - 1) / 60_000;
      progress(
        `${done} of ${tried.length} mutants, ${tally.passed} survive, ` +
          `${Math.ceil(left)} minutes left`,
      );
    }
  };
  const others = Array.from({ length: navigator.hardwareConcurrency - 1 }, copyProject);
  await Promise.all([first, ...others].map(work));
  progress("");
  return tally;
}

if (import.meta.main) {
  const { words: [wanted = ""] } = readArguments(HELP, 1, {});
  const source = await Deno.readTextFile("mod.ts"), all = mutants(source);
  const chosen = all.filter(({ text }) => text.includes(wanted));
  if (chosen.length === 0) fail(`Expected a text from mod.ts, got ${JSON.stringify(wanted)}`);
  const equivalent = new Set(EQUIVALENT.flatMap(({ edits }) => edits));
  const gone = equivalent.difference(new Set(all.map(({ text }) => text)));
  for (const text of gone) console.log(`Judged harmless, but no longer there: ${text}`);
  const tried = chosen.filter(({ text }) => !equivalent.has(text));
  const { passed, failed, hung } = await tryAll(source, tried).catch(fail);
  console.log(
    `${chosen.length} mutants: ${failed} fail the tests, ${hung} hang, ` +
      `${chosen.length - tried.length} are judged equivalent, ${passed} survive`,
  );
  Deno.exit(passed + gone.size > 0 ? 1 : 0);
}
