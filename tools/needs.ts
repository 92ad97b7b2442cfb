/**
 * What tests need beside Node: programs that a newcomer may not have.
 *
 * @module
 */

import { existsSync } from "node:fs";

/** The Debian packages of programs that are not called as their package is. */
const PACKAGES: Record<string, string> = {
  ip: "iproute2",
  script: "bsdutils",
  sshd: "openssh-server",
};

/**
 * Finds a program: where a variable such as STOCKFISH says, on the PATH, or among Debian's games,
 * where root's PATH does not lead.
 *
 * @param program Its name, such as "stockfish".
 * @returns Its path, or undefined.
 */
export function find(program: string): string | undefined {
  const folders = [...(Deno.env.get("PATH") ?? "").split(":"), "/usr/games"];
  return [Deno.env.get(program.toUpperCase()), ...folders.map((folder) => `${folder}/${program}`)]
    .find((path) => path !== undefined && existsSync(path));
}

/**
 * Names a test that calls programs. Where one is missing the test is skipped, and its line says how
 * to get the program; in CI (`CI=true`) nothing is skipped, so that the test fails.
 *
 * @param programs The programs, such as "stockfish".
 * @param name What the test shows.
 * @returns The first argument of `Deno.test`.
 */
export function needs(programs: string[], name: string): { name: string; ignore: boolean } {
  const missing = programs.filter((program) => find(program) === undefined);
  if (missing.length === 0) return { name, ignore: false };
  const packages = missing.map((program) => PACKAGES[program] ?? program).join(" ");
  return {
    name: `${name} (${missing.join(", ")} missing: apt-get install ${packages})`,
    ignore: Deno.env.get("CI") !== "true",
  };
}
