/**
 * A chess engine in one page: evaluation, search and the UCI protocol on top of the move generator.
 *
 * `deno task engine` plays in any chess program that speaks UCI; `bestMove` plays in yours.
 *
 * @module
 */

import {
  Board,
  isCapture,
  type Move,
  moveFrom,
  moveTo,
  type Piece,
  promotion,
  START,
  toUci,
} from "@quintessence/chess";

/** When to stop thinking: at whatever comes first. */
export interface Limits {
  /** Half-moves to look ahead. */
  depth?: number;
  /** Positions to look at. */
  nodes?: number;
  /** Milliseconds. */
  time?: number;
  /** Asked again and again while thinking; `true` ends it. */
  stop?: () => boolean;
}

/** What a search has found. */
export interface Report {
  move: Move;
  /** Hundredths of a pawn for the side to move; a mate is `MATE` less the half-moves to it. */
  score: number;
  depth: number;
  nodes: number;
  /** The moves expected from here on, as UCI writes them. */
  line: string[];
}

/** The score of a mate on the board. */
export const MATE = 30000;
const MAX_PLY = 100; // no search goes deeper, so that a score beyond MATE - MAX_PLY is a mate
const MATED_SOON = MATE - MAX_PLY;

// ---------------------------------------------------------------------------------------------
// 1. Evaluation: what a position is worth, without looking ahead
// ---------------------------------------------------------------------------------------------
// A man is worth its material, and so much more for each step nearer to the centre and each rank
// forward. All is said twice, for the opening and for the endgame: the king hides from the queens
// first and walks to the centre later. The phase, 24 with all pieces on the board and 0 with none,
// mixes the two.

const WORTHS = { // material, centre, forward
  P: { opening: [80, 5, 2], endgame: [100, 0, 8], phase: 0 },
  N: { opening: [325, 9, 3], endgame: [310, 7, 1], phase: 1 },
  B: { opening: [335, 6, 1], endgame: [320, 5, 1], phase: 1 },
  R: { opening: [475, 4, 1], endgame: [530, 1, 2], phase: 2 },
  Q: { opening: [970, 2, -1], endgame: [990, 7, 2], phase: 4 },
  K: { opening: [0, -12, -12], endgame: [0, 10, 3], phase: 0 },
};
const OPENING = new Int16Array(128 * 64); // by letter code << 6 | square, Black's below zero
const ENDGAME = new Int16Array(128 * 64);
const PHASE = new Uint8Array(128);

const code = (piece: Piece): number => piece.charCodeAt(0);

for (const [letter, { opening, endgame, phase }] of Object.entries(WORTHS)) {
  const white = code(letter as Piece), black = code(letter.toLowerCase() as Piece);
  PHASE[white] = PHASE[black] = phase;
  for (let square = 0; square < 64; square++) {
    const rank = square >> 3, file = square & 7;
    const inwards = (line: number) => Math.min(line, 7 - line); // steps from the nearer edge
    const centre = inwards(file) * (inwards(rank) + 1) / 2; // 0 on the outer files, 6 on d4
    for (const [table, worth] of [[OPENING, opening], [ENDGAME, endgame]] as const) {
      const value = worth[0] + worth[1] * centre + worth[2] * rank;
      table[white << 6 | square] = value;
      table[black << 6 | square ^ 56] = -value;
    }
  }
}

// What stands on each file, counted for White in 1 to 8 and for Black in 11 to 18, ranks as seen by
// the side itself. The files beside the board are always empty, which spares their exceptions.
const pawns = new Uint8Array(20), rooks = new Uint8Array(20);
const rearPawn = new Uint8Array(20), frontPawn = new Uint8Array(20);
const PASSED = [0, 5, 10, 20, 40, 70, 110]; // by rank

