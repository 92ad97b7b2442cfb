import { assert, assertEquals, assertMatch } from "@std/assert";
import { Board, toUci } from "@quintessence/chess";
import { UciEngine } from "../tools/match.ts";
import { bestMove, forget, MATE, type Report } from "./engine.ts";

/** Thinks about a position with an empty table, so that every run is the same. */
function think(fen: string, limits = { nodes: 60_000 }): Report {
  forget(16);
  const board = new Board(fen), before = board.toString();
  const report = bestMove(board, limits);
  assertEquals(board.toString(), before);
  return report!;
}

const MATES_IN_TWO = [
  "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", // Morphy
  "2Q5/6p1/1k6/2pBP2p/r2P3P/8/5P1K/2R5 w - - 0 45",
  "8/rp1k2pp/4pn2/3n4/P2P4/4RP1P/6P1/RNr1b1K1 b - - 1 28",
  "rqb3nr/1p2b2p/p5p1/3B4/Nk1pPB2/3Q4/PPP3PP/R4RK1 w - - 6 20",
  "6k1/6p1/p6p/1pQ1pq2/4p3/BP3R1P/P4K2/3r1N1b b - - 4 37",
  "3r2k1/1p3pp1/2p4p/2PQ4/8/1r2q3/P7/3K2RR b - - 5 36",
  "5Nk1/1P6/3N4/7p/3RBPpP/6P1/4K3/8 w - - 1 54",
  "5rk1/1p4pp/r1p5/8/PP1Pp3/2R2n1K/8/2B3q1 b - - 3 30",
  "3r4/2k2p2/5n1p/p1p5/5Pp1/PP2P3/2P1q1PP/2R3K1 b - - 2 31",
];
const MATES_IN_THREE = [
  "2Q5/6p1/1k2B3/r1pqP2p/P2P3P/8/5P1K/2R5 w - - 11 44",
  "r3r1k1/pp3pp1/1Bp2n1p/5b2/8/P2P2P1/RP3P1P/3q1BK1 b - - 1 19",
  "r5k1/1p3pp1/2p4p/2P2Q2/8/1r2q3/P7/3K2RR b - - 3 35",
  "1r6/n5k1/1q2p2p/p7/P3P2P/6P1/r7/5N1K b - - 0 31",
  "5rk1/1p4pp/r1p5/8/PP1Pp3/2R2nK1/8/2B2q2 b - - 1 29",
  "5b1k/3R4/p6p/1p2q3/4r2P/1Q5b/PP4r1/K7 b - - 1 43",
  "6k1/1p6/3p2pp/3nr3/p3P2q/P3P2B/1Pbp4/6K1 b - - 1 42",
];
// The first twenty of "Win at Chess" but the second, which takes longer, with the moves that win.
const TACTICS = [
  ["2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", "g3g6"],
  ["5rk1/1ppb3p/p1pb4/6q1/3P1p1r/2P1R2P/PP1BQ1P1/5RKN w - - 0 1", "e3g3"],
  ["r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1", "h6h7"],
  ["5k2/6pp/p1qN4/1p1p4/3P4/2PKP2Q/PP3r2/3R4 b - - 0 1", "c6c4"],
  ["7k/p7/1R5K/6r1/6p1/6P1/8/8 w - - 0 1", "b6b7"],
  ["rnbqkb1r/pppp1ppp/8/4P3/6n1/7P/PPPNPPP1/R1BQKBNR b KQkq - 0 1", "g4e3"],
  ["r4q1k/p2bR1rp/2p2Q1N/5p2/5p2/2P5/PP3PPP/R5K1 w - - 0 1", "e7f7"],
  ["3q1rk1/p4pp1/2pb3p/3p4/6Pr/1PNQ4/P1PB1PP1/4RRK1 b - - 0 1", "d6h2"],
  ["2br2k1/2q3rn/p2NppQ1/2p1P3/Pp5R/4P3/1P3PPP/3R2K1 w - - 0 1", "h4h7"],
  ["r1b1kb1r/3q1ppp/pBp1pn2/8/Np3P2/5B2/PPP3PP/R2Q1RK1 w kq - 0 1", "f3c6"],
  ["4k1r1/2p3r1/1pR1p3/3pP2p/3P2qP/P4N2/1PQ4P/5R1K b - - 0 1", "g4f3"],
  ["5rk1/pp4p1/2n1p2p/2Npq3/2p5/6P1/P3P1BP/R4Q1K w - - 0 1", "f1f8"],
  ["r2rb1k1/pp1q1p1p/2n1p1p1/2bp4/5P2/PP1BPR1Q/1BPN2PP/R5K1 w - - 0 1", "h3h7"],
  ["1R6/1brk2p1/4p2p/p1P1Pp2/P7/6P1/1P4P1/2R3K1 w - - 0 1", "b8b7"],
  ["r4rk1/ppp2ppp/2n5/2bqp3/8/P2PB3/1PP1NPPP/R2Q1RK1 w - - 0 1", "e2c3"],
  ["1k5r/pppbn1pp/4q1r1/1P3p2/2NPp3/1QP5/P4PPP/R1B1R1K1 w - - 0 1", "c4e5"],
  ["R7/P4k2/8/8/8/8/r7/6K1 w - - 0 1", "a8h8"],
  ["r1b2rk1/ppbn1ppp/4p3/1QP4q/3P4/N4N2/5PPP/R1B2RK1 w - - 0 1", "c5c6"],
  ["r2qkb1r/1ppb1ppp/p7/4p3/P1Q1P3/2P5/5PPP/R1B2KNR b kq - 0 1", "d7b5"],
];

