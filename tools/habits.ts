/**
 * Measures the habits that let V8 keep a BigInt board in a machine register: each in the form that
 * `mod.ts` uses and in the form that comes to mind first.
 *
 * @module
 */

import { Board } from "@quintessence/chess";
import { readArguments } from "./cli.ts";
import { POSITIONS } from "../examples/positions.ts";

const HELP = `Measure what V8 makes of BigInt boards.

deno task habits [options]

--check      say only whether the good forms, and perft, still make no objects
--help, -h   print this

Prints a table in Markdown: nanoseconds and heap bytes for one iteration of each
habit, in the form that mod.ts uses and in the form that comes to mind first. Zero
bytes mean that no BigInt object was made. With --check, the exit code is 1 if one was.`;

const i64 = BigInt.asIntN.bind(null, 64), u64 = BigInt.asUintN.bind(null, 64);
const wrapped64 = (x: bigint): bigint => BigInt.asIntN(64, x);

// Four tables of 64 boards, filled from a fixed seed, half of them with the top bit set.
const BOARDS = new BigInt64Array(64),
  UNSIGNED = new BigUint64Array(64),
  BIT = new BigInt64Array(64);
const OTHERS = BOARDS.map((_, i) => BigInt.asIntN(64, 0x9e3779b97f4a7c15n * BigInt(2 * i + 1)));
for (let i = 0; i < 64; i++) {
  UNSIGNED[i] = BOARDS[i] = BigInt.asIntN(64, 0xbf58476d1ce4e5b9n * BigInt(i + 1));
  BIT[i] = BigInt.asIntN(64, 1n << BigInt(i));
}
const LOWER = BOARDS.map((board) => board & 0x7fffffffffffffffn); // without h8
const NOTHING = 4, EVERYTHING = 5;
const slots = new BigInt64Array([0n, 0n, 0n, 0n, 0n, -1n]), halves = new Int32Array(slots.buffer);
const field = { board: 0n };
const M1 = 0x5555555555555555n, M2 = 0x3333333333333333n;

// Six functions at one call site: V8 inlines none of them.
const makers = ["a", "b", "c", "d", "e", "f"];
const passing = makers.map((name) =>
  new Function("i64", `return function ${name}(x, y) { return i64((x - y) & x); }`)(i64)
) as ((x: bigint, y: bigint) => bigint)[];
const storing = makers.map((name) =>
  new Function(
    "slots",
    "BOARDS",
    `return function ${name}(i) {
      slots[0] = (BOARDS[i & 63] - BOARDS[i + 1 & 63]) & BOARDS[i & 63];
    }`,
  )(slots, BOARDS)
) as ((i: number) => void)[];

/** One form of a habit: its code as the table shows it, and a loop that runs it. */
export type Form = [code: string, run: (times: number) => unknown];