/** The worth of a position in hundredths of a pawn to the side to move. */
function evaluate(): number {
  let opening = 0, endgame = 0, phase = 0;
  const bishops = [0, 0], kingFile = [0, 0];
  pawns.fill(0), rooks.fill(0), rearPawn.fill(7), frontPawn.fill(0);
  for (let square = 0; square < 64; square++) {
    const piece = board.at(square);
    if (piece === undefined) continue;
    opening += OPENING[code(piece) << 6 | square];
    endgame += ENDGAME[code(piece) << 6 | square];
    phase += PHASE[code(piece)];
    const side = piece > "Z" ? 1 : 0, file = 10 * side + (square & 7) + 1;
    if (piece === "P" || piece === "p") {
      const rank = side ? 7 - (square >> 3) : square >> 3;
      pawns[file]++;
      rearPawn[file] = Math.min(rearPawn[file], rank);
      frontPawn[file] = Math.max(frontPawn[file], rank);
    } else if (piece === "R" || piece === "r") rooks[file]++;
    else if (piece === "B" || piece === "b") bishops[side]++;
    else if (piece === "K" || piece === "k") kingFile[side] = file;
  }
  for (const side of [0, 1]) {
    const sign = side ? -1 : 1;
    if (bishops[side] > 1) opening += 30 * sign, endgame += 45 * sign; // they see all squares
    for (let own = 10 * side + 1; own <= 10 * side + 8; own++) {
      const other = side ? own - 10 : own + 10;
      if (pawns[own] === 0) opening += rooks[own] * (pawns[other] ? 12 : 25) * sign; // open file
      else {
        const isolated = pawns[own - 1] + pawns[own + 1] === 0 ? 10 : 0;
        const faults = isolated + 12 * (pawns[own] - 1); // the rest are doubled
        opening -= faults * sign, endgame -= faults * sign;
        // A pawn is passed if no enemy stands before it, here or beside.
        const ahead = Math.min(rearPawn[other - 1], rearPawn[other], rearPawn[other + 1]);
        if (frontPawn[own] >= 7 - ahead) {
          opening += PASSED[frontPawn[own]] / 2 * sign, endgame += PASSED[frontPawn[own]] * sign;
        }
        const shield = Math.abs(own - kingFile[side]) <= 1 && rearPawn[own] <= 2;
        if (shield) opening += 12 * sign; // a roof over the king
      }
    }
  }
  const score = (opening * phase + endgame * (24 - phase)) / 24 | 0;
  return (board.turn === "w" ? score : -score) + 10; // to have the move is worth something
}

// ---------------------------------------------------------------------------------------------
// 2. Memory: what earlier searches learnt
// ---------------------------------------------------------------------------------------------
// The transposition table remembers positions by their hash, because other orders of the same
// moves lead to them again. A score is exact, or only a bound: the search had seen enough.

const EXACT = 1, AT_LEAST = 2, AT_MOST = 3;
let keys: Float64Array, moves: Uint16Array, scores: Int16Array;
let depths: Int8Array, bounds: Uint8Array;

/** Empties the transposition table and gives it a size in megabytes. */
export function forget(megabytes: number): void {
  const entries = 2 ** Math.floor(Math.log2(megabytes * 2 ** 20 / 14)); // an entry has 14 bytes
  keys = new Float64Array(entries);
  moves = new Uint16Array(entries);
  scores = new Int16Array(entries);
  depths = new Int8Array(entries);
  bounds = new Uint8Array(entries);
}
forget(16);

const killers: Move[][] = []; // by ply: two quiet moves that refuted a sister of this position
const history = new Uint16Array(4096); // by from and to: how often a quiet move refuted anything

/** The moves, each below a rank that says how soon to try it: rank << 16 | move. */
function rankMoves(hashMove: Move, ply: number, onlyCaptures = false): number[] {
  const ranked: number[] = [];
  for (const move of board.moves()) {
    let rank = history[move & 4095];
    if (move === hashMove) rank = 16383;
    else if (isCapture(move) || promotion(move) === "q") {
      // First the greatest victim, and of those who can take it the least.
      const victim = board.at(moveTo(move)) ?? "p";
      rank = 12000 + 16 * ORDER.indexOf(victim) - ORDER.indexOf(board.at(moveFrom(move))!);
    } else if (onlyCaptures) continue;
    else if (killers[ply]?.includes(move)) rank = 11000;
    ranked.push(rank << 16 | move);
  }
  return ranked;
}
const ORDER = "PpNnBbRrQqKk";