Deno.test("the shortest mate is found and its line ends in it", () => {
  for (const [plies, fens] of [[3, MATES_IN_TWO], [5, MATES_IN_THREE]] as const) {
    for (const fen of fens) {
      const { score, line } = think(fen), board = new Board(fen);
      assertEquals(score, MATE - plies, fen);
      for (const move of line) board.play(move);
      assertEquals([line.length, board.outcome()], [plies, "checkmate"], fen);
      // What the table keeps of the mate must hold nearer to it as well.
      board.undo(), board.undo(), board.undo();
      assertEquals(bestMove(board, { nodes: 60_000 })?.score, MATE - 3, fen);
    }
  }
});

Deno.test("a mate against us is put off as long as possible", () => {
  const { score, line } = think("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", { nodes: 20_000 });
  assertEquals(score, 2 - MATE);
  assertEquals(line.length, 2);
});

Deno.test("tactics are solved", () => {
  const failed = TACTICS.filter(([fen, move]) => toUci(think(fen).move) !== move);
  assertEquals(failed, []);
});

Deno.test("the evaluation is the same for both sides", () => {
  const white = "r1bq1rk1/pp3ppp/2n2n2/2bp4/8/2NBPN2/PPQ2PPP/R1B2RK1 w - - 0 1";
  const [men] = white.split(" ");
  const swap = (text: string) =>
    text.replace(/[a-z]/gi, (c) => c < "a" ? c.toLowerCase() : c.toUpperCase());
  const black = men.split("/").reverse().map(swap).join("/") + " b - - 0 1";
  assertEquals(think(white, { nodes: 1 }).score, think(black, { nodes: 1 }).score);
  for (const depth of [1, 3]) {
    const reports = [white, black].map((fen) => (forget(1), bestMove(new Board(fen), { depth })));
    assertEquals(reports[0]?.score, reports[1]?.score);
  }
});

Deno.test("draws are seen", async (t) => {
  await t.step("no legal move, no report", () => {
    assertEquals(bestMove(new Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), {}), undefined);
    assertEquals(bestMove(new Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), {}), undefined);
  });
  await t.step("stalemate", () => {
    assertEquals(think("7k/7P/6K1/8/8/8/8/8 w - - 0 1", { nodes: 5000 }).score, 0);
  });
  await t.step("perpetual check saves the loser", () => {
    const { score, move } = think("6k1/6p1/8/8/8/8/rrq3PP/4Q2K w - - 0 1", { nodes: 20_000 });
    assertEquals([score, toUci(move)], [0, "e1e8"]);
  });
  await t.step("a third occurrence counts the moves already played", () => {
    const shuffle = ["f1e1", "h8g8", "e1f1", "g8h8"]; // Black has no other move on h8
    const board = new Board("7k/R7/8/8/8/8/8/5K2 w - - 0 1");
    for (const move of [...shuffle, ...shuffle, "f1e1"]) board.play(move);
    assertEquals(bestMove(board, { depth: 4 })!.score, 0);
    assert(think(board.fen(), { nodes: 5000 }).score < -400);
  });
  await t.step("the fifty-move rule", () => {
    assertEquals(think("7k/8/8/8/8/3Q4/8/K7 w - - 99 90", { nodes: 5000 }).score, 0);
    assert(think("7k/8/8/8/8/3Q4/8/K7 w - - 0 90", { nodes: 5000 }).score > 500);
  });
  await t.step("insufficient material", () => {
    assertEquals(think("7k/8/8/8/3n4/4K3/8/8 w - - 0 1", { nodes: 5000 }).score, 0);
  });
});