/** The habits, each with its good and its bad form. */
export const HABITS: [habit: string, good: Form, bad: Form][] = [
  ["Boards are signed", [
    "`BigInt64Array`: `i64(a & b) === 0n`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) if (i64(BOARDS[i & 63] & BOARDS[i + 1 & 63]) === 0n) sum++;
      return sum;
    },
  ], [
    "`BigUint64Array`: `u64(a & b) === 0n`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) {
        if (u64(UNSIGNED[i & 63] & UNSIGNED[i + 1 & 63]) === 0n) sum++;
      }
      return sum;
    },
  ]],
  ["Cut the whole expression, with the built-in itself", [
    "`i64(x >> 1n & m \\| (x & m) << 1n)`",
    (times) => {
      for (let i = 0; i < times; i++) {
        const x = BOARDS[i & 63], y = i64(x >> 1n & M1 | (x & M1) << 1n);
        slots[0] = y >> 2n & M2 | (y & M2) << 2n;
      }
    },
  ], [
    "`const cut = (x) => BigInt.asIntN(64, x)`",
    (times) => {
      for (let i = 0; i < times; i++) {
        const x = BOARDS[i & 63], y = wrapped64(x >> 1n & M1 | (x & M1) << 1n);
        slots[0] = y >> 2n & M2 | (y & M2) << 2n;
      }
    },
  ]],
  ["Never let two boards meet where paths join", [
    "`(c ? A : B)[i] & x`",
    (times) => {
      for (let i = 0; i < times; i++) {
        slots[0] = (i & 4 ? BOARDS : OTHERS)[i & 63] & BOARDS[i + 3 & 63];
      }
    },
  ], [
    "`(c ? A[i] : B[i]) & x`",
    (times) => {
      for (let i = 0; i < times; i++) {
        slots[0] = (i & 4 ? BOARDS[i & 63] : OTHERS[i & 63]) & BOARDS[i + 3 & 63];
      }
    },
  ]],
  ["Pass squares, leave boards in a slot", [
    "`f(square)`, result in a slot",
    (times) => {
      for (let i = 0; i < times; i++) storing[i % 6](i);
    },
  ], [
    "`f(board, board)`, board returned",
    (times) => {
      for (let i = 0; i < times; i++) slots[0] = passing[i % 6](BOARDS[i & 63], BOARDS[i + 1 & 63]);
    },
  ]],
  ["Boards live in slots", [
    "`slots[2] ^= x`",
    (times) => {
      for (let i = 0; i < times; i++) slots[2] ^= BOARDS[i & 63];
    },
  ], [
    "`object.board ^= x`",
    (times) => {
      for (let i = 0; i < times; i++) field.board ^= BOARDS[i & 63];
    },
  ]],
  ["Complement with `^ -1n`", [
    "`a & (b ^ -1n)`",
    (times) => {
      for (let i = 0; i < times; i++) slots[0] = BOARDS[i & 63] & (BOARDS[i + 1 & 63] ^ -1n);
    },
  ], [
    "`a & ~b`",
    (times) => {
      for (let i = 0; i < times; i++) slots[0] = BOARDS[i & 63] & ~BOARDS[i + 1 & 63];
    },
  ]],
  ["Take single bits from a table", [
    "`BIT[square]`",
    (times) => {
      for (let i = 0; i < times; i++) slots[0] = BOARDS[3] & BIT[i & 63];
    },
  ], [
    "`1n << BigInt(square)`",
    (times) => {
      for (let i = 0; i < times; i++) slots[0] = BOARDS[3] & 1n << BigInt(i & 63);
    },
  ]],
  ["Scan bits through a view", [
    "`halves[i]`, `Math.clz32`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) {
        slots[0] = BOARDS[i & 63] & OTHERS[i & 63];
        for (let half = 0; half < 2; half++) {
          for (let bits = halves[half]; bits; bits &= bits - 1) sum += Math.clz32(bits & -bits);
        }
      }
      return sum;
    },
  ], [
    "`b &= b - 1n`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) {
        let board = BigInt.asUintN(64, BOARDS[i & 63] & OTHERS[i & 63]);
        for (; board; board &= board - 1n) sum += Number(board & 1n);
      }
      return sum;
    },
  ]],
  ["Cut before comparing", [
    "`i64(a & b) === slots[NOTHING]`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) {
        if (i64(LOWER[i & 63] & BIT[i & 63]) === slots[NOTHING]) sum++;
      }
      return sum;
    },
  ], [
    "`(a & b) === slots[NOTHING]`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) {
        if ((LOWER[i & 63] & BIT[i & 63]) === slots[NOTHING]) sum++;
      }
      return sum;
    },
  ]],
  ["Compare the complement", [
    "`i64(a ^ -1n) === slots[EVERYTHING]`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) if (i64(BIT[i & 63] ^ -1n) === slots[EVERYTHING]) sum++;
      return sum;
    },
  ], [
    "`a === slots[NOTHING]`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) if (BIT[i & 63] === slots[NOTHING]) sum++;
      return sum;
    },
  ]],
  ["Read in the width in which you wrote", [
    "`halves[0] = x; halves[0] === 0`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) {
        slots[0] = BOARDS[i & 63] & 0xffffffffn;
        for (; halves[0] !== 0; sum++) halves[0] &= halves[0] - 1;
      }
      return sum;
    },
  ], [
    "`halves[0] = x; slots[0] === 0n`",
    (times) => {
      let sum = 0;
      for (let i = 0; i < times; i++) {
        slots[0] = BOARDS[i & 63] & 0xffffffffn;
        for (; slots[0] !== 0n; sum++) halves[0] &= halves[0] - 1;
      }
      return sum;
    },
  ]],
];