/** Takes out the move with the highest rank: cheaper than sorting, for mostly the first will do. */
function pick(ranked: number[]): Move {
  let best = 0;
  for (let i = 1; i < ranked.length; i++) if (ranked[i] > ranked[best]) best = i;
  const move = ranked[best] & 0xffff;
  ranked[best] = ranked[ranked.length - 1];
  ranked.length--;
  return move;
}

// ---------------------------------------------------------------------------------------------
// 3. Search: negamax with alpha and beta
// ---------------------------------------------------------------------------------------------
// What is good for one side is as bad for the other, so that a position is worth the best of its
// moves, each worth minus the position after it. Alpha is what we have already elsewhere, beta what
// the opponent can hold us to elsewhere: a position worth beta will not be allowed, and its other
// moves need no look.

let board: Board;
let limits: Limits;
let nodes: number, deadline: number, stopped: boolean;
const path: number[] = []; // the hashes of the positions from the root to here
const lines: Move[][] = []; // by ply: the best play found from there on

/** Counts a node and looks at the limits; the first iteration always ends, to have a move. */
function mustStop(): boolean {
  nodes++;
  if (lines[0].length === 0 || stopped) return stopped;
  if (nodes >= (limits.nodes ?? Infinity)) stopped = true;
  else if (nodes % 1024 === 0) stopped = performance.now() >= deadline || limits.stop?.() === true;
  return stopped;
}

/** The score of the position, looking `depth` half-moves ahead; right only if in alpha to beta. */
function search(depth: number, alpha: number, beta: number, ply: number): number {
  if (ply > 0) lines[ply] = []; // the root keeps the line of the last depth until it has a better
  if (ply >= MAX_PLY) return evaluate();
  const inCheck = board.isCheck();
  if (inCheck) depth = Math.max(depth, 0) + 1; // few replies, much at stake: look further
  if (depth <= 0) return quiesce(alpha, beta, ply);
  if (mustStop()) return 0;

  const key = Number(BigInt.asUintN(53, board.hash)), slot = key % keys.length;
  if (ply > 0) {
    const outcome = board.outcome();
    if (outcome === "checkmate") return ply - MATE; // so that a shorter mate counts more
    // What has repeated once can repeat again: no need to see it happen.
    if (outcome !== undefined || path.includes(key)) return 0;
  }
  const known = keys[slot] === key, isLine = beta - alpha > 1;
  if (known && !isLine && depths[slot] >= depth) {
    // Mates are stored as seen from the position, and used as seen from the root.
    const score = scores[slot] -
      (Math.abs(scores[slot]) > MATED_SOON ? Math.sign(scores[slot]) * ply : 0);
    const bound = bounds[slot];
    if (bound === EXACT || (bound === AT_LEAST ? score >= beta : score <= alpha)) return score;
  }
  // Far above beta and nothing is hanging over us: one more move will not change that.
  if (!isLine && !inCheck && depth <= 4 && Math.abs(beta) < MATED_SOON) {
    const score = evaluate();
    if (score - 90 * depth >= beta) return score;
  }

  const ranked = rankMoves(known ? moves[slot] : 0, ply);
  let best = -MATE, bestMove = 0, bound = AT_MOST;
  path.push(key);
  for (let count = 0; ranked.length > 0; count++) {
    const move = pick(ranked), quiet = !isCapture(move) && promotion(move) === undefined;
    // The ranking is good: late quiet moves get a shorter look, and a longer one if they surprise.
    const late = quiet && !inCheck && count > 2 && depth > 2;
    const less = late ? 1 + (count > 8 ? 1 : 0) + (depth > 6 ? 1 : 0) : 0;
    board.make(move);
    // All but the first move need only be shown to be no better, with an empty window.
    let score = count === 0 ? 0 : -search(depth - 1 - less, -alpha - 1, -alpha, ply + 1);
    if (count === 0 || score > alpha && (less > 0 || isLine)) {
      score = -search(depth - 1, -beta, -alpha, ply + 1);
    }
    board.undo();
    if (stopped) break;
    if (score > best) best = score, bestMove = move;
    if (score <= alpha) continue;
    alpha = score;
    bound = EXACT;
    lines[ply] = [move, ...lines[ply + 1]];
    if (score < beta) continue;
    bound = AT_LEAST;
    if (quiet) {
      killers[ply] = [move, killers[ply]?.[0] ?? 0];
      history[move & 4095] = Math.min(history[move & 4095] + depth * depth, 10000);
    }
    break;
  }
  path.pop();
  if (stopped) return best; // only the root's is used
  keys[slot] = key;
  moves[slot] = bestMove;
  depths[slot] = depth;
  bounds[slot] = bound;
  scores[slot] = best + (Math.abs(best) > MATED_SOON ? Math.sign(best) * ply : 0);
  return best;
}

