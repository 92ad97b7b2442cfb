import { assertEquals } from "@std/assert";
import { mutants } from "./mutate.ts";

function afters(source: string): string[] {
  return mutants(source).map(({ after }) => after);
}

Deno.test("mutants swaps signs and changes constants, but leaves types and comments alone", () => {
  assertEquals(afters('const a: "b" | "c" = f(x >> 6 & 0x3f); // 1 | 2\n'), [
    'const a: "b" | "c" = f(x << 6 & 0x3f); // 1 | 2',
    'const a: "b" | "c" = f(x >> 7 & 0x3f); // 1 | 2',
    'const a: "b" | "c" = f(x >> 6 | 0x3f); // 1 | 2',
    'const a: "b" | "c" = f(x >> 6 & 0x3e); // 1 | 2',
    'const a: "b" | "c" = f(x >> 6 & 0x1f); // 1 | 2',
  ]);
});

Deno.test("mutants decides conditions, and leaves statements out", () => {
  assertEquals(afters("if (a) {\n  b(c ? d : e);\n}\nfor (;g;) f();\n"), [
    "if (true) {",
    "if (false) {",
    ";",
    "b(c && false ? d : e);",
    "b(c || true ? d : e);",
    "for (;g;) ;",
  ]);
});

Deno.test("mutants loosens patterns and empties texts", () => {
  assertEquals(afters("const a = /^b+$/.test(`c${d}`);\n"), [
    "const a = /b+$/.test(`c${d}`);",
    "const a = /^b$/.test(`c${d}`);",
    "const a = /^b+/.test(`c${d}`);",
    "const a = /^b+$/.test(``);",
  ]);
});

Deno.test("mutants knows what it touches by its lines", () => {
  const source = "a();\nif (\n  b\n) c();\n";
  const [, always] = mutants(source);
  assertEquals(always, {
    replacement: "(true)",
    start: 8,
    end: 15,
    line: 2,
    above: "a();",
    before: "if ( b ) c();",
    after: "if (true) c();",
  });
});
