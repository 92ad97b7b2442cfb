/**
 * Processes and folders that go when the program goes, however it ends: by itself, by Ctrl-C, or
 * told to by another program.
 *
 * @module
 */

import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import process from "node:process";

const groups = new Set<number>(), folders = new Set<string>();

/** Removes a folder, though a process that has just been killed may not be gone from it. */
function removeFolder(path: string): void {
  for (let tries = 0; tries < 20; tries++) {
    try {
      return Deno.removeSync(path, { recursive: true });
    } catch {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

function cleanUp(): void {
  for (const pid of groups) killGroup(pid);
  for (const path of folders) removeFolder(path);
  folders.clear();
}

let isWatching = false;
function watch(): void {
  if (isWatching) return;
  isWatching = true;
  globalThis.addEventListener("unload", cleanUp);
  for (const [signal, number] of [["SIGHUP", 1], ["SIGINT", 2], ["SIGTERM", 15]] as const) {
    Deno.addSignalListener(signal, () => Deno.exit(128 + number));
  }
}

/** Ends a group, once: later, its number may be another's. */
function killGroup(pid: number): void {
  if (!groups.delete(pid)) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // all of it has ended by itself
  }
}

/** A process with all that it starts in turn. */
export interface Child {
  process: ChildProcess;
  /** Why it ended. */
  ended: Promise<string>;
  /** Ends it at once, and all that it started. */
  stop: () => void;
}

/**
 * Starts a process at the head of a group of its own.
 *
 * @param command The program.
 * @param args Its arguments.
 * @param stdio What it reads from and writes to.
 * @returns The process.
 */
export function startChild(command: string, args: string[], stdio: SpawnOptions["stdio"]): Child {
  watch();
  const child = spawn(command, args, { detached: true, stdio });
  const stop = () => child.pid !== undefined && killGroup(child.pid);
  if (child.pid !== undefined) groups.add(child.pid);
  const ended = new Promise<string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => {
      stop(); // the rest of the group
      resolve(`its process ended with ${signal ?? `exit code ${code}`}`);
    });
  });
  return { process: child, ended, stop };
}

/**
 * Makes a folder that is removed when the program ends.
 *
 * @returns Its path.
 */
export function makeFolder(): string {
  watch();
  const path = Deno.makeTempDirSync({ prefix: "quintessence-" });
  folders.add(path);
  return path;
}