Deno.test("limits are obeyed and the board is left as it was", async (t) => {
  const fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
  await t.step("depth", () => {
    const depths: number[] = [];
    const last = bestMove(new Board(fen), { depth: 3 }, ({ depth }) => depths.push(depth));
    assertEquals([depths, last!.depth], [[1, 2, 3], 3]);
  });
  await t.step("nodes", () => {
    for (const nodes of [1, 100, 5000]) {
      const report = think(fen, { nodes });
      assert(report.nodes >= nodes && report.nodes < nodes + 1000, `${report.nodes} of ${nodes}`);
      assert(new Board(fen).moves().includes(report.move));
    }
  });
  await t.step("stop", () => {
    let asked = 0;
    const board = new Board(fen);
    assert(bestMove(board, { stop: () => ++asked > 20 }) !== undefined);
    assertEquals([asked, board.fen()], [21, fen]);
  });
  await t.step("time", () => {
    const { now } = performance;
    let clock = 0;
    performance.now = () => clock++; // a clock that ticks whenever it is read
    try {
      assert(bestMove(new Board(fen), { time: 50 }) !== undefined);
    } finally {
      performance.now = now;
    }
    assertEquals(clock, 51); // the first reading is 0, the last 50
  });
});

Deno.test("the dialogue goes on while the engine thinks", async (t) => {
  const engine = new UciEngine(`${Deno.execPath()} task --quiet engine`);
  const bestmove = async (position: string, go: string) => {
    await engine.ask(`position ${position}`);
    return await engine.ask(`go ${go}`, "bestmove");
  };
  await t.step("it introduces itself", async () => {
    assertMatch(await engine.ask("uci", "id name"), /Quintessence/);
    await engine.ask("", "uciok");
    await engine.ask("isready", "readyok");
  });
  await t.step("every kind of limit", async () => {
    const go = ["depth 4", "nodes 2000", "movetime 50", "wtime 900 btime 900 winc 10 binc 10"];
    for (const limit of [...go, "wtime 1 btime 1", "btime 300 wtime 300 movestogo 1"]) {
      assertMatch(await bestmove("startpos moves e2e4 e7e5", limit), /^bestmove [a-h][1-8]/);
    }
  });
  await t.step("scores", async () => {
    await engine.ask("position fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1");
    assertMatch(await engine.ask("go depth 3", "info depth"), / score mate 1 .* pv g6g7$/);
    assertEquals(await engine.ask("", "bestmove"), "bestmove g6g7");
    await engine.ask("position startpos");
    assertMatch(await engine.ask("go depth 1", "info depth"), /^info depth 1 score cp -?\d+ nodes/);
    await engine.ask("", "bestmove");
    assertEquals(await bestmove("fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "depth 1"), "bestmove 0000");
  });
  await t.step("stop, before and after a mate is found", async () => {
    for (const position of ["startpos", "fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1"]) {
      await engine.ask(`position ${position}`);
      await engine.ask("go infinite", "info depth 1");
      await engine.ask("isready", "readyok"); // a bestmove before this would be lost below
      assertMatch(await engine.ask("stop", "bestmove"), /^bestmove/);
    }
    await engine.ask("position startpos\ngo infinite\nstop\ngo infinite\nstop", "bestmove");
    await engine.ask("", "bestmove");
  });
  await t.step("what is wrong is said and ignored", async () => {
    for (
      const line of [
        "castle",
        "position",
        "position fen rubbish",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos moves e2e5",
        "setoption name Hash value 0",
        "setoption name Colour value blue",
      ]
    ) {
      assert((await engine.ask(line, "info string")).endsWith(line), line);
    }
    await engine.ask("setoption name Hash value 1\nucinewgame\n\nisready", "readyok");
    assertMatch(await bestmove("startpos", "depth 3"), /^bestmove/);
  });
  await t.step("quit ends it in the middle of a search", async () => {
    await engine.ask("go infinite", "info depth 1");
    assertEquals(await engine.quit(), 0);
  });
  await t.step("so does the end of the input", async () => {
    const engine = new UciEngine(`${Deno.execPath()} task --quiet engine`);
    await engine.ask("go infinite", "info depth 1");
    assertEquals(await engine.hangUp(), 0);
  });
});
