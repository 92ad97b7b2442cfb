import { assert } from "@std/assert";
import { isLean } from "./habits.ts";

Deno.test("the canary tells code that makes objects from code that makes none", () => {
  const slots = new BigInt64Array(2), kept: { board: bigint } = { board: 1n };
  assert(isLean((times) => {
    for (let i = 0; i < times; i++) slots[i & 1] ^= slots[1 - (i & 1)] + 1n;
  }));
  assert(
    !isLean((times) => {
      for (let i = 0; i < times; i++) kept.board = BigInt.asIntN(64, kept.board * 3n);
    }, 300),
  );
});
