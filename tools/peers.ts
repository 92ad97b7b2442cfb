/**
 * The programs that `compare.ts` measures, each as one function that counts leaves. Started with the
 * name of one of them, this file loads it and answers what its parent asks, so that every program
 * has a process, and with it a compiler and a heap, of its own.
 *
 * Each peer counts in the fastest way it documents, and counts the last moves without making them
 * if it can. The packages are named here and nowhere else: only the process that measures one loads
 * it.
 *
 * @module
 */

import process from "node:process";

/** Counts the leaves of the tree of moves. */
type Perft = (fen: string, depth: number) => number | Promise<number>;

/** A program that counts leaves. */
export interface Peer {
  /** Where it comes from and what it runs as. */
  kind: string;
  /** Its version; if it is installed here rather than chosen here, known once it is loaded. */
  version?: string;
  /** The most leaves to count at a time, which keep it busy for about a second. */
  leaves: number;
  load: () => Promise<Perft>;
}

/** What the parent asks. */
export type Question = [fen: string, depth: number];

/** What the parent is told: that the peer is loaded, then counts and milliseconds; or the failure. */
export type Answer = { version?: string } | { count: number; time: number } | { error: string };

/** Where Deno finds a peer's package. Were it written out, Deno would fetch it for every tool. */
function specifier(name: string): string {
  return `npm:${name}@${PEERS[name].version}`;
}

async function load(name: string) {
  try {
    return await import(specifier(name));
  } catch (error) {
    const [reason] = String(error).split("\n");
    throw new Error(`${reason}; get it with \`deno cache --no-lock ${specifier(name)}\``);
  }
}

/** The peers by name, those from npm by the name of their package. */
export const PEERS: Record<string, Peer> = {
  "Stockfish": {
    kind: "native",
    leaves: 2e8,
    load: async () => {
      const { Stockfish } = await import("./stockfish.ts");
      const engine = await Stockfish.start();
      PEERS.Stockfish.version = engine.name.replace("Stockfish ", "");
      return async (fen, depth) => {
        engine.position(fen);
        return (await engine.perft(depth)).total;
      };
    },
  },
  "Quintessence": {
    kind: "TypeScript",
    leaves: 2e8,
    load: async () => {
      const { Board } = await import("@quintessence/chess");
      return (fen, depth) => new Board(fen).perft(depth);
    },
  },
  "stockfish": {
    kind: "npm, WebAssembly",
    version: "19.0.0",
    leaves: 2e8,
    load: async () => {
      Object.assign(globalThis, { location: new URL("https://localhost") }); // it looks for a page
      const { default: start } = await load("stockfish");
      const engine = await start("lite-single"); // the nets differ, the move generator does not
      return (fen, depth) =>
        new Promise((resolve) => {
          engine.listener = (line: string) => {
            if (line.startsWith("Nodes searched")) resolve(Number(line.split(":")[1]));
          };
          engine.sendCommand(`position fen ${fen}`);
          engine.sendCommand(`go perft ${depth}`);
        });
    },
  },
  "chessops": {
    kind: "npm, TypeScript",
    version: "0.15.1",
    leaves: 5e6,
    load: async () => {
      const { Chess, fen: { parseFen }, debug: { perft } } = await load("chessops");
      return (fen, depth) => perft(Chess.fromSetup(parseFen(fen).unwrap()).unwrap(), depth);
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
      return (fen, depth) => perft(new Position(fen), depth);
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
      return (fen, depth) => {
        board.setFen(fen);
        return perft(depth);
      };
    },
  },
  "chess.js": {
    kind: "npm, TypeScript",
    version: "1.4.0",
    leaves: 5e5,
    load: async () => {
      const { Chess } = await load("chess.js");
      return (fen, depth) => new Chess(fen).perft(depth);
    },
  },
};

if (import.meta.main) {
  const peer = PEERS[Deno.args[0]];
  const answer = (answer: Answer) => process.send!(answer);
  try {
    const perft = await peer.load();
    process.on("message", async ([fen, depth]: Question) => {
      const start = performance.now();
      const count = await perft(fen, depth);
      answer({ count, time: performance.now() - start });
    });
    answer({ version: peer.version });
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) });
  }
}
