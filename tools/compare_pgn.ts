/**
 * Measures how many moves of PGN games Quintessence, pgn-extract and two chess libraries read and
 * replay in a second, for `deno task compare --pgn`. Started with the name of one of them, this file
 * loads it and answers what its parent asks, so that each has a process of its own.
 *
 * @module
 */

import process from "node:process";
import { type Game, readPgn, replay, toSan, writePgn } from "../examples/pgn.ts";
import { Board } from "../mod.ts";
import { label, makeFolder, type Named, Peers } from "./children.ts";
import { progress } from "./cli.ts";
import { find } from "./needs.ts";
import { PEERS } from "./peers.ts";
import { Random } from "./random.ts";

/** A program's best speed. */
export interface PgnResult extends Named {
  kind: string;
  /** Millions of half-moves read and replayed in a second. */
  speed: number;
}

/** Reads and replays the games of a file, after what need not be measured, and counts the moves. */
type Replay = (file: string) => Promise<() => number | Promise<number>>;

interface Reader {
  kind: string;
  version?: string;
  /** How many of the games it is given, so that it is not busy for minutes. */
  games: number;
  load: () => Promise<Replay>;
}

/** What the parent is told: that the reader is loaded, then what it asks for; or the failure. */
interface Answer {
  error?: string;
  version?: string;
  moves?: number;
  time?: number;
}

/** How many games a program replays to warm up. */
const WARM_UP = 1000;

/** A game as Quintessence writes it, so that all get the same text, and how many moves it has. */
export interface Given {
  text: string;
  moves: number;
}

/** Archives are in one of two encodings; one that has a sign for every byte does for moves. */
function readFile(file: string): string {
  return new TextDecoder("latin1").decode(Deno.readFileSync(file));
}

/** Not written out where it is imported, or Deno would fetch the package for every tool. */
function specifier(name: string, path = ""): string {
  return `npm:${name}@${PEERS[name].version}${path}`;
}

const READERS: Record<string, Reader> = {
  "pgn-extract": {
    kind: "native",
    games: Infinity,
    load: async () => {
      const path = find("pgn-extract"), hint = "get it with: apt-get install pgn-extract";
      if (path === undefined) throw new Error(`pgn-extract is missing, ${hint}`);
      const run = (...args: string[]) =>
        new Deno.Command(path, { args, stdout: "null", stderr: "piped" }).output();
      const help = new TextDecoder().decode((await run("--version")).stderr);
      READERS["pgn-extract"].version = help.match(/\d[\w.-]*/)?.[0];
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
    version: PEERS.chessops.version,
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
    version: PEERS["chess.js"].version,
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

/**
 * Reads the games of a folder, so that what is broken shows before anything is measured.
 *
 * @param folder Where the PGN files are; if it is empty, games are made up.
 * @returns The games.
 * @throws {Error} If there are none, or one is broken; the message names the file.
 */
export function findGames(folder: string): Given[] {
  progress("preparing the games");
  const give = (game: Game): Given => ({ text: writePgn(game), moves: game.moves.length });
  if (folder === "") return Array.from(randomGames(), give);
  const files = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".pgn"));
  const games = files.flatMap(({ name }) => {
    const file = `${folder}/${name}`;
    try {
      return Array.from(readPgn(readFile(file)), (game) => {
        replay(game);
        return give(game);
      });
    } catch (error) {
      throw new Error(`${file}: ${(error as Error).message}`);
    }
  });
  if (games.length === 0) {
    throw new Error(`Expected PGN files with games, got none in ${JSON.stringify(folder)}`);
  }
  return games;
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
    ...results.map((result) => [
      label(result),
      result.kind,
      result.speed.toPrecision(3),
      ours ? (ours.speed / result.speed).toFixed(2) : "",
    ]),
  ];
}

/**
 * Measures all programs in turn and keeps each one's best round.
 *
 * @param games The games.
 * @param rounds How often to measure each program.
 * @returns The results, and a line for each program that is left out.
 */
export async function comparePgn(
  games: Given[],
  rounds: number,
): Promise<{ results: PgnResult[]; failures: string[] }> {
  const scratch = makeFolder(), peers = new Peers<PgnResult, string, Answer>(import.meta.url);
  for (const [name, { kind, version }] of Object.entries(READERS)) {
    await peers.start({ name, kind, version, speed: 0 });
  }
  for (let round = 0; round <= rounds; round++) { // at first to warm up
    for (const result of peers.running.keys()) {
      progress(`round ${round} of ${rounds}: ${label(result)}`);
      const most = round === 0 ? WARM_UP : Infinity;
      const given = games.slice(0, Math.min(READERS[result.name].games, most));
      const moves = given.reduce((sum, { moves }) => sum + moves, 0);
      const file = `${scratch}/games.pgn`;
      Deno.writeTextFileSync(file, given.map(({ text }) => text).join(""));
      const answer = await peers.ask(result, file);
      if (answer === undefined) continue;
      if (answer.moves !== moves) {
        peers.drop(result, `it replays ${answer.moves} moves, not ${moves}`);
        Deno.exitCode = 1;
      } else if (round > 0) {
        result.speed = Math.max(result.speed, moves / answer.time! / 1e3);
      }
    }
  }
  return peers.finish();
}

if (import.meta.main) {
  const reader = READERS[Deno.args[0]], answer = (answer: Answer) => process.send!(answer);
  const refuse = (error: unknown) => answer({ error: (error as Error).message.split("\n")[0] });
  process.on("disconnect", () => Deno.exit()); // the parent has gone
  try {
    const prepare = await reader.load();
    process.on("message", async (file: string) => {
      try {
        const run = await prepare(file), start = performance.now();
        const moves = await run();
        answer({ moves, time: performance.now() - start });
      } catch (error) {
        refuse(error);
      }
    });
    answer({ version: reader.version });
  } catch (error) {
    refuse(error);
  }
}
