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
  const [placement] = white.split(" ");
  const swap = (text: string) =>
    text.replace(/[a-z]/gi, (c) => c < "a" ? c.toLowerCase() : c.toUpperCase());
  const black = placement.split("/").reverse().map(swap).join("/") + " b - - 0 1";
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

const MATE_IN_ONE = "fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
const COMMAND = `${Deno.execPath()} task --quiet engine`;

Deno.test("UCI: every command, over the pipes", async (t) => {
  const engine = new UciEngine(COMMAND);
  /** Makes sure that the engine has obeyed, and returns all that it said before. */
  const obey = async (text: string) =>
    (await engine.hear(`${text}\nisready`, "readyok")).slice(0, -1);
  const go = async (position: string, limits: string) =>
    await engine.hear(`position ${position}\ngo ${limits}`, "bestmove");

  await t.step("uci introduces the engine and its options", async () => {
    const lines = await engine.hear("uci", "uciok");
    assertMatch(lines[0], /^id name Quintessence/);
    assertMatch(lines[1], /^id author ./);
    assertEquals(lines.slice(2), [
      "option name Hash type spin default 16 min 1 max 1024",
      "option name Ponder type check default false",
      "uciok",
    ]);
  });
  await t.step("any white space stands between words and around them", async () => {
    assertEquals((await engine.hear("\t  isready \r", "readyok")).length, 1);
    await obey("position \t startpos  moves   e2e4\te7e5 ");
    assertMatch((await engine.hear(" go   depth \t 2\r", "bestmove")).at(-2)!, /^info depth 2 /);
    const spaced = "position  fen  7k/8/5KQ1/8/8/8/8/8   w  -  -  0  1 \t moves  g6g7";
    assertEquals(await obey(spaced), []);
    assertEquals(await engine.ask("go depth 1", "bestmove"), "bestmove 0000");
  });
  await t.step("what is not known is passed over, up to a command", async () => {
    const lines = ["", "   ", "castle", "debug on", "debug off", "register later", "d", "xuci"];
    lines.push("register name go code 4359874324", "debug uci", "constructor", "stop", "ponderhit");
    for (const line of lines) assertEquals(await obey(line), [], line);
    assertEquals((await engine.hear("joho isready", "readyok")).length, 1);
    await engine.hear("joho  position startpos\nplease go quickly depth 1 thanks", "bestmove");
  });
  await t.step("setoption", async () => {
    for (const option of ["Hash value 1", "hash  value 1024", "Ponder value true", "Clear Hash"]) {
      assertEquals(await obey(`setoption  name ${option}`), [], option);
    }
    assertEquals(await obey("setoption name UCI_AnalyseMode value true\nsetoption"), []);
    for (const value of ["0", "1025", "-5", "many"]) {
      const [said, ...more] = await obey(`setoption name Hash value ${value}`);
      assertMatch(said, /^info string Expected Hash from 1 to 1024, in: .*Hash value/);
      assertEquals(more, []);
    }
  });
  await t.step("readyok comes after all that was asked before it", async () => {
    const lines = await engine.hear("isready\nposition fen 8\nisready\nuci", "uciok");
    assertEquals(lines.map((line) => line.split(" ")[0]).slice(0, 3), [
      "readyok",
      "info",
      "readyok",
    ]);
  });
  const nodes = async () =>
    Number(/ nodes (\d+) /.exec((await go("startpos", "depth 5")).at(-2)!)![1]);
  await t.step("ucinewgame forgets", async () => {
    await obey("ucinewgame");
    const first = await nodes(), second = await nodes();
    assert(second < first, `${second} and ${first} nodes`);
    await obey("ucinewgame");
    assertEquals(await nodes(), first);
  });
  await t.step("position", async () => {
    assertEquals((await go("startpos moves f2f3 e7e5 g2g4", "depth 2")).at(-1), "bestmove d8h4");
    for (const wrong of ["", "fen", "fen rubbish", "fen 8/8/8/8/8/8/8/8 w - -", "moves e2e4"]) {
      const [said, ...more] = await obey(`position ${wrong}`);
      assert(said.startsWith("info string ") && said.endsWith(`position ${wrong}`.trim()), said);
      assertEquals(more, []);
    }
    // The one wrong move makes all of it wrong; what stood before still stands.
    assertMatch((await obey("position startpos moves e2e4 e2e4"))[0], /^info string .*"e2e4"/);
    assertEquals(await engine.ask("go depth 2", "bestmove"), "bestmove d8h4");
  });
  await t.step("go, with every kind of limit", async () => {
    const limits = ["depth 4", "nodes 2000", "movetime 50", "movetime 0", "depth 0", "nodes -1"];
    limits.push("wtime 900 btime 900 winc 10 binc 10", "wtime 1 btime 1", "wtime -20 btime -20");
    limits.push("btime 300 wtime 300 movestogo 1", "wtime 60000 btime 1 movestogo 40 binc 0");
    for (const limit of limits) {
      const last = (await go("startpos moves e2e4 e7e5 g1f3", limit)).at(-1)!;
      assertMatch(last, /^bestmove [a-h][1-8][a-h][1-8]( ponder [a-h][1-8][a-h][1-8])?$/);
    }
    assertEquals((await go("startpos", "depth 3")).length, 4);
    assertEquals(await go("fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "depth 1"), ["bestmove 0000"]);
  });
  await t.step("info", async () => {
    const [first] = await go(MATE_IN_ONE, "depth 3");
    assertMatch(first, /^info depth 1 score mate 1 nodes \d+ nps \d+ time \d+ pv g6g7$/);
    const mated = (await go("fen 7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", "depth 4")).at(-2)!;
    assertMatch(mated, / score mate -1 .* pv h8h7 g5g7$/);
    const lines = await go("startpos", "depth 3");
    assertMatch(
      lines[2],
      /^info depth 3 score cp -?\d+ nodes \d+ nps \d+ time \d+ pv( \w{4}){3,}$/,
    );
    const [, move, reply] = / pv (\S+) (\S+)/.exec(lines[2])!;
    assertEquals(lines[3], `bestmove ${move} ponder ${reply}`);
  });
  await t.step("go searchmoves", async () => {
    for (const limits of ["searchmoves a2a3 h2h4 depth 3", "depth 3 searchmoves h2h4 a2a3"]) {
      const lines = await go("startpos", limits);
      assertEquals(lines.length, 4);
      for (const line of lines) assertMatch(line, /( pv|^bestmove) (a2a3|h2h4)( |$)/);
    }
    // What is known of some moves is nothing that is known of the position.
    await obey("ucinewgame");
    const fresh = await nodes();
    await obey("ucinewgame");
    await go("startpos", "depth 1 searchmoves a2a3");
    assertEquals(await nodes(), fresh);
    // What was left out then is not left out now, and without a legal move all are looked at.
    assertMatch((await go(MATE_IN_ONE, "depth 4 searchmoves f6e6")).at(-1)!, /^bestmove f6e6/);
    assertEquals((await go(MATE_IN_ONE, "depth 4")).at(-1), "bestmove g6g7");
    assertEquals((await go(MATE_IN_ONE, "depth 4 searchmoves e2e4")).at(-1), "bestmove g6g7");
  });
  await t.step("go mate", async () => {
    for (const [moves, fens] of [[2, MATES_IN_TWO], [3, MATES_IN_THREE]] as const) {
      await obey("ucinewgame");
      const lines = await go(`fen ${fens[0]}`, `mate ${moves}`);
      assertMatch(lines.at(-2)!, new RegExp(` score mate ${moves} `));
      // A longer mate is good enough if that is what was asked for, and none is an end as well.
      assertMatch((await go(`fen ${fens[1]}`, "mate 4")).at(-2)!, / score mate [234] /);
    }
    assertMatch((await go("startpos", "mate 1")).at(-1)!, /^bestmove/);
    // Found is found: it does not go on to see whether there is a shorter one.
    await obey("ucinewgame");
    assertEquals((await go(`fen ${MATES_IN_TWO[1]}`, "mate 2")).length, 2);
  });
  await t.step("stop ends a search, and only that", async () => {
    await engine.ask("position startpos\ngo infinite", "info depth 1");
    assert(!(await obey("")).some((line) => line.startsWith("bestmove")));
    await engine.ask("stop", "bestmove");
    // The answer to a search that has ended by itself waits as well.
    await engine.ask(`position ${MATE_IN_ONE}\ngo infinite`, "info depth 1");
    assertEquals(await obey(""), []);
    assertEquals(await engine.ask("stop", "bestmove"), "bestmove g6g7");
    await engine.ask("position startpos\ngo infinite\nstop\ngo infinite\nstop", "bestmove");
    await engine.ask("", "bestmove");
    assertEquals(await obey(""), []);
  });
  await t.step("ponder and ponderhit", async () => {
    const ponder = async (position: string, limits: string, end: string) => {
      await engine.ask(`position ${position}\ngo ponder ${limits}`, "info depth 1");
      for (let i = 0; i < 5; i++) { // far more than the millisecond that it may take later
        assert(!(await obey("")).some((line) => line.startsWith("bestmove")), position);
      }
      assertMatch(await engine.ask(end, "bestmove"), /^bestmove [a-h][1-8]/);
    };
    await ponder("startpos moves e2e4", "movetime 1", "ponderhit");
    await ponder("startpos moves e2e4", "wtime 100 btime 100", "ponderhit");
    await ponder("startpos moves e2e4", "movetime 1000000", "stop");
    await ponder("startpos moves e2e4", "wtime 1000000 btime 1000000", "ponderhit\nstop");
    await ponder(MATE_IN_ONE, "movetime 1000000", "ponderhit"); // it has ended by itself
    await ponder("startpos", "depth 1", "stop");
  });
  await t.step("quit ends it in the middle of a search", async () => {
    await engine.ask("position startpos\ngo infinite", "info depth 1");
    assertEquals(await engine.quit(), 0);
  });
});

Deno.test("UCI: what came before quit, or before the end of the input, is answered", async () => {
  const session = async (input: string) => {
    const engine = new UciEngine(COMMAND), lines = engine.hear(input, "uciok");
    return [(await lines).at(-1), await engine.hangUp()];
  };
  for (const input of ["uci\nquit", "uci\nquit\nuci", "go infinite\nuci\nquit", "uci"]) {
    assertEquals(await session(input), ["uciok", 0], input);
  }
  const engine = new UciEngine(COMMAND);
  await engine.ask("go infinite", "info depth 1");
  assertEquals(await engine.hangUp(), 0);
});
