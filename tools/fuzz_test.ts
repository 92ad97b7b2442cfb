import { assertEquals } from "@std/assert";
import { Board, START } from "@quintessence/chess";
import { disagreements, type Facts, type Line, shrink } from "./fuzz.ts";

const GAME: Line = {
  fen: START,
  moves: "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 e8g8 d2d4 d7d5 c2c4 d5c4 b1a3 c4c3".split(" "),
};

/** Plays an oracle that is wrong where a line that is legal fulfils a condition. */
function oracle(isWrong: (line: Line) => boolean): (line: Line) => Promise<boolean> {
  return (line) => {
    try {
      line.moves.reduce((board, move) => board.play(move), new Board(line.fen));
    } catch {
      return Promise.resolve(false);
    }
    return Promise.resolve(isWrong(line));
  };
}

Deno.test("shrink finds the position where a mistake does not need a move", async () => {
  const end = GAME.moves.reduce((board, move) => board.play(move), new Board()).fen();
  assertEquals(await shrink(GAME, oracle(() => true)), { fen: end, moves: [] });
});

Deno.test("shrink keeps the moves that a mistake needs, and no others", async () => {
  const castles = oracle(({ moves }) => moves.includes("e1g1"));
  const { fen, moves } = await shrink(GAME, castles);
  assertEquals(fen, "rnbqk2r/ppppppbp/5np1/8/8/5NP1/PPPPPPBP/RNBQK2R w KQkq - 2 4");
  assertEquals(moves, ["e1g1"]);
});

Deno.test("shrink leaves moves out from the middle", async () => {
  const apart = oracle(({ moves }) => moves.includes("g1f3") && moves.includes("d2d4"));
  assertEquals((await shrink(GAME, apart)).moves, ["g1f3", "g7g6", "d2d4"]);
});

Deno.test("disagreements names what differs", () => {
  const facts: Facts = {
    fen: "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - - 0 1",
    checkers: "",
    total: 2,
    moves: new Map([["c7c5", 1], ["f4f3", 1]]),
  };
  const passed = facts.fen.replace("b - -", "b - e3");
  const capture: [string, number] = ["f4e3", 1];
  assertEquals(disagreements(facts, facts), []);
  // The pinned pawn cannot capture, so naming the square makes no difference ...
  assertEquals(disagreements(facts, { ...facts, fen: passed }), []);
  assertEquals(disagreements({ ...facts, fen: passed }, facts), ["fen"]);
  // ... unless the capture is listed.
  assertEquals(
    disagreements(facts, { ...facts, fen: passed, moves: new Map([...facts.moves, capture]) }),
    ["fen", "moves"],
  );
  assertEquals(
    disagreements(facts, { ...facts, checkers: "h5", total: 3, moves: new Map([capture]) }),
    ["checkers", "total", "moves"],
  );
});
