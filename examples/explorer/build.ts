// Writes the page to dist/explorer: types are stripped, and every module stays a file of its own. So
// what runs is what is written, and no bundler turns constants into variables on the way, which some
// versions of V8 compile to slower code.

import { stripTypeScriptTypes } from "node:module";

const OUT = "dist/explorer", HERE = "examples/explorer";
const KNOWN: Record<string, string> = { "@quintessence/chess": "mod.ts" };

await Deno.mkdir(OUT, { recursive: true });
for (const name of ["index.html", "style.css", "../../mod.ts"]) {
  await Deno.copyFile(`${HERE}/${name}`, `${OUT}/${name.split("/").pop()}`);
}
const files = [`${HERE}/main.ts`, `${HERE}/worker.ts`];
for (const file of files) {
  const folder = file.slice(0, file.lastIndexOf("/") + 1);
  const code = stripTypeScriptTypes(await Deno.readTextFile(file)).replaceAll(
    /^((?:import|\}|export) .*?)"(@?[\w./]+)";$/gm,
    (_, start, name) => {
      const path = KNOWN[name] ?? new URL(folder + name, "file:///").pathname.slice(1);
      if (!files.includes(path)) files.push(path);
      return `${start}"./${path.split("/").pop()!.replace(".ts", ".js")}";`;
    },
  );
  await Deno.writeTextFile(`${OUT}/${file.split("/").pop()!.replace(".ts", ".js")}`, code);
}
