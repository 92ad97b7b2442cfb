/**
 * Measures `mod.ts` under the runtimes and browsers that people use, as it is and bundled.
 *
 * @module
 */

import { makeFolder, startChild } from "./children.ts";
import { progress } from "./cli.ts";
import { POSITIONS } from "../examples/positions.ts";
import type { Measured, Result } from "./compare.ts";

/** What `runtime.ts` is given: two half-moves less than native programs count. */
const TASKS = JSON.stringify(
  Object.values(POSITIONS).map(({ fen, counts }) => {
    const depth = counts.findLastIndex((count) => count <= 2e8) - 1;
    return [fen, depth, counts[depth - 1]];
  }),
);

/** After how many milliseconds to give a program up. */
const PATIENCE = 120_000;

const PROGRAM = `${import.meta.dirname}/runtime.ts`;

/** A runtime: its name, how to find the program, and the forms of the file to run with it. */
interface Runtime {
  name: string;
  find: () => string | Promise<string>;
  missing: string;
  forms: Record<string, string>;
}

/** Runs a program to its end and returns what it prints, trimmed. */
async function output(command: string, args: string[]): Promise<string> {
  const { process, ended, stop } = startChild(command, args, ["ignore", "pipe", "pipe"]);
  let printed = "", complaint = "";
  process.stdout!.on("data", (data) => printed += data);
  process.stderr!.on("data", (data) => complaint += data);
  const closed = new Promise<number | null>((resolve) => process.on("close", resolve));
  const late = setTimeout(stop, PATIENCE);
  const reason = await ended;
  clearTimeout(late);
  if (process.pid === undefined) throw new Error(reason);
  if (await closed !== 0) throw new Error(complaint.match(/error: .*/i)?.[0] ?? reason);
  return printed.trim();
}

/** The first of some commands that this machine has. */
async function installed(...commands: string[]): Promise<string> {
  for (const command of commands) {
    if (await output(command, ["--version"]).then(() => true, () => false)) return command;
  }
  throw new Error(`${commands[0]} is missing`);
}

const PAGES = {
  "deno transpile": "runtime.html",
  "deno bundle": "esm.html",
  "deno bundle --format iife": "iife.html",
};

const RUNTIMES: Runtime[] = [
  {
    name: "Deno",
    find: () => Deno.execPath(),
    missing: "",
    forms: { "mod.ts": PROGRAM, "deno bundle": "esm.mjs" },
  },
  {
    name: "Node",
    find: () => output("npx", ["-y", "node@24", "-p", "process.execPath"]),
    missing: "`npx` fetches it, which comes with Node",
    forms: {
      "mod.ts": PROGRAM,
      "deno bundle": "esm.mjs",
      "deno bundle --format cjs": "cjs.cjs",
    },
  },
  {
    name: "Bun",
    find: () => output("npx", ["-y", "bun@1", "-e", "console.log(process.execPath)"]),
    missing: "`npx` fetches it, which comes with Node",
    forms: { "mod.ts": PROGRAM },
  },
  {
    name: "Chromium",
    find: () => installed("chromium", "chromium-browser", "google-chrome"),
    missing: "install it with `apt-get install chromium`",
    forms: PAGES,
  },
  {
    name: "Firefox",
    find: () => installed("firefox-esr", "firefox"),
    missing: "install it with `apt-get install firefox-esr`",
    forms: PAGES,
  },
];

/** Writes the file in all its forms into a folder, with a page for each that a browser opens. */
async function build(folder: string): Promise<void> {
  const deno = (...args: string[]) => output(Deno.execPath(), args);
  for (const [format, file] of [["esm", "esm.mjs"], ["cjs", "cjs.cjs"], ["iife", "iife.js"]]) {
    await deno("bundle", "--quiet", "--format", format, "--output", `${folder}/${file}`, PROGRAM);
  }
  const module = `${import.meta.dirname}/../mod.ts`;
  await deno("transpile", "--quiet", "--output", `${folder}/mod.js`, module);
  await deno("transpile", "--quiet", "--output", `${folder}/runtime.js`, PROGRAM);
  const text = Deno.readTextFileSync(`${folder}/runtime.js`).replace("../mod.ts", "./mod.js");
  Deno.writeTextFileSync(`${folder}/runtime.js`, text);
  for (
    const [page, script] of [["runtime", "runtime.js"], ["esm", "esm.mjs"], ["iife", "iife.js"]]
  ) {
    const type = page === "iife" ? "" : " type=module";
    const html = `<!DOCTYPE html><title>${page}</title><script${type} src=${script}></script>`;
    Deno.writeTextFileSync(`${folder}/${page}.html`, html);
  }
}

