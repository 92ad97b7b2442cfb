/**
 * Measures `mod.ts` under the runtimes and browsers that people use, as it is and bundled.
 *
 * @module
 */

import type { SpawnOptions } from "node:child_process";
import { basename, dirname } from "node:path";
import { type Child, makeFolder, startChild } from "./children.ts";
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

/** After how many seconds to give a program up. */
const PATIENCE = 120;

const MODULE = `${import.meta.dirname}/../mod.ts`, PROGRAM = `${import.meta.dirname}/runtime.ts`;

/** Starts a program that is given up after a while. */
function startPatiently(command: string, args: string[], options: SpawnOptions): Child {
  const child = startChild(command, args, options);
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const clock = setTimeout(() => {
    resolve(`gave up after ${PATIENCE} s`);
    child.stop();
  }, 1000 * PATIENCE);
  child.ended.then(() => clearTimeout(clock));
  return { ...child, ended: Promise.race([late, child.ended]) };
}

/** Runs a program to its end; returns what it prints, trimmed, and what went wrong if it failed. */
async function run(
  command: string,
  args: string[],
): Promise<{ printed: string; failure?: string }> {
  const stdio: SpawnOptions["stdio"] = ["ignore", "pipe", "pipe"];
  const { process, ended } = startPatiently(command, args, { stdio });
  let printed = "", complaint = "";
  process.stdout!.on("data", (data) => printed += data);
  process.stderr!.on("data", (data) => complaint += data);
  const closed = new Promise<number | null>((resolve) => process.on("close", resolve));
  const reason = await ended, code = process.pid === undefined ? null : await closed;
  const said = code === null ? undefined : complaint.match(/error: (.*)/i)?.[1];
  return { printed: printed.trim(), failure: code === 0 ? undefined : said ?? reason };
}

/** Runs a program that must not fail, and returns what it prints. */
async function output(command: string, args: string[]): Promise<string> {
  const { printed, failure } = await run(command, args);
  if (failure !== undefined) throw new Error(failure);
  return printed;
}

/** The first of some commands that this machine has, or an error that says how to get it. */
async function installed(hint: string, ...commands: string[]): Promise<string> {
  for (const command of commands) {
    if ((await run(command, ["--version"])).failure === undefined) return command;
  }
  throw new Error(`${commands[0]} is missing, ${hint}`);
}

/** The path of a runtime that npm has, which prints it. */
async function fetched(...args: string[]): Promise<string> {
  return output(await installed("which comes with Node", "npx"), ["-y", ...args]);
}

/** Has Deno write a file, and returns that. */
async function write(to: string, ...args: string[]): Promise<string> {
  await output(Deno.execPath(), [...args, "--quiet", "--output", to]);
  return to;
}

/** Writes the program so that it imports another form of `mod.ts`, and returns the file. */
function importing(module: string, to: string): string {
  Deno.writeTextFileSync(to, Deno.readTextFileSync(PROGRAM).replace("../mod.ts", module));
  return to;
}

const BUNDLE = ["bundle", PROGRAM, "--format"];

/** The forms of the program: how each is written into a folder, as which file. */
const FORMS: Record<string, (folder: string) => string | Promise<string>> = {
  "mod.ts": () => PROGRAM,
  "deno transpile": async (folder) => {
    await write(`${folder}/mod.mjs`, "transpile", MODULE);
    const program = importing("./mod.mjs", `${folder}/page.ts`);
    return write(`${folder}/page.mjs`, "transpile", program);
  },
  "deno bundle": (folder) => write(`${folder}/esm.mjs`, ...BUNDLE, "esm"),
  "deno bundle --format cjs": (folder) => write(`${folder}/cjs.cjs`, ...BUNDLE, "cjs"),
  "deno bundle --format iife": (folder) => write(`${folder}/iife.js`, ...BUNDLE, "iife"),
  "deno bundle, mod.ts as cjs": async (folder) => {
    await write(`${folder}/mod.cjs`, "bundle", MODULE, "--format", "cjs");
    const program = importing("./mod.cjs", `${folder}/mixed.ts`);
    return write(`${folder}/mixed.mjs`, "bundle", program);
  },
};

/** A runtime: its name, how to find the program, and which forms it runs. */
interface Runtime {
  name: string;
  find: () => string | Promise<string>;
  forms: string[];
  /** What a browser is told, so that it uses nothing but a new folder. */
  options?: (profile: string) => string[];
}

const PAGES = ["deno transpile", "deno bundle", "deno bundle --format iife"];
const CHROMIUM = "--headless --disable-gpu --no-first-run --disable-sync --disable-extensions " +
  "--disable-background-networking --disable-component-update";
const FIREFOX_PREFERENCES = {
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "app.normandy.enabled": false,
};

