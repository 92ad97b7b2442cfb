/**
 * Processes and folders that go when the program goes, however it ends, and peers: programs that
 * are compared, each in such a process.
 *
 * @module
 */

import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import process from "node:process";
import { progress, whenEnding } from "./cli.ts";

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
 * @param options What else `spawn` is told, such as what the process reads from and writes to.
 * @returns The process.
 */
export function startChild(command: string, args: string[], options: SpawnOptions): Child {
  const child = spawn(command, args, { ...options, detached: true });
  // Once: later, the number of the group may be another's.
  const stop = whenEnding(() => child.pid && process.kill(-child.pid, "SIGKILL"));
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
  const path = Deno.makeTempDirSync({ prefix: "quintessence-" });
  whenEnding(() => {
    for (let tries = 0; tries < 20; tries++) {
      try {
        return Deno.removeSync(path, { recursive: true });
      } catch { // a process that has just been killed may not be gone from it
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      }
    }
  });
  return path;
}

/** What a program that is compared is called. */
export interface Named {
  name: string;
  /** Its version; if it is installed here rather than chosen here, known once it is loaded. */
  version?: string;
}

/**
 * Writes what a program is called.
 *
 * @param named The program.
 * @returns Its name and, if that is known, its version.
 */
export function label({ name, version = "" }: Named): string {
  return `${name} ${version}`.trim();
}

/** Peers, each of which answers in a process of its own; those that fail are stopped and named. */
export class Peers<
  Result extends Named,
  Question extends object | string,
  Answer extends { error?: string; version?: string },
> {
  /** Those that have not failed, by what is found out about them. */
  readonly running: Map<Result, Child> = new Map();
  readonly #failures: string[] = [];
  readonly #file: string;

  /**
   * Names the program of the peers.
   *
   * @param file Its file. Given a peer's name, it answers once when it has loaded that one,
   * then every question.
   */
  constructor(file: string) {
    this.#file = file;
  }

  /** Starts a peer, with flags for V8 if it needs any, and learns its version. */
  async start(result: Result, flags?: string): Promise<void> {
    progress(`loading ${label(result)}`);
    const lock = `--lock=${import.meta.dirname}/peers.lock`;
    const options = ["--no-config", lock, "--frozen", "--allow-all"];
    if (flags !== undefined) options.push(`--v8-flags=${flags}`);
    const args = ["run", ...options, this.#file, result.name];
    const stdio: SpawnOptions["stdio"] = ["ignore", "ignore", "ignore", "ipc"];
    this.running.set(result, startChild(Deno.execPath(), args, { stdio }));
    const answer = await this.ask(result);
    if (answer) result.version = answer.version;
  }

  /** Asks a peer unless it has failed, at first whether it is up; drops it if it fails now. */
  async ask(result: Result, question?: Question): Promise<Answer | undefined> {
    const peer = this.running.get(result);
    if (peer === undefined) return;
    const answered = new Promise<Answer>((resolve) => peer.process.once("message", resolve));
    if (question !== undefined) peer.process.send(question);
    const answer = await Promise.race([answered, peer.ended.then((error) => ({ error }))]);
    if (answer.error === undefined) return answer as Answer;
    this.drop(result, answer.error);
  }

  /** Leaves a peer out. */
  drop(result: Result, reason: string): void {
    this.#failures.push(`${label(result)} is left out: ${reason}`);
    this.running.get(result)!.stop();
    this.running.delete(result);
  }

  /** Stops the peers; returns what was found out about them, and who was left out and why. */
  finish(): { results: Result[]; failures: string[] } {
    progress("");
    for (const peer of this.running.values()) peer.stop();
    return { results: [...this.running.keys()], failures: this.#failures };
  }
}