/**
 * The score once the dust has settled: only captures, which nobody is forced to make. An evaluation
 * in the middle of an exchange would count a queen that the next move takes.
 */
function quiesce(alpha: number, beta: number, ply: number): number {
  if (mustStop()) return 0;
  let best = evaluate();
  if (best >= beta) return best;
  alpha = Math.max(alpha, best);
  const ranked = rankMoves(0, ply, true), them = board.turn === "w" ? "b" : "w";
  while (ranked.length > 0) {
    const move = pick(ranked);
    const worth = (square: number) => OPENING[code(board.at(square) ?? "P") << 6];
    // Leave out what takes a lesser man that is protected.
    const gain = Math.abs(worth(moveTo(move))) - Math.abs(worth(moveFrom(move)));
    if (gain < -50 && board.attackers(moveTo(move), them) !== 0n) continue;
    board.make(move);
    const score = -search(0, -beta, -alpha, ply + 1);
    board.undo();
    if (stopped) return 0;
    if (score > best) best = score;
    if (score >= beta) break;
    alpha = Math.max(alpha, score);
  }
  return best;
}

/**
 * Finds the best move by looking one half-move further ahead, again and again. What it learns on
 * the way makes the next search faster than going there at once.
 *
 * @param position The board; it is left as it was.
 * @param limit When to stop.
 * @param onReport Called with the result of every depth.
 * @returns The last result, or `undefined` if there is no legal move.
 */
export function bestMove(
  position: Board,
  limit: Limits,
  onReport?: (report: Report) => void,
): Report | undefined {
  if (position.count() === 0) return undefined;
  board = position;
  limits = limit;
  deadline = performance.now() + (limits.time ?? Infinity);
  nodes = path.length = killers.length = 0;
  stopped = false;
  history.fill(0);
  lines[0] = [];
  let report: Report | undefined;
  for (let depth = 1; depth <= Math.min(limits.depth ?? MAX_PLY, MAX_PLY); depth++) {
    const score = search(depth, -MATE, MATE, 0);
    if (score > -MATE) { // if stopped, the best of the moves it came to, the last best one included
      report = { move: lines[0][0], score, depth, nodes, line: lines[0].map(toUci) };
      onReport?.(report);
    }
    if (stopped) break;
    if (MATE - Math.abs(score) <= depth) break; // nothing is better than the mate in sight
  }
  return report;
}

// ---------------------------------------------------------------------------------------------
// 4. UCI: the dialogue with a chess program
// ---------------------------------------------------------------------------------------------
// The dialogue must go on while the engine thinks. So this thread listens, and a worker, which runs
// this same file, thinks. They share one number: the last of the searches that are to stop.

/** What the worker is asked to do: to make a new table, or to think. */
interface Task {
  megabytes?: number;
  search: number;
  fen: string;
  played: string[];
  limits: Limits;
  infinite: boolean;
}

