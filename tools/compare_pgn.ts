/**
 * Measures how many moves of PGN games Quintessence, pgn-extract and two chess libraries read and
 * replay in a second, for `deno task compare --pgn`. Started with the name of one of them, this file
 * loads it and answers what its parent asks, so that each has a process of its own.
 *
 * @module
 */

import process from "node:process";
import { Board } from "@quintessence/chess";
import { type Game, readPgn, replay, toSan, writePgn } from "@quintessence/chess/pgn";
import { makeFolder, startChild } from "./children.ts";
import { progress } from "./cli.ts";
import { Random } from "./random.ts";

/** A program's best speed. */
export interface PgnResult {
  name: string;
  version?: string;
  kind: string;
  /** Millions of half-moves read and replayed in a second. */
  speed: number;
}

/** Reads and replays the games of a file, after what need not be measured, and counts the moves. */
type Replay = (file: string) => Promise<() => number | Promise<number>>;

interface Peer {
  kind: string;
  version?: string;
  /** How many of the games it is given, so that it is not busy for minutes. */
  games: number;
  load: () => Promise<Replay>;
}

type Answer = { version?: string } | { moves: number; time: number } | { error: string };

/** Archives are in one of two encodings; one that has a sign for every byte does for moves. */
function readFile(file: string): string {
  return new TextDecoder("latin1").decode(Deno.readFileSync(file));
}

/** Not written out where it is imported, or Deno would fetch the package for every tool. */
function specifier(name: string, path = ""): string {
  return `npm:${name}@${PEERS[name].version}${path}`;
}

const PEERS: Record<string, Peer> = {
  "pgn-extract": {
    kind: "native",
    games: Infinity,
    load: async () => {
      const path = "/usr/games/pgn-extract"; // where Debian has it
      const run = (...args: string[]) =>
        new Deno.Command(path, { args, stdout: "null", stderr: "piped" }).output();
      const help = new TextDecoder().decode(
        (await run("--version").catch(() => {
          throw new Error("pgn-extract is missing, get it with: apt-get install pgn-extract");
        })).stderr,
      );
      PEERS["pgn-extract"].version = help.match(/\d[\w.-]*/)?.[0];
      return (file) => {
        const moves = countMoves(readFile(file)); // it does not say
        return Promise.resolve(async () => (await run("-s", "-r", file)).success ? moves : NaN);
      };
    },
  },
  "Quintessence": {
    kind: "TypeScript",
    games: Infinity,
    load: () =>
      Promise.resolve((file) => {
        const text = readFile(file);
        return Promise.resolve(() => countMoves(text, replay));
      }),
  },
  "chessops": {
    kind: "npm, TypeScript",
    version: "0.15.1",
    games: Infinity,
    load: async () => {
      const { parsePgn, startingPosition } = await import(specifier("chessops", "/pgn"));
      const { parseSan } = await import(specifier("chessops", "/san"));
      return (file) => {
        const text = readFile(file);
        return Promise.resolve(() => {
          let moves = 0;
          for (const game of parsePgn(text)) {
            const position = startingPosition(game.headers).unwrap();
            for (const { san } of game.moves.mainline()) {
              position.play(parseSan(position, san));
              moves++;
            }
          }
          return moves;
        });
      };
    },
  },
  "chess.js": {
    kind: "npm, TypeScript",
    version: "1.4.0",
    games: 40,
    load: async () => {
      const { Chess } = await import(specifier("chess.js"));
      return (file) => {
        const games = Array.from(readPgn(readFile(file)), writePgn); // it reads one at a time
        return Promise.resolve(() =>
          games.reduce((moves, game) => {
            const chess = new Chess();
            chess.loadPgn(game);
            return moves + chess.history().length;
          }, 0)
        );
      };
    },
  },
};

function countMoves(text: string, visit: (game: Game) => void = () => {}): number {
  let moves = 0;
  for (const game of readPgn(text)) {
    visit(game);
    moves += game.moves.length;
  }
  return moves;
}

/** Games that are the same in every run. */
function* randomGames(): Generator<Game> {
  const random = new Random(1);
  for (let i = 0; i < 3000; i++) {
    const board = new Board(), game: Game = { tags: {}, moves: [], result: "*" };
    while (game.moves.length < 80 && board.count() > 0) {
      const move = random.pick(board.moves());
      game.moves.push(toSan(board, move));
      board.make(move);
    }
    yield game;
  }
}

