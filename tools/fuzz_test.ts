import { assertEquals } from "@std/assert";
import { Board, START } from "@quintessence/chess";
import { disagreements, type Facts, type Line, outcomeByLaw, shrink } from "./fuzz.ts";

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
    outcome: "none",
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
  assertEquals(disagreements(facts, { ...facts, outcome: "stalemate" }), ["outcome"]);
});

Deno.test("outcomeByLaw reads the laws of chess", () => {
  const outcome = (placement: string, clock = 0, moves = ["a1a2"], checkers = "") =>
    outcomeByLaw(
      {
        fen: `${placement} w - - ${clock} 90`,
        checkers,
        total: 1,
        moves: new Map(moves.map((move) => [move, 1])),
      },
      [],
    );
  assertEquals(outcome("k7/8/8/8/8/8/8/K6R", 150, [], "h1"), "checkmate");
  assertEquals(outcome("k7/8/8/8/8/8/8/K7", 150, []), "stalemate");
  const CANNOT = ["8", "N7", "n7", "7B", "b1B1b1B1/1b6", "b7/1b6/8/5B2/4B3"].map((row) =>
    `k7/${row}/K7`
  );
  const CAN = ["P7", "p7", "7R", "q7", "Nn6", "nn6", "Nb6", "bN6", "bB6", "b7/b7", "B3b3/b7"];
  for (const row of CANNOT) assertEquals(outcome(row, 150), "insufficient material", row);
  for (const row of CAN) assertEquals(outcome(`k7/${row}/K7`), "none", row);
  assertEquals(outcome("k7/8/8/8/8/8/8/K6R", 99), "none");
  assertEquals(outcome("k7/8/8/8/8/8/8/K6R", 100), "fifty-move rule");
});

Deno.test("outcomeByLaw counts positions by what can be played in them", () => {
  const facts = { checkers: "", total: 2, moves: new Map([["e5f6", 1], ["e5e6", 1]]) };
  const placement = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR";
  const other = `${placement} w KQkq -`, same = `${placement} w KQkq f6`;
  const outcome = (...before: string[]) => outcomeByLaw({ ...facts, fen: `${same} 8 9` }, before);
  assertEquals(outcome(other, other, same), "none");
  assertEquals(outcome(same, other, same), "threefold repetition");
  // A square that no pawn can capture on makes no difference.
  const moves = new Map([["e5e6", 1]]);
  assertEquals(
    outcomeByLaw({ ...facts, fen: `${same} 8 9`, moves }, [other, other]),
    "threefold repetition",
  );
});
