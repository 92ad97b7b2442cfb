/**
 * The programs that `compare.ts` measures, each as one function that counts leaves and, for some,
 * a set of functions for daily work. Started with the name of one of them, this file loads it and
 * answers what its parent asks, so that every program has a process, and with it a compiler and a
 * heap, of its own.
 *
 * Each peer counts in the fastest way it documents, and counts the last moves without making them
 * if it can. The packages are named here and nowhere else: only the process that measures one loads
 * it. `peers.lock` pins them; after a change of a version here,
 *
 *     deno cache --no-config --lock=tools/peers.lock --frozen=false npm:name@version
 *
 * @module
 */

import process from "node:process";
import { type Corpus, type Finding, type Library, look, measureTask } from "./daily.ts";

/** What a peer can do once it is loaded. */
interface Loaded {
  /** Counts the leaves of the tree of moves. */
  perft: (fen: string, depth: number) => number | Promise<number>;
  library?: Library;
}

/** A program that counts leaves. */
export interface Peer {
  /** Where it comes from and what it runs as. */
  kind: string;
  /** Its version; if it is installed here rather than chosen here, known once it is loaded. */
  version?: string;
  /** The most leaves to count at a time, which keep it busy for about a second. */
  leaves: number;
  /** What V8 is told when the process starts. */
  flags?: string;
  load: () => Promise<Loaded>;
}

/** What the parent asks: to count, to keep a corpus and look at some of it, or to work with it. */
export type Question =
  | { fen: string; depth: number }
  | { corpus: Corpus; looks: number }
  | { task: string; inTurn: boolean; milliseconds: number };

/** What the parent is told: that the peer is loaded, then what it asks for; or the failure. */
export interface Answer {
  error?: string;
  version?: string;
  count?: number;
  time?: number;
  findings?: Finding[];
  nanoseconds?: number;
}

/** Where Deno finds a peer's package. Were it written out, Deno would fetch it for every tool. */
function specifier(name: string): string {
  return `npm:${name}@${PEERS[name].version}`;
}

async function load(name: string) {
  try {
    return await import(specifier(name));
  } catch (error) {
    const [reason] = String(error).split("\n");
    throw new Error(`${reason}; is npm within reach?`);
  }
}

