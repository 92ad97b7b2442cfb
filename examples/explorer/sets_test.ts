import { assertEquals, assertMatch } from "@std/assert";
import { Board, queenAttacks, toUci } from "@quintessence/chess";
import { hyperbola, LINES, namedSets, shortName } from "./sets.ts";

const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

Deno.test("the last steps of all lines are the attacks of a queen", () => {
  for (const men of [new Board(KIWIPETE).occupied, new Board().occupied, 0x8100420000240081n, 0n]) {
    for (let square = 0; square < 64; square++) {
      const attacks = LINES.map((line) => hyperbola(square, line, men).at(-1)!.set);
      assertEquals(attacks.reduce((all, set) => all | set), queenAttacks(square, men));
    }
  }
});

Deno.test("each step shows a part of the function that makes it", () => {
  for (const line of LINES) {
    for (const { title, code } of hyperbola(27, line, 0n)) {
      assertMatch(code.join(""), /^function reach[^]+}$/, title);
      assertMatch(code[1], /\w/, title);
    }
  }
});

Deno.test("pinned men and checkers", () => {
  const pinned = new Map(namedSets(new Board("4r2k/8/8/8/1b6/8/3PN3/4K3 w - - 0 1")));
  assertEquals(pinned.get("pinned"), 0x1800n);
  assertEquals(pinned.get("checkers"), 0n);
  const checked = new Map(namedSets(new Board("4k3/3p4/5N2/1B6/8/8/8/K3R3 b - - 0 1")));
  assertEquals(checked.get("pinned"), 0x8000000000000n);
  assertEquals(checked.get("checkers"), 0x200000000010n);
  assertEquals(checked.get("White knights"), 0x200000000000n);
});

Deno.test("moves are named as players write them", () => {
  const names = (fen: string) => {
    const board = new Board(fen);
    return new Map(board.moves().map((move) => [toUci(move), shortName(board, move)]));
  };
  const kiwipete = names(KIWIPETE);
  assertEquals(kiwipete.get("e1c1"), "O-O-O");
  assertEquals(kiwipete.get("d5e6"), "dxe6");
  assertEquals(kiwipete.get("e2a6"), "Bxa6");
  assertEquals(kiwipete.get("c3b1"), "Nb1");
  assertEquals(new Set(kiwipete.values()).size, 48);
  const queens = names("2k5/8/8/Q6Q/8/8/8/K6Q w - - 0 1");
  assertEquals(queens.get("a5e1"), "Qae1");
  assertEquals(queens.get("h5e5"), "Qhe5");
  assertEquals(queens.get("h1h4"), "Q1h4");
  assertEquals(queens.get("h5d1"), "Q5d1");
  assertEquals(queens.get("h5d5"), "Qh5d5");
  assertEquals(names("7k/P7/6K1/8/8/8/8/8 w - - 0 1").get("a7a8q"), "a8=Q#");
});
