/**
 * What programs do with chess boards all day besides counting leaves, as tasks that any library can
 * be given: `compare.ts` measures them in the processes of `peers.ts`.
 *
 * @module
 */

/** A library's own way to do each task; `B` is its board, `S` its set of squares. */
export interface Library<B = unknown, S = unknown> {
  setUp(fen: string): B;
  write(board: B): string;
  /** Checks a move and plays it. */
  play(board: B, uci: string): unknown;
  /** All legal moves, each promotion on its own. */
  list(board: B): unknown[];
  isOver(board: B): boolean;
  /** All pieces of a board, and the squares of such a set; not every library has sets. */
  occupied?(board: B): S;
  squares?(set: S): number[];
}

/** Games, and one position of each. */
export interface Corpus {
  start: string;
  games: string[][];
  fens: string[];
}

/** One step of a task; they are numbered. What it returns is added up, so that V8 leaves nothing out. */
type Step = (i: number) => number;

/** The tasks by name. What is prepared is not measured; `pick` says whose turn it is. */
export const TASKS: Record<
  string,
  (library: Library, corpus: Corpus, pick: (i: number) => number) => Step | undefined
> = {
  "set up a FEN": ({ setUp }, { fens }, pick) => {
    const boards: unknown[] = new Array(fens.length); // kept, as programs keep them
    return (i) => {
      boards[pick(i)] = setUp(fens[pick(i)]);
      return 1;
    };
  },
  "write a FEN": ({ setUp, write }, { fens }, pick) => {
    const boards = fens.map(setUp);
    return (i) => write(boards[pick(i)]).length;
  },
  "play a move by UCI text": ({ setUp, play }, { start, games }, pick) => {
    const boards = games.map(() => setUp(start)), plies = games.map(() => 0);
    return (i) => {
      const game = pick(i);
      if (plies[game] === games[game].length) {
        boards[game] = setUp(start);
        plies[game] = 0;
      }
      play(boards[game], games[game][plies[game]++]);
      return 1;
    };
  },
  "list the moves": ({ setUp, list }, { fens }, pick) => {
    const boards = fens.map(setUp);
    return (i) => list(boards[pick(i)]).length;
  },
  "outcome of the game": ({ setUp, isOver }, { fens }, pick) => {
    const boards = fens.map(setUp);
    return (i) => isOver(boards[pick(i)]) ? 1 : 0;
  },
  "squares of a set": ({ setUp, occupied, squares }, { fens }, pick) => {
    if (!occupied || !squares) return;
    const sets = fens.map((fen) => occupied(setUp(fen)));
    return (i) => squares(sets[pick(i)]).length;
  },
};

/** One board at a time: so many boards, each used so often in a row. */
export const FEW = 50, IN_A_ROW = 100;

/**
 * Measures a task.
 *
 * @param task One of `TASKS`.
 * @param library Who is to do it.
 * @param corpus With what.
 * @param inTurn Whether all boards take turns; otherwise a few are used one at a time.
 * @param milliseconds For how long.
 * @returns The nanoseconds for one step, or `undefined` if the library knows no such thing. In turn
 * it is the average; one at a time the best of many passes, which all do the same.
 */
export function measureTask(
  task: string,
  library: Library,
  corpus: Corpus,
  inTurn: boolean,
  milliseconds: number,
): number | undefined {
  const { start, games, fens } = corpus, boards = inTurn ? fens.length : Math.min(FEW, fens.length);
  const part = { start, games: games.slice(0, boards), fens: fens.slice(0, boards) };
  const pick = (i: number) => (inTurn ? i : Math.floor(i / IN_A_ROW)) % boards;
  const step = TASKS[task](library, part, pick), length = inTurn ? IN_A_ROW : boards * IN_A_ROW;
  if (step === undefined) return;
  let steps = 0, sum = 0, time = 0, best = Infinity;
  while (time < milliseconds) {
    const begin = performance.now();
    for (const end = steps + length; steps < end; steps++) sum += step(steps);
    const taken = performance.now() - begin;
    time += taken;
    best = Math.min(best, taken);
  }
  if (Number.isNaN(sum)) throw new Error(`Expected numbers from ${task}`);
  return 1e6 * (inTurn ? time / steps : best / length);
}

/** What must come out of a position, whoever looks at it. */
export interface Finding {
  position: string;
  moves: number;
  isOver: boolean;
}

/**
 * Plays a game and looks at its last position by every function of a library, so that none is
 * praised for being fast and wrong.
 *
 * @param library The library.
 * @param start The FEN to start from.
 * @param game The moves.
 * @returns What the library finds.
 */
export function look(library: Library, start: string, game: string[]): Finding {
  const { setUp, write, play, list, isOver, occupied, squares } = library, played = setUp(start);
  for (const move of game) play(played, move);
  const board = setUp(write(played)), [placement, turn, rights] = write(board).split(" ");
  const pieces = placement.replaceAll(/[^a-z]/gi, "").length;
  if (occupied && squares && squares(occupied(board)).length !== pieces) {
    throw new Error(`Expected ${pieces} squares in the set of all pieces`);
  }
  const position = `${placement} ${turn} ${rights}`; // not all agree on the other fields
  return { position, moves: list(board).length, isOver: isOver(board) };
}