const RUNTIMES: Runtime[] = [
  { name: "Deno", find: () => Deno.execPath(), forms: ["mod.ts", "deno bundle"] },
  {
    name: "Node",
    find: () => fetched("node@24", "-p", "process.execPath"),
    forms: ["mod.ts", "deno bundle", "deno bundle --format cjs", "deno bundle, mod.ts as cjs"],
  },
  {
    name: "Bun",
    find: () => fetched("bun@1", "-e", "console.log(process.execPath)"),
    forms: ["mod.ts"],
  },
  {
    name: "Chromium",
    find: () =>
      installed(
        "get it with: apt-get install chromium",
        "chromium",
        "chromium-browser",
        "google-chrome",
      ),
    forms: PAGES,
    options: (profile) => [
      ...CHROMIUM.split(" "),
      ...(Deno.uid() === 0 ? ["--no-sandbox"] : []), // refused to root
      `--user-data-dir=${profile}`,
    ],
  },
  {
    name: "Firefox",
    find: () => installed("get it with: apt-get install firefox-esr", "firefox-esr", "firefox"),
    forms: PAGES,
    options: (profile) => {
      const lines = Object.entries(FIREFOX_PREFERENCES)
        .map(([key, value]) => `user_pref("${key}", ${value});\n`);
      Deno.writeTextFileSync(`${profile}/user.js`, lines.join(""));
      return ["--headless", "--no-remote", "--profile", profile];
    },
  },
];

/** What `runtime.ts` reports. */
interface Report {
  agent: string;
  speeds: number[];
  error?: string;
}

async function runFile(command: string, file: string): Promise<Report> {
  const options = command === Deno.execPath() ? ["run", "--no-config"] : [];
  const { printed, failure } = await run(command, [...options, file, TASKS]);
  if (printed === "") throw new Error(failure);
  return JSON.parse(printed);
}

/** Writes the page that runs a script, and reports what keeps the script from starting. */
function page(script: string): string {
  const type = script.endsWith(".mjs") ? "module" : "text/javascript";
  return `<!DOCTYPE html><title>${script}</title><script>
    onerror = (error) => fetch("/", { method: "POST", body: JSON.stringify({ error }) });
  </script><script type="${type}" src="${script}"></script>`;
}

/** Has a browser open a page, which sends its report to the server that it came from. */
async function visit(
  command: string,
  file: string,
  options: (profile: string) => string[],
): Promise<Report> {
  const folder = dirname(file), { promise: report, resolve } = Promise.withResolvers<string>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (request.method === "POST") resolve(await request.text());
    const { pathname } = new URL(request.url), isPage = pathname === "/";
    const body = isPage
      ? page(basename(file))
      : await Deno.readFile(folder + pathname).catch(() => null);
    const headers = {
      "content-type": isPage ? "text/html" : "text/javascript",
      // A page that is isolated like this is trusted with a fine clock.
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    };
    return new Response(body, { status: body ? 200 : 404, headers });
  });
  const address = `http://127.0.0.1:${server.addr.port}/#${encodeURIComponent(TASKS)}`;
  const profile = makeFolder();
  const { ended, stop } = startPatiently(command, [...options(profile), address], {
    stdio: "ignore",
    env: { ...Deno.env.toObject(), TMPDIR: profile }, // Chromium leaves folders there
  });
  try {
    const early = ended.then((reason) => Promise.reject(new Error(reason)));
    return JSON.parse(await Promise.race([report, early]));
  } finally {
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
  const attempt = async <T>(name: string, act: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await act();
    } catch (error) {
      failures.push(`${name} is left out: ${(error as Error).message}`);
    }
  };
  const folder = makeFolder(), files = new Map<string, string>();
  for (const [kind, write] of Object.entries(FORMS)) {
    progress(`writing ${kind}`);
    const file = await attempt(kind, () => write(folder));
    if (file !== undefined) files.set(kind, file);
  }
  for (const { name, find, forms, options } of RUNTIMES) {
    progress(`loading ${name}`);
    const command = await attempt(name, find);
    if (command === undefined) continue;
    for (const kind of forms) {
      const file = files.get(kind);
      if (file === undefined) continue;
      const run = () => options ? visit(command, file, options) : runFile(command, file);
      runs.set({ name, kind, speeds: {} }, run);
    }
  }
  for (let round = 1; round <= rounds; round++) {
    for (const [result, run] of runs) {
      progress(`round ${round} of ${rounds}: ${result.name}, ${result.kind}`);
      const report = await attempt(`${result.name}, ${result.kind},`, async () => {
        const report = await run();
        if (report.error === undefined) return report;
        Deno.exitCode = 1;
        throw new Error(report.error);
      });
      if (report === undefined) {
        runs.delete(result);
        continue;
      }
      const version = /(?:Deno|Node\.js|Bun|Chrome|Firefox)\/(\d+(\.[1-9]\d*)*)/;
      result.version = report.agent.match(version)?.[1];
      Object.keys(POSITIONS).forEach((position, i) => {
        result.speeds[position] = Math.max(result.speeds[position] ?? 0, report.speeds[i]);
      });
    }
  }
  progress("");
  return { results: [...runs.keys()], failures };
}
