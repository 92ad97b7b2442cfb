import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Board, moveTo, parseSquare, queenAttacks } from "@quintessence/chess";
import { type Mark, MARKS, quote } from "./code.ts";
import { namedSets } from "./sets.ts";
import { filtered, filterSteps, LINES, sliderSteps } from "./steps.ts";
import source from "../../mod.ts" with { type: "text" };

const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

Deno.test("the last steps of all lines are the attacks of a queen", () => {
  for (const men of [new Board(KIWIPETE).occupied, new Board().occupied, 0x8100420000240081n, 0n]) {
    for (let square = 0; square < 64; square++) {
      const attacks = LINES.map((line) => sliderSteps(square, "queen", line, men).at(-1)!.parts);
      const all = attacks.reduce((all, parts) => all | parts.at(-1)!.set, 0n);
      assertEquals(all, queenAttacks(square, men));
    }
  }
});

Deno.test("each step is what its sign says", () => {
  const apply: Record<string, (a: bigint, b: bigint) => bigint> = {
    "&": (a, b) => a & b,
    "|": (a, b) => a | b,
    "^": (a, b) => a ^ b,
    "−": (a, b) => BigInt.asUintN(64, a - b),
  };
  const { occupied } = new Board(KIWIPETE);
  const steps = LINES.flatMap((line) => sliderSteps(parseSquare("f3"), "queen", line, occupied));
  const check = new Board("4r2k/8/8/2B5/8/5N2/3P4/4K3 w - - 0 1");
  let sums = 0;
  for (const { parts, title } of [...steps, ...filterSteps(check, 34, "bishop")]) {
    if (parts.length < 3) continue;
    assertEquals(apply[parts[1].sign](parts[0].set, parts[1].set), parts[2].set, title);
    sums++;
  }
  assertEquals(sums, 20);
});

Deno.test("the last step of the filter are the legal moves", () => {
  const positions = [
    KIWIPETE,
    "4r2k/8/8/8/8/8/4R3/4K3 w - - 0 1",
    "4r2k/8/8/8/1b6/8/3NN3/4K3 w - - 0 1",
    "4r2k/8/8/2B5/8/5N2/3P4/4K3 w - - 0 1",
    "4k3/3q4/5N2/1B6/8/8/8/K7 b - - 0 1",
  ];
  for (const fen of positions) {
    const board = new Board(fen);
    for (const from of filtered(board)) {
      const targets = board.moves(from).reduce((set, move) => set | 1n << BigInt(moveTo(move)), 0n);
      assertEquals(filterSteps(board, from, "piece").at(-1)!.parts.at(-1)!.set, targets, fen);
    }
  }
  const double = new Board("4r2k/8/8/8/7b/8/3P4/R2QK3 w - - 0 1");
  assertEquals(filterSteps(double, 3, "queen").at(-1)!.title, "Checkers");
});

Deno.test("every mark is found in mod.ts, with its whole statement", () => {
  for (const mark of Object.keys(MARKS) as Mark[]) {
    assertMatch(quote(source, mark).code, /[;}]( \/\/.*)?$/, mark);
  }
  assertThrows(() => quote("", "line"), Error, "slide");
  const wrapped = "function slide() {\n  const line = [ // one;\n    1,\n  ];\n  next();\n}\n";
  assertEquals(quote(wrapped, "line").code, "const line = [ // one;\n  1,\n];");
});

Deno.test("pinned pieces and checkers", () => {
  const pinned = new Map(namedSets(new Board("4r2k/8/8/8/1b6/8/3PN3/4K3 w - - 0 1")));
  assertEquals(pinned.get("pinned"), 0x1800n);
  assertEquals(pinned.get("checkers"), 0n);
  const checked = new Map(namedSets(new Board("4k3/3p4/5N2/1B6/8/8/8/K3R3 b - - 0 1")));
  assertEquals(checked.get("pinned"), 0x8000000000000n);
  assertEquals(checked.get("checkers"), 0x200000000010n);
  assertEquals(checked.get("White knights"), 0x200000000000n);
});