/** How many bytes of the heap a run takes for each of so many iterations. */
function bytes(run: (times: number) => unknown, times: number): number {
  const heap = Deno.memoryUsage().heapUsed;
  run(times);
  return Math.abs(Deno.memoryUsage().heapUsed - heap) / times;
}

/** The least time and heap growth of several runs, for one iteration. */
function measure([, run]: Form): { ns: number; bytes: number } {
  const times = 100_000;
  for (let i = 0; i < 30; i++) run(times / 10);
  const best = { ns: Infinity, bytes: Infinity };
  for (let round = 0; round < 9; round++) {
    const start = performance.now(), taken = bytes(run, times);
    best.ns = Math.min(best.ns, (performance.now() - start) * 1e6 / times);
    best.bytes = Math.min(best.bytes, taken);
  }
  return best;
}

/**
 * Whether code makes no objects once V8 has compiled it, which may take a while on a busy machine.
 * It looks no longer than it needs to see that: at three runs in a row, so that a collection between
 * two looks at the heap deceives nobody.
 *
 * @param run The code, as a loop.
 * @param patience How long it may take to become as good as it gets, in milliseconds.
 * @returns `true` if it makes less than one object in hundreds of iterations.
 */
export function isLean(run: (times: number) => unknown, patience = 3000): boolean {
  const end = performance.now() + patience;
  for (let lean = 0; performance.now() < end;) {
    lean = bytes(run, 100_000) < 0.1 ? lean + 1 : 0;
    if (lean === 3) return true;
  }
  return false;
}

/** Checks all good forms, and perft on the six positions, which V8 has met all before it compiles. */
function check(): boolean {
  const boards = Object.values(POSITIONS).map(({ fen }) => new Board(fen));
  for (const board of boards) board.perft(2);
  const perft = Object.entries(POSITIONS).map(([name, { counts }], i): Form => {
    const board = boards[i], depth = counts.findLastIndex((count) => count <= 2e5) + 1;
    return [`perft(${depth}) of ${name}`, (leaves) => {
      for (let left = leaves; left > 0; left -= counts[depth - 1]) board.perft(depth);
    }];
  });
  const fat = [...HABITS.map(([, good]) => good), ...perft].filter(([code, run]) => {
    const ok = isLean(run);
    console.log(`${ok ? "ok   " : "WRONG"} ${code.replaceAll("`", "").replace("\\", "")}`);
    return !ok;
  });
  const v8 = `V8 ${Deno.version.v8} (Deno ${Deno.version.deno})`;
  console.log(
    fat.length === 0
      ? `${v8} makes no objects of boards`
      : `${v8} makes objects of boards in ${fat.length} of these: mod.ts is slow here`,
  );
  return fat.length === 0;
}

function print(): void {
  console.log(`V8 ${Deno.version.v8}, Deno ${Deno.version.deno}\n`);
  console.log("| habit | do | ns, bytes | rather than | ns, bytes |\n|---|---|---|---|---|");
  for (const [habit, good, bad] of HABITS) {
    const [a, b] = [good, bad].map(measure)
      .map(({ ns, bytes }) => `${ns.toFixed(1)}, ${bytes.toFixed(0)}`);
    console.log(`| ${habit} | ${good[0]} | ${a} | ${bad[0]} | ${b} |`);
  }
}

if (import.meta.main) {
  if (!readArguments(HELP, 0, { check: false }).values.check) print();
  else if (!check()) Deno.exitCode = 1;
}
