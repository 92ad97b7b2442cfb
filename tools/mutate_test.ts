import { assertEquals } from "@std/assert";
import { mutants } from "./mutate.ts";

function texts(source: string): string[] {
  return mutants(source).map(({ text }) => text);
}

Deno.test("mutants swaps signs and changes constants, but leaves types and comments alone", () => {
  assertEquals(texts('const a: "b" | "c" = f(x >> 6 & 0x3f); // 1 | 2\n'), [
    'const a: "b" | "c" = f(x «>> → <<» 6 & 0x3f);',
    'const a: "b" | "c" = f(x >> «6 → 7» & 0x3f);',
    'const a: "b" | "c" = f(x >> 6 «& → |» 0x3f);',
    'const a: "b" | "c" = f(x >> 6 & «0x3f → 0x3e»);',
    'const a: "b" | "c" = f(x >> 6 & «0x3f → 0x1f»);',
  ]);
});

Deno.test("mutants decides conditions, and leaves statements out", () => {
  assertEquals(texts("if (a) {\n  b(c ? d : e);\n}\nfor (;g;) f();\n"), [
    "if («a → true») {",
    "if («a → false») {",
    "«b(c ? d : e); → ;»",
    "b(c «? → && false ?» d : e);",
    "b(c «? → || true ?» d : e);",
    "for (;g;) «f(); → ;»",
  ]);
});

Deno.test("mutants loosens patterns and empties texts", () => {
  assertEquals(texts("const a = /^b+$/.test(`c${d}`);\n"), [
    "const a = «/^b+$/ → /b+$/».test(`c${d}`);",
    "const a = «/^b+$/ → /^b$/».test(`c${d}`);",
    "const a = «/^b+$/ → /^b+/».test(`c${d}`);",
    "const a = /^b+$/.test(«`c${d}` → ``»);",
  ]);
});

Deno.test("mutants knows where it is", () => {
  const [, always] = mutants("a();\nif (\n  b\n) c();\n");
  assertEquals(always, {
    replacement: "true",
    start: 12,
    end: 13,
    line: 3,
    text: "«b → true»",
  });
});

Deno.test("mutants has a name for each, and keeps the number of lines", () => {
  assertEquals(texts("a();\nb();\nb();\nc();\nb();\nc();\nb();\n").slice(1), [
    "a(); ⏎ «b(); → ;»",
    "b(); ⏎ «b(); → ;»",
    "b(); ⏎ «c(); → ;» (1)",
    "c(); ⏎ «b(); → ;» (1)",
    "b(); ⏎ «c(); → ;» (2)",
    "c(); ⏎ «b(); → ;» (2)",
  ]);
  const [always, , leftOut] = mutants("if (\n  a ===\n    b\n) {\n  c(\n    d,\n  );\n}\n");
  assertEquals([always.replacement, leftOut.text], ["true &&\ntrue", "a «=== → !==»"]);
});