/** The peers by name, those from npm by the name of their package. */
export const PEERS: Record<string, Peer> = {
  "Stockfish": {
    kind: "native",
    leaves: 2e8,
    load: async () => {
      const { Stockfish } = await import("./stockfish.ts");
      const silent = AbortSignal.timeout(10_000);
      const engine = await Promise.race([
        Stockfish.start(),
        new Promise<never>((_, reject) => {
          const reason = "the program does not answer as Stockfish does; is STOCKFISH=path right?";
          silent.addEventListener("abort", () => reject(new Error(reason)));
        }),
      ]);
      PEERS.Stockfish.version = engine.name.replace("Stockfish ", "");
      return {
        perft: async (fen, depth) => {
          engine.position(fen);
          return (await engine.perft(depth)).total;
        },
      };
    },
  },
  "Quintessence": {
    kind: "TypeScript",
    leaves: 2e8,
    load: async () => {
      const { Board, squares } = await import("../mod.ts");
      type Board = InstanceType<typeof Board>;
      const library: Library<Board, bigint> = {
        setUp: (fen) => new Board(fen),
        write: (board) => board.fen(),
        play: (board, uci) => board.play(uci),
        list: (board) => board.moves(),
        isOver: (board) => board.outcome() !== undefined,
        occupied: (board) => board.occupied,
        squares,
      };
      return { perft: (fen, depth) => new Board(fen).perft(depth), library };
    },
  },
  "Quintessence, inlined": {
    kind: "TypeScript, V8 flag",
    leaves: 2e8,
    flags: "--max-inlined-bytecode-size-cumulative=4000",
    load: () => PEERS.Quintessence.load(),
  },
  "stockfish": {
    kind: "npm, WebAssembly",
    version: "19.0.0",
    leaves: 2e8,
    load: async () => {
      Object.assign(globalThis, { location: new URL("https://localhost") }); // it looks for a page
      const { default: start } = await load("stockfish");
      const engine = await start("lite-single"); // the nets differ, the move generator does not
      return {
        perft: (fen, depth) =>
          new Promise((resolve) => {
            engine.listener = (line: string) => {
              if (line.startsWith("Nodes searched")) resolve(Number(line.split(":")[1]));
            };
            engine.sendCommand(`position fen ${fen}`);
            engine.sendCommand(`go perft ${depth}`);
          }),
      };
    },
  },
  "chessops": {
    kind: "npm, TypeScript",
    version: "0.15.1",
    leaves: 5e6,
    load: async () => {
      const { Chess, parseUci, fen: { makeFen, parseFen }, debug } = await load("chessops");
      type Squares = { first(): number | undefined; withoutFirst(): Squares };
      type Position = {
        turn: "white" | "black";
        toSetup(): unknown;
        isLegal(move: unknown): boolean;
        play(move: unknown): void;
        ctx(): unknown;
        dests(square: number, ctx: unknown): Squares;
        outcome(): unknown;
        board: Record<"occupied" | "white" | "black", Squares> & {
          pawn: { has(square: number): boolean };
        };
      };
      // To take the first away is five times as fast as to iterate.
      const each = (set: Squares, visit: (square: number) => void) => {
        for (let square; (square = set.first()) !== undefined; set = set.withoutFirst()) {
          visit(square);
        }
      };
      const setUp = (fen: string): Position => Chess.fromSetup(parseFen(fen).unwrap()).unwrap();
      const library: Library<Position, Squares> = {
        setUp,
        write: (position) => makeFen(position.toSetup()),
        play: (position, uci) => {
          const move = parseUci(uci);
          if (!position.isLegal(move)) throw new RangeError(uci);
          position.play(move);
        },
        list: (position) => {
          const moves: number[] = [], ctx = position.ctx(); // numbers, as ours are
          each(position.board[position.turn], (from) => {
            const isPawn = position.board.pawn.has(from);
            each(position.dests(from, ctx), (to) => {
              const kinds = isPawn && (to < 8 || to >= 56) ? 4 : 1;
              for (let kind = 0; kind < kinds; kind++) moves.push(kind << 12 | from << 6 | to);
            });
          });
          return moves;
        },
        isOver: (position) => position.outcome() !== undefined,
        occupied: (position) => position.board.occupied,
        squares: (set) => {
          const squares: number[] = [];
          each(set, (square) => squares.push(square));
          return squares;
        },
      };
      return { perft: (fen, depth) => debug.perft(setUp(fen), depth), library };
    },
  },
  "kokopu": {
    kind: "npm, TypeScript",
    version: "4.13.4",
    leaves: 5e6,
    load: async () => {
      const { Position } = await load("kokopu");
      type Position = { moves(): unknown[]; play(move: unknown): void };
      const perft = (position: Position, depth: number): number => {
        const moves = position.moves();
        if (depth === 1) return moves.length;
        return moves.reduce((leaves: number, move) => {
          const next = new Position(position); // there is no way back from a move
          next.play(move);
          return leaves + perft(next, depth - 1);
        }, 0);
      };
      return { perft: (fen, depth) => perft(new Position(fen), depth) };
    },
  },
  "ffish-es6": {
    kind: "npm, WebAssembly",
    version: "0.7.10",
    leaves: 5e6,
    load: async () => {
      const { default: start } = await load("ffish-es6");
      const { Board } = await start({
        locateFile: (file: string) => import.meta.resolve(`${specifier("ffish-es6")}/${file}`),
      });
      const board = new Board("chess");
      const perft = (depth: number): number => {
        if (depth === 1) return board.numberLegalMoves();
        const moves: string = board.legalMoves();
        let leaves = 0;
        for (const move of moves ? moves.split(" ") : []) {
          board.push(move);
          leaves += perft(depth - 1);
          board.pop();
        }
        return leaves;
      };
      return {
        perft: (fen, depth) => {
          board.setFen(fen);
          return perft(depth);
        },
      };
    },
  },
  "chess.js": {
    kind: "npm, TypeScript",
    version: "1.4.0",
    leaves: 5e5,
    load: async () => {
      const { Chess } = await load("chess.js");
      type Chess = {
        fen(): string;
        move(uci: string): unknown;
        moves(): string[];
        isGameOver(): boolean;
      };
      const library: Library<Chess> = {
        setUp: (fen) => new Chess(fen),
        write: (chess) => chess.fen(),
        play: (chess, uci) => chess.move(uci),
        list: (chess) => chess.moves(),
        isOver: (chess) => chess.isGameOver(),
      };
      return { perft: (fen, depth) => new Chess(fen).perft(depth), library };
    },
  },
};

if (import.meta.main) {
  const peer = PEERS[Deno.args[0]];
  const answer = (answer: Answer) => process.send!(answer);
  process.on("disconnect", () => Deno.exit()); // the parent has gone
  try {
    const { perft, library } = await peer.load();
    let corpus: Corpus;
    process.on("message", async (question: Question) => {
      try {
        if ("fen" in question) {
          const start = performance.now(), count = await perft(question.fen, question.depth);
          answer({ count, time: performance.now() - start });
        } else if ("corpus" in question) {
          corpus = question.corpus;
          const some = corpus.games.slice(0, question.looks);
          answer({ findings: some.map((game) => look(library!, corpus.start, game)) });
        } else {
          const { task, inTurn, milliseconds } = question;
          answer({ nanoseconds: measureTask(task, library!, corpus, inTurn, milliseconds) });
        }
      } catch (error) {
        answer({ error: String(error) });
      }
    });
    answer({ version: peer.version });
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) });
  }
}
