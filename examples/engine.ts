/**
 * A chess engine in one page: evaluation, search and the UCI protocol on top of the move generator.
 *
 * `deno task engine` plays in every chess program that speaks UCI; `bestMove` plays in yours.
 *
 * @module
 */

import {
  Board,
  isCapture,
  type Move,
  moveFrom,
  moveTo,
  promotion,
  type Square,
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
  /** The only moves to think about, if not all; at least one, and legal. */
  moves?: Move[];
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
const MAX_PLY = 100; // no search goes deeper, so a score beyond MATE - MAX_PLY is a mate to come
const isMate = (score: number): boolean => Math.abs(score) >= MATE - MAX_PLY;

// ---------------------------------------------------------------------------------------------
// 1. Evaluation: what a position is worth, without looking ahead
// ---------------------------------------------------------------------------------------------
// Every term has two values, one for the opening and one for the endgame: a king hides from the
// queens first and walks to the centre later. One number carries both through the sums, the opening
// in its upper half. The phase, 24 with all pieces on the board and 0 with none, mixes them.

const both = (opening: number, endgame: number): number => opening * 65536 + endgame;

// What a piece adds to the phase; its material; and what each step towards the centre and each rank
// forward add to that.
const WORTHS = {
  P: [0, both(80, 100), both(3, 0), both(2, 8)],
  N: [1, both(325, 310), both(5, 4), both(3, 1)],
  B: [1, both(340, 330), both(3, 3), both(1, 1)],
  R: [2, both(475, 530), both(2, 0), both(1, 2)],
  Q: [4, both(970, 990), both(1, 4), both(-1, 2)],
  K: [0, both(0, 0), both(-6, 5), both(-12, 3)],
};
const PASSED = [0, 6, 10, 20, 40, 70, 110].map((worth) => both(worth / 2, worth)); // by rank
const ISOLATED = both(-10, -12), DOUBLED = both(-10, -14);
const OPEN_FILE = both(25, 5), HALF_OPEN_FILE = both(12, 5); // for a rook
const SHIELD = both(12, 0); // for a pawn that still stands before its king
const TEMPO = 10; // to have the move is worth something

// By the code of the piece's letter and the square; Black's are upside down and below zero.
const worths = new Int32Array(128 * 64);
const phases = new Uint8Array(128), materials = new Int16Array(128); // by the code alone
for (const [letter, [phase, material, centre, forward]] of Object.entries(WORTHS)) {
  const white = letter.charCodeAt(0), black = letter.toLowerCase().charCodeAt(0);
  phases[white] = phases[black] = phase;
  materials[white] = materials[black] = material >> 16;
  const inwards = (line: number): number => Math.min(line, 7 - line); // steps from the nearer edge
  for (let square = 0; square < 64; square++) {
    const rank = square >> 3, steps = inwards(square & 7) * (inwards(rank) + 1); // at most 12
    const worth = material + centre * steps + forward * rank;
    worths[white << 6 | square] = worth;
    worths[black << 6 | square ^ 56] = -worth;
  }
}

// The pawns of each file, White's in 1 to 8 and Black's in 11 to 18, and the rank of the rearmost,
// as its side counts. The files left and right of the board stay empty, which spares exceptions.
const pawns = new Uint8Array(20), rearmost = new Uint8Array(20);

/** What the position is worth to the side to move, in hundredths of a pawn. */
function evaluate(): number {
  let sum = 0, phase = 0;
  pawns.fill(0);
  rearmost.fill(7);
  for (let square = 8; square < 56; square++) {
    const piece = board.at(square);
    if (piece !== "P" && piece !== "p") continue;
    const file = (square & 7) + (piece === "P" ? 1 : 11);
    pawns[file]++;
    rearmost[file] = Math.min(rearmost[file], piece === "P" ? square >> 3 : 7 - (square >> 3));
  }
  for (let square = 0; square < 64; square++) {
    const piece = board.at(square);
    if (piece === undefined) continue;
    const code = piece.charCodeAt(0), isWhite = code < 96, file = (square & 7) + (isWhite ? 1 : 11);
    const rank = isWhite ? square >> 3 : 7 - (square >> 3), other = isWhite ? file + 10 : file - 10;
    let worth = 0;
    if (piece === "P" || piece === "p") {
      if (pawns[file - 1] + pawns[file + 1] === 0) worth += ISOLATED;
      if (rank > rearmost[file]) worth += DOUBLED;
      // A pawn is passed if no enemy can stop it any more, on its file or beside.
      const enemy = Math.min(rearmost[other - 1], rearmost[other], rearmost[other + 1]);
      if (rank >= 7 - enemy) worth += PASSED[rank];
    } else if (piece === "R" || piece === "r") {
      if (pawns[file] === 0) worth += pawns[other] === 0 ? OPEN_FILE : HALF_OPEN_FILE;
    } else if (piece === "K" || piece === "k") {
      for (let near = file - 1; near <= file + 1; near++) if (rearmost[near] < 3) worth += SHIELD;
    }
    sum += worths[code << 6 | square] + (isWhite ? worth : -worth);
    phase += phases[code];
  }
  const endgame = sum << 16 >> 16, opening = (sum - endgame) / 65536;
  phase = Math.min(phase, 24); // promotions can exceed it
  const score = (opening * phase + endgame * (24 - phase)) / 24 | 0;
  return (board.turn === "w" ? score : -score) + TEMPO;
}

// ---------------------------------------------------------------------------------------------
// 2. Memory: what is known from other lines of play
// ---------------------------------------------------------------------------------------------
// Different orders of the same moves lead to the same position. A table keeps what was found there,
// in the slot that the position's hash names. A score is exact, or a bound if the search stopped
// looking because it had seen enough. Numbers in typed arrays are no work for the garbage collector,
// and the system hands out their memory only where it is used: a large table is ready at once.

const AT_LEAST = 1, AT_MOST = 2, EXACT = 3;
let size: number; // how many slots there are, of sixteen bytes each
let keys: Float64Array; // a slot begins with 53 bits of the hash;
let finds: Int32Array; // the same memory: its last two numbers are a score, and the rest in one

/** Empties the table and gives it a size. */
export function forget(megabytes: number): void {
  size = 2 ** Math.floor(Math.log2(megabytes * 2 ** 16));
  keys = new Float64Array(2 * size);
  finds = new Int32Array(keys.buffer);
}

const killers: Move[][] = []; // by ply: the last two quiet moves that refuted something there
const history = new Uint16Array(4096); // by from and to: how well the move refuted anything

/**
 * The moves in the order to try them, best last: the sooner the best comes, the less is searched.
 * Each lies in the lower half of a number, below its rank.
 */
function rankMoves(tableMove: Move, ply: number, calm: boolean): Int32Array {
  const ranked: number[] = [];
  for (const move of ply === 0 && limits.moves || board.moves()) {
    const captures = isCapture(move) || promotion(move) === "q";
    if (calm && !captures) continue;
    let rank = killers[ply]?.includes(move) ? 11000 : history[move & 4095];
    if (move === tableMove) rank = 16000;
    // The greatest victim first, and the least piece that can take it.
    else if (captures) rank = 12000 + 3 * material(moveTo(move)) - (material(moveFrom(move)) >> 3);
    ranked.push(rank << 16 | move);
  }
  return new Int32Array(ranked).sort();
}

/** What stands on a square, in hundredths of a pawn; nothing is 0, and so is a king. */
const material = (square: Square): number => materials[board.at(square)?.charCodeAt(0) ?? 0];

// ---------------------------------------------------------------------------------------------
// 3. Search: negamax with alpha and beta
// ---------------------------------------------------------------------------------------------
// What is good for one side is as bad for the other: a position is worth the best of its moves, and
// a move minus what the position after it is worth. Alpha is what the side to move has found
// elsewhere, beta what the other side has: beyond beta it would not let it come to this position,
// and the rest of its moves need no look.

let board: Board, limits: Limits, deadline: number, nodes: number, stopped: boolean;
const path: number[] = []; // the hashes of the positions from the root to here
const lines: Move[][] = []; // by ply: the best play found from there on

/** The score of the position, `depth` half-moves ahead; a bound if not between alpha and beta. */
function search(depth: number, alpha: number, beta: number, ply: number): number {
  if (ply > 0) lines[ply] = []; // the root keeps the line of the last depth until there is a new
  if (++nodes >= (limits.nodes ?? Infinity)) stopped = true;
  if (nodes % 128 === 0 && (performance.now() >= deadline || limits.stop?.())) stopped = true;
  if (stopped && lines[0].length > 0) return 0; // but never without a move

  const inCheck = board.isCheck();
  if (inCheck) depth = Math.max(depth, 0) + 1; // few replies and much at stake: look further
  // In the middle of an exchange the evaluation is wrong. So at the end come captures, and nothing
  // but captures, until it is calm; none is forced, for there are other moves.
  const calm = depth <= 0;
  const key = Number(BigInt.asUintN(53, board.hash)), slot = key % size;
  if (!calm && ply > 0) {
    const outcome = board.outcome();
    if (outcome === "checkmate") return ply - MATE; // a shorter mate counts more
    if (outcome !== undefined || path.includes(key)) return 0; // what repeats once can repeat again
  }
  const isWide = beta - alpha > 1, known = keys[2 * slot] === key ? finds[4 * slot + 3] : 0;
  if (!isWide && known !== 0 && (known >> 16 & 255) >= depth) {
    const found = finds[4 * slot + 2], score = found - (isMate(found) ? Math.sign(found) * ply : 0);
    if ((known >> 24 & AT_LEAST) !== 0 && score >= beta) return score;
    if ((known >> 24 & AT_MOST) !== 0 && score <= alpha) return score;
  }
  let best = -MATE, bestMove = known & 0xffff, bound = AT_MOST;
  if (calm || !inCheck && !isWide && depth < 5 && !isMate(beta) || ply >= MAX_PLY) {
    const score = evaluate();
    // So far above beta that no single move of the other side will change it.
    if (score - 90 * Math.max(depth, 0) >= beta || ply >= MAX_PLY) return score;
    if (calm) alpha = Math.max(alpha, best = score);
  }

  const ranked = rankMoves(bestMove, ply, calm), them = board.turn === "w" ? "b" : "w";
  path.push(key);
  for (let i = ranked.length - 1; i >= 0; i--) {
    const move = ranked[i] & 0xffff, from = moveFrom(move), to = moveTo(move);
    const tried = ranked.length - 1 - i, quiet = !isCapture(move) && promotion(move) === undefined;
    // To take a lesser piece that is protected loses.
    if (calm && material(from) > material(to) + 50 && board.attackers(to, them) !== 0n) continue;
    // Late moves are rarely good: look less deep, and again in full if one surprises.
    const late = quiet && !inCheck && depth > 2 && tried > 2;
    const less = late ? 1 + Number(tried > 8) + Number(depth > 6) : 0;
    board.make(move);
    // After the first move, the question is only whether another is better at all.
    let score = tried === 0 ? MATE : -search(depth - 1 - less, -alpha - 1, -alpha, ply + 1);
    if (score > alpha && (tried === 0 || less > 0 || isWide)) {
      score = -search(depth - 1, -beta, -alpha, ply + 1);
    }
    board.undo();
    if (stopped && lines[0].length > 0) break;
    if (score > best) best = score;
    if (score <= alpha) continue;
    alpha = score;
    bestMove = move;
    bound = score < beta ? EXACT : AT_LEAST;
    lines[ply] = [move, ...lines[ply + 1]];
    if (score < beta) continue;
    if (quiet) {
      killers[ply] = [move, killers[ply]?.[0] ?? 0];
      history[move & 4095] = Math.min(history[move & 4095] + depth * depth, 10000);
    }
    break;
  }
  path.pop();
  if (!calm && !stopped && (ply > 0 || limits.moves === undefined)) {
    // The path to this position may differ: a mate is stored as far off as it is from here.
    keys[2 * slot] = key;
    finds[4 * slot + 2] = best + (isMate(best) ? Math.sign(best) * ply : 0);
    finds[4 * slot + 3] = bound << 24 | depth << 16 | bestMove;
  }
  return best;
}

/**
 * Finds the best move: it looks one half-move ahead, then two, and so on. The table makes that
 * faster than to look far at once, and there is an answer whenever time is up.
 *
 * @param position The board; it is left as it was.
 * @param limit When to stop.
 * @param onReport Called with what each depth has found.
 * @returns The last report, or `undefined` if there is no legal move.
 */
export function bestMove(
  position: Board,
  limit: Limits,
  onReport?: (report: Report) => void,
): Report | undefined {
  if (position.count() === 0) return undefined;
  [board, limits, deadline] = [position, limit, performance.now() + (limit.time ?? Infinity)];
  nodes = path.length = killers.length = 0;
  history.fill(0);
  lines[0] = [];
  stopped = false;
  let report: Report | undefined;
  for (let depth = 1; depth <= (limit.depth ?? MAX_PLY) && !stopped; depth++) {
    const score = search(depth, -MATE, MATE, 0);
    if (score === -MATE) break; // stopped before it knew any better
    report = { move: lines[0][0], score, depth, nodes, line: lines[0].map(toUci) };
    onReport?.(report);
    if (MATE - Math.abs(score) <= depth) break; // no deeper look will find a shorter mate
  }
  return report;
}
forget(16);

// ---------------------------------------------------------------------------------------------
// 4. UCI: the dialogue with a chess program
// ---------------------------------------------------------------------------------------------
// The engine must listen while it thinks. So this thread listens, and a worker that runs the same
// file thinks. They share three numbers: how many of the searches asked for so far are to end, how
// many have pondered on the move that was played, and how often was asked whether all is ready.
const ENDED = 0, HIT = 1, ASKED = 2;

// A line without a command is passed over, and so are the words before one.
const COMMAND =
  /(?<!\S)(uci|debug|isready|setoption|register|ucinewgame|position|go|stop|ponderhit|quit)(?!\S).*/;

/** The time in milliseconds, the same in both threads. */
const now = (): number => performance.timeOrigin + performance.now();

/** What is read; its end says quit. */
async function* input(): AsyncGenerator<string> {
  yield* Deno.stdin.readable.pipeThrough(new TextDecoderStream());
  yield "\nquit\n";
}

/** Hands commands on, with the time when they came; what they say to a running search, it hears. */
async function listen(): Promise<void> {
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const worker = new Worker(import.meta.url, { type: "module" });
  worker.postMessage(shared);
  let searches = 0, rest = "";
  for await (const chunk of input()) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const [text, name] = COMMAND.exec(line) ?? [];
      if (name === "go") searches++;
      if (name === "isready") Atomics.add(shared, ASKED, 1);
      if (name === "ponderhit") Atomics.store(shared, HIT, searches);
      if (name === "stop" || name === "quit") Atomics.store(shared, ENDED, searches);
      worker.postMessage({ words: text?.match(/\S+/g) ?? [], received: now() });
      if (name === "quit") return; // the worker ends the program, after all that came before
    }
  }
}