function start(name: string) {
  const args = ["run", "-A", "--no-lock", import.meta.url, name];
  const stdio = ["ignore", "ignore", "ignore", "ipc"] as const;
  const { process, ended, stop } = startChild(Deno.execPath(), args, [...stdio]);
  const ask = (file?: string): Promise<Answer> => {
    const answered = new Promise<Answer>((resolve) => process.once("message", resolve));
    if (file) process.send(file);
    return Promise.race([answered, ended.then((error) => ({ error }))]);
  };
  return { ask, stop };
}

/**
 * Lays the results out as rows of a table.
 *
 * @param results What was measured.
 * @returns The cells, the heading first; the last column says how many times as fast we are.
 */
export function pgnRows(results: PgnResult[]): string[][] {
  const ours = results.find(({ name }) => name === "Quintessence");
  return [
    ["Read and replayed", "", "million moves/s", "ours / it"],
    ...results.map(({ name, version = "", kind, speed }) => [
      `${name} ${version}`.trim(),
      kind,
      speed.toPrecision(3),
      ours ? (ours.speed / speed).toFixed(2) : "",
    ]),
  ];
}

/**
 * Measures all programs in turn and keeps each one's best round.
 *
 * @param folder Where the PGN files are; unless given, games are made up.
 * @param rounds How often to measure each program.
 * @returns The results, and a line for each program that is left out.
 */
export async function comparePgn(
  folder?: string,
  rounds = 5,
): Promise<{ results: PgnResult[]; failures: string[] }> {
  const texts = folder === undefined
    ? []
    : [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".pgn"))
      .map((name) => readFile(`${folder}/${name}`));
  if (folder !== undefined && texts.length === 0) throw new RangeError(`No .pgn file in ${folder}`);
  progress("preparing the games");
  const games = folder === undefined
    ? [...randomGames()]
    : texts.flatMap((text) => [...readPgn(text)]);
  const scratch = makeFolder(), running = new Map<PgnResult, ReturnType<typeof start>>();
  const results: PgnResult[] = [], failures: string[] = [];
  const drop = (result: PgnResult, reason: string) => {
    failures.push(`${result.name} is left out: ${reason}`);
    running.get(result)!.stop();
    running.delete(result);
  };
  try {
    for (const [name, { kind, version }] of Object.entries(PEERS)) {
      progress(`loading ${name}`);
      const result: PgnResult = { name, kind, version, speed: 0 }, peer = start(name);
      running.set(result, peer);
      // All get the same text, as Quintessence writes it.
      const given = games.slice(0, PEERS[name].games);
      Deno.writeTextFileSync(`${scratch}/${name}.pgn`, given.map(writePgn).join(""));
      const answer = await peer.ask();
      if ("error" in answer) drop(result, answer.error);
      else if ("version" in answer) result.version = answer.version;
    }
    for (let round = 1; round <= rounds; round++) {
      for (const [result, peer] of running) {
        progress(`round ${round} of ${rounds}: ${result.name}`);
        const given = games.slice(0, PEERS[result.name].games);
        const moves = given.reduce((sum, { moves }) => sum + moves.length, 0);
        const answer = await peer.ask(`${scratch}/${result.name}.pgn`);
        if ("error" in answer) drop(result, answer.error);
        else if ("moves" in answer && answer.moves !== moves) {
          drop(result, `it replays ${answer.moves} moves, not ${moves}`);
          Deno.exitCode = 1;
        } else if ("moves" in answer) {
          result.speed = Math.max(result.speed, moves / answer.time / 1e3);
        }
      }
    }
    results.push(...running.keys());
  } finally {
    progress("");
    for (const peer of running.values()) peer.stop();
  }
  return { results, failures };
}

if (import.meta.main) {
  const peer = PEERS[Deno.args[0]], answer = (answer: Answer) => process.send!(answer);
  const refuse = (error: unknown) => answer({ error: String(error).split("\n")[0] });
  try {
    const prepare = await peer.load();
    process.on("message", async (file: string) => {
      try {
        const run = await prepare(file), start = performance.now();
        const moves = await run();
        answer({ moves, time: performance.now() - start });
      } catch (error) {
        refuse(error);
      }
    });
    answer({ version: peer.version });
  } catch (error) {
    refuse(error);
  }
}
