import { assert } from "@std/assert";
import { feed } from "./fuzz_input.ts";

Deno.test("damaged texts are refused, or read as what they say", () => {
  const { inputs, accepted } = feed(20_000, 1);
  assert(accepted > 1000 && accepted < inputs / 2, `${accepted} accepted of ${inputs}`);
});