/** Reads commands until the input ends. */
async function listen(): Promise<void> {
  const lastStopped = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(import.meta.url, { type: "module" });
  worker.postMessage(lastStopped);
  let search = 0, megabytes = 16, fen = START, played: string[] = [], turn = "w";

  const commands: Record<string, (line: string) => void> = {
    uci() {
      console.log("id name Quintessence\nid author the authors of Quintessence");
      console.log("option name Hash type spin default 16 min 1 max 1024\nuciok");
    },
    isready: () => console.log("readyok"),
    ucinewgame: () => worker.postMessage({ megabytes }),
    setoption(line) {
      const value = Number(/^setoption name hash value (\d+)$/i.exec(line)?.[1]);
      if (!(value >= 1 && value <= 1024)) throw new RangeError("Expected Hash from 1 to 1024");
      worker.postMessage({ megabytes: megabytes = value });
    },
    position(line) {
      const match = /^position (?:startpos|fen (.+?))(?: moves(.*))?$/.exec(line);
      if (match === null) throw new SyntaxError("Expected startpos or fen, and moves");
      const start = match[1] ?? START, moves = match[2]?.match(/\S+/g) ?? [];
      const reached = moves.reduce((board, move) => board.play(move), new Board(start));
      fen = start, played = moves, turn = reached.turn;
    },
    go(line) {
      const number = (name: string): number | undefined => {
        const digits = new RegExp(` ${name} (-?\\d+)\\b`).exec(line)?.[1];
        return digits === undefined ? undefined : Math.max(1, Number(digits));
      };
      // Of the time left on the clock, an even share of the moves to come, and most of what the
      // move itself will earn, but never the last of it: the answer takes its time to arrive.
      const left = number(turn + "time"), earned = number(turn + "inc") ?? 0;
      const share = (left ?? Infinity) / (number("movestogo") ?? 25) + 0.75 * earned;
      const time = number("movetime") ?? (left && Math.max(1, Math.min(share, left * 0.6 - 20)));
      const limits = { depth: number("depth"), nodes: number("nodes"), time };
      const infinite = Object.values(limits).every((limit) => limit === undefined);
      worker.postMessage({ search: ++search, fen, played, limits, infinite });
    },
    stop() {
      Atomics.store(lastStopped, 0, search);
      Atomics.notify(lastStopped, 0);
    },
    quit: () => Deno.exit(),
  };
  const obey = (line: string): void => {
    const name = line.split(" ")[0];
    try {
      if (Object.hasOwn(commands, name)) commands[name](line);
      else if (name !== "") throw new SyntaxError("Expected a command of UCI");
    } catch (error) {
      console.log(`info string ${(error as Error).message}, in: ${line}`);
    }
  };
  let rest = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) obey(line.trim());
  }
  obey(rest.trim());
  obey("stop");
  worker.postMessage("end");
}

/** Thinks when told to, one task after the other. */
function work(): void {
  let lastStopped: Int32Array;
  addEventListener("message", (event) => {
    const task = (event as MessageEvent<Task | Int32Array | "end">).data;
    if (task === "end") close();
    else if (task instanceof Int32Array) lastStopped = task;
    else if (task.megabytes !== undefined) forget(task.megabytes);
    else {
      const start = performance.now();
      const stop = () => lastStopped[0] >= task.search;
      const board = task.played.reduce((board, move) => board.play(move), new Board(task.fen));
      const best = bestMove(board, { ...task.limits, stop }, ({ score, depth, nodes, line }) => {
        const plies = MATE - Math.abs(score), time = Math.ceil(performance.now() - start);
        const points = plies > MAX_PLY
          ? `cp ${score}`
          : `mate ${Math.sign(score) * (plies + 1 >> 1)}`;
        const nps = Math.round(nodes / time * 1000);
        console.log(
          `info depth ${depth} score ${points} nodes ${nodes} nps ${nps} time ${time} pv ${
            line.join(" ")
          }`,
        );
      });
      // A mate ends the search, but the answer to "go infinite" must wait until it is wanted.
      while (task.infinite && !stop()) Atomics.wait(lastStopped, 0, lastStopped[0]);
      console.log(`bestmove ${best ? toUci(best.move) : "0000"}`);
    }
  });
}

if (import.meta.main) "WorkerGlobalScope" in globalThis ? work() : await listen();
