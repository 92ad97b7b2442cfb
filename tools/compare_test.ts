import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { chart, geometricMean, type Result, tables } from "./compare.ts";

const RESULTS: Result[] = [
  { name: "Stockfish", version: "15.1", kind: "native", speeds: { start: 100, endgame: 400 } },
  { name: "Quintessence", kind: "TypeScript", speeds: { start: 50, endgame: 200 } },
  { name: "snail", version: "1 <&>", kind: "npm", speeds: { start: 0.5, endgame: 0.5 } },
];

/** Reads XML without text checks: every tag closed in its order, one root, nothing unescaped. */
function assertWellFormed(xml: string) {
  const open: string[] = [];
  const rest = xml.trim().replaceAll(
    /<(\/?)(\w+)((?: [\w-]+="[^"<&]*")*)(\/?)>/g,
    (_, closing, name, _attributes, empty) => {
      if (closing) assertEquals(open.pop(), name);
      else if (!empty) open.push(name);
      return "";
    },
  );
  assertEquals(open, []);
  assertEquals(rest.replaceAll(/&(amp|lt|gt|quot);/g, "").match(/[<&]/g), null, rest);
}

Deno.test("geometric mean", () => {
  assertAlmostEquals(geometricMean([1, 100]), 10);
  assertAlmostEquals(geometricMean([0.5, 2, 8]), 2);
  assertAlmostEquals(geometricMean([7]), 7);
});

Deno.test("tables hold speeds, ratios and means", () => {
  const expected = `
| Million leaves/s |            | start | endgame | mean |
| ---------------- | ---------- | ----: | ------: | ---: |
| Stockfish 15.1   | native     |   100 |     400 |  200 |
| Quintessence     | TypeScript |  50.0 |     200 |  100 |
| snail 1 <&>      | npm        |  0.50 |    0.50 | 0.50 |

| Ratio to Stockfish |            |  start | endgame |   mean |
| ------------------ | ---------- | -----: | ------: | -----: |
| Stockfish 15.1     | native     |   1.00 |    1.00 |   1.00 |
| Quintessence       | TypeScript |   0.50 |    0.50 |   0.50 |
| snail 1 <&>        | npm        | 0.0050 |  0.0013 | 0.0025 |`;
  assertEquals("\n" + tables(RESULTS), expected);
});

Deno.test("tables leave the ratios out if Stockfish is missing", () => {
  const text = tables(RESULTS.slice(1));
  assertEquals(text.split("\n").length, 4);
  assert(!text.includes("Ratio"), text);
});

Deno.test("the chart is well-formed, sorted and logarithmic", () => {
  const svg = chart(RESULTS.toReversed());
  assertWellFormed(svg);
  assertMatch(svg, /Stockfish 15\.1[^]*Quintessence[^]*snail 1 &lt;&amp;>/);
  const decades = [...svg.matchAll(/<text x="(\d+)"[^>]*>(0\.1|1|10|100|1000)<\/text>/g)];
  assertEquals(decades.map(([_, _x, text]) => text), ["0.1", "1", "10", "100", "1000"]);
  const ends = [...svg.matchAll(/<rect.* x="(\d+)".* width="(\d+)"/g)]
    .map(([_, x, width]) => Number(x) + Number(width));
  assertEquals(ends.length, RESULTS.length);
  assertEquals(ends[1], Number(decades[3][1])); // Quintessence's mean is 100
});