/** Carries out the commands that come from the listener, one after the other. */
function work(): void {
  let shared: Int32Array, searches = 0, asked = 0, answered = 0;
  let board = new Board(), megabytes = 16;
  let expected = 0, lag = 10; // milliseconds: on our clock next time, and lost with every move
  const answer = (questions: number): void => {
    for (; answered < questions; answered++) console.log("readyok");
  };

  const commands: Record<string, (words: string[], received: number) => void> = {
    uci: () =>
      console.log(
        "id name Quintessence\nid author the Quintessence authors\n" +
          "option name Hash type spin default 16 min 1 max 1024\n" +
          "option name Ponder type check default false\nuciok",
      ),
    isready: () => answer(++asked),
    ucinewgame: () => forget(megabytes),
    setoption(words) {
      const [, value] = /^setoption name hash value (.*)$/i.exec(words.join(" ")) ?? [];
      if (value === undefined) return; // it has no other option that changes anything
      if (!(+value >= 1 && +value <= 1024)) throw new RangeError("Expected Hash from 1 to 1024");
      forget(megabytes = +value);
    },
    position([, sort, ...words]) {
      const end = words.includes("moves") ? words.indexOf("moves") : words.length;
      const isStart = sort === "startpos";
      if (!isStart && sort !== "fen") throw new SyntaxError("Expected startpos or fen");
      const reached = isStart ? new Board() : new Board(words.slice(0, end).join(" "));
      for (const move of words.slice(end + 1)) reached.play(move);
      board = reached;
    },
    go(words, received) {
      const number = (name: string): number | undefined =>
        words.includes(name) && Math.max(1, Number(words[words.indexOf(name) + 1])) || undefined;
      // An even share of the time left and much of what the move earns, but never all there is, and
      // less what forty moves lose on their way: on a busy machine, that is most of it.
      const left = number(board.turn + "time"), earned = number(board.turn + "inc") ?? 0;
      if (left) lag += (Math.max(0, Math.min(expected - left, 100)) - lag) / 5;
      const share = left && (left - 40 * lag) / (number("movestogo") ?? 25) + 0.6 * earned;
      const time = number("movetime") ?? (share && Math.max(1, Math.min(share, left / 3 - 50)));
      if (left && time) expected = left - time + earned;
      const listed = words.slice(words.indexOf("searchmoves") + 1 || words.length);
      const chosen = board.moves().filter((move) => listed.includes(toUci(move)));
      const mate = number("mate"), search = ++searches;
      let isPondering = words.includes("ponder"), isSolved = false, start = received;
      const stop = (): boolean => {
        answer(shared[ASKED]);
        if (isPondering && shared[HIT] >= search) [isPondering, start] = [false, now()];
        const isLate = !isPondering && now() - start >= (time ?? Infinity);
        return isLate || isSolved || shared[ENDED] >= search;
      };
      const best = bestMove(board, {
        // A mate that hides from the reductions shows when they are used up, at twice its depth.
        depth: number("depth") ?? (mate && 4 * mate),
        nodes: number("nodes"),
        moves: chosen.length > 0 ? chosen : undefined,
        stop,
      }, ({ score, depth, nodes, line }) => {
        const plies = MATE - Math.abs(score), time = Math.max(1, Math.ceil(now() - received));
        const moves = Math.sign(score) * (plies + 1 >> 1), nps = Math.round(1000 * nodes / time);
        console.log(
          `info depth ${depth} score ${isMate(score) ? `mate ${moves}` : `cp ${score}`}`,
          `nodes ${nodes} nps ${nps} time ${time} pv ${line.join(" ")}`,
        );
        isSolved = mate !== undefined && score >= MATE - 2 * mate;
      });
      // A search may end by itself, but the answer waits until it is wanted.
      const isPatient = words.includes("infinite");
      while (!stop() && (isPatient || isPondering)) Atomics.wait(shared, ENDED, shared[ENDED], 10);
      const [move = "0000", reply] = best?.line ?? [];
      console.log(`bestmove ${move}${reply ? ` ponder ${reply}` : ""}`);
    },
    quit: () => close(),
  };
  addEventListener("message", (event) => {
    const { data } = event as MessageEvent<{ words: string[]; received: number } | Int32Array>;
    if (data instanceof Int32Array) return shared = data;
    try {
      commands[data.words[0]]?.(data.words, data.received);
    } catch (error) {
      console.log(`info string ${(error as Error).message}, in: ${data.words.join(" ")}`);
    }
  });
}

if (import.meta.main) "WorkerGlobalScope" in globalThis ? work() : listen();