/** What `runtime.ts` reports. */
interface Report {
  agent: string;
  speeds: number[];
}

async function runFile(command: string, file: string): Promise<Report> {
  const options = command === Deno.execPath() ? ["run", "--no-config"] : [];
  return JSON.parse(await output(command, [...options, file, TASKS]));
}

const CHROMIUM = "--headless --disable-gpu --no-first-run --disable-sync --disable-extensions " +
  "--disable-background-networking --disable-component-update";
const FIREFOX_PREFERENCES = {
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "app.normandy.enabled": false,
};

/** Has a browser open a page, which sends its report to the server that it came from. */
async function visit(name: string, command: string, folder: string, page: string): Promise<Report> {
  const { promise: report, resolve } = Promise.withResolvers<string>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (request.method === "POST") resolve(await request.text());
    const { pathname } = new URL(request.url);
    const body = await Deno.readFile(folder + pathname).catch(() => null);
    const headers = {
      "content-type": pathname.endsWith(".html") ? "text/html" : "text/javascript",
      // A page that is isolated like this is trusted with a fine clock.
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    };
    return new Response(body, { status: body ? 200 : 404, headers });
  });
  const address = `http://127.0.0.1:${server.addr.port}/${page}#${encodeURIComponent(TASKS)}`;
  const profile = makeFolder();
  const args = name === "Chromium"
    ? [
      ...CHROMIUM.split(" "),
      ...(Deno.uid() === 0 ? ["--no-sandbox"] : []), // refused to root
      `--user-data-dir=${profile}`,
      address,
    ]
    : ["--headless", "--no-remote", "--profile", profile, address];
  if (name === "Firefox") {
    const lines = Object.entries(FIREFOX_PREFERENCES)
      .map(([key, value]) => `user_pref("${key}", ${value});\n`);
    Deno.writeTextFileSync(`${profile}/user.js`, lines.join(""));
  }
  const { ended, stop } = startChild(command, args, "ignore"), late = setTimeout(stop, PATIENCE);
  try {
    const early = ended.then((reason) => Promise.reject(new Error(reason)));
    return JSON.parse(await Promise.race([report, early]));
  } finally {
    clearTimeout(late);
    stop();
    await server.shutdown();
  }
}

/**
 * Measures all runtimes and forms in turn, and keeps each one's best.
 *
 * @param rounds How often to run each; every run is a process of its own.
 * @returns The speeds, and who is missing.
 */
export async function measureRuntimes(rounds: number): Promise<Measured> {
  const failures: string[] = [], runs = new Map<Result, () => Promise<Report>>();
  progress("bundling");
  const folder = makeFolder();
  await build(folder);
  for (const { name, find, missing, forms } of RUNTIMES) {
    progress(`loading ${name}`);
    try {
      const command = await find();
      for (const [kind, file] of Object.entries(forms)) {
        const run = file.endsWith(".html")
          ? () => visit(name, command, folder, file)
          : () => runFile(command, file === PROGRAM ? file : `${folder}/${file}`);
        runs.set({ name, kind, speeds: {} }, run);
      }
    } catch (error) {
      failures.push(`${name} is left out: ${(error as Error).message}; ${missing}`);
    }
  }
  for (let round = 1; round <= rounds; round++) {
    for (const [result, run] of runs) {
      progress(`round ${round} of ${rounds}: ${result.name}, ${result.kind}`);
      try {
        const { agent, speeds } = await run();
        result.version = agent.match(/(?:Deno|Node\.js|Bun|Chrome|Firefox)\/(\d+(\.[1-9]\d*)*)/)
          ?.[1];
        Object.keys(POSITIONS).forEach((position, i) => {
          result.speeds[position] = Math.max(result.speeds[position] ?? 0, speeds[i]);
        });
      } catch (error) {
        failures.push(`${result.name}, ${result.kind}, is left out: ${(error as Error).message}`);
        runs.delete(result);
      }
    }
  }
  progress("");
  return { results: [...runs.keys()], failures };
}
