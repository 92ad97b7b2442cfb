import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { needs } from "../tools/needs.ts";
import { Random } from "../tools/random.ts";
import { Board, type Move, START, toUci } from "../mod.ts";
import { type Game, parseSan, readPgn, replay, toSan, writePgn } from "./pgn.ts";

// ---------------------------------------------------------------------------------------------
// Moves
// ---------------------------------------------------------------------------------------------

/**
 * The SAN of all legal moves by their UCI texts, written in another way than `toSan`: of all the
 * forms a move could have, the first that no other move shares.
 */
function writeSlowly(board: Board): Map<string, string> {
  const fen = board.fen();
  const rows = fen.split(" ")[0].split("/").map((row) =>
    row.replaceAll(/\d/g, (digit) => ".".repeat(Number(digit)))
  );
  const at = (square: string) => rows[8 - Number(square[1])]["abcdefgh".indexOf(square[0])];
  const forms = board.moves().map(toUci).map((uci) => {
    const from = uci.slice(0, 2), to = uci.slice(2, 4), kind = at(from).toUpperCase();
    if (kind === "K" && from[0] === "e" && to[0] === "g") return { uci, forms: ["O-O"] };
    if (kind === "K" && from[0] === "e" && to[0] === "c") return { uci, forms: ["O-O-O"] };
    const promoted = uci[4] ? "=" + uci[4].toUpperCase() : "";
    if (kind === "P" && from[0] === to[0]) return { uci, forms: [to + promoted] };
    if (kind === "P") return { uci, forms: [`${from[0]}x${to}${promoted}`] };
    const target = at(to) === "." ? to : `x${to}`;
    return { uci, forms: ["", from[0], from[1], from].map((start) => kind + start + target) };
  });
  return new Map(forms.map(({ uci, forms: own }) => {
    const isShared = (form: string, i: number) =>
      forms.some((other) => other.uci !== uci && other.forms[i] === form);
    const form = own.find((form, i) => !isShared(form, i))!;
    const after = new Board(fen).play(uci);
    return [uci, form + (!after.isCheck() ? "" : after.moves().length === 0 ? "#" : "+")];
  }));
}

const STARTS = [
  START,
  "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
  "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", // promotions
  "2k5/8/1Q3Q2/8/3n1n2/1Q3Q1n/3n4/6K1 w - - 0 1", // many of a kind
  "4k3/1r1r4/8/1r1B1B2/8/3B1B2/r2r4/4K3 w - - 0 1",
];

Deno.test("SAN of random games is what a slow writer writes, and is read back", () => {
  const random = new Random(14);
  let positions = 0, doubtful = 0;
  for (let game = 0; game < 40; game++) {
    const board = new Board(random.pick(STARTS));
    for (let ply = 0; ply < 60 && board.count() > 0; ply++) {
      const fen = board.fen(), moves = board.moves(), slow = writeSlowly(board);
      for (const move of moves) {
        const san = toSan(board, move);
        assertEquals(san, slow.get(toUci(move)), fen);
        assertEquals(parseSan(board, san), move, fen);
        assertEquals(parseSan(board, san.replace(/[+#]/, "")), move, fen);
        if (/^[NBRQ][a-h1-8]+x?[a-h][1-8]/.test(san)) doubtful++;
      }
      assertEquals(new Set(slow.values()).size, moves.length, fen);
      assertEquals([board.fen(), board.moves()], [fen, moves]);
      board.make(random.pick(moves));
      positions++;
    }
  }
  assert(positions > 2000 && doubtful > 2000, `${positions} positions, ${doubtful} doubtful moves`);
});

Deno.test("SAN is as short as it can be", () => {
  const cases: [fen: string, uci: string, san: string][] = [
    ["4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "b1d2", "Nbd2"],
    ["4k3/8/8/8/8/1N6/8/1N2K3 w - - 0 1", "b1d2", "N1d2"],
    ["4k3/8/8/8/8/1N3N2/8/1N2K3 w - - 0 1", "b1d2", "N1d2"],
    ["4k3/8/8/8/8/1N3N2/8/1N1K1N2 w - - 0 1", "b1d2", "Nb1d2"],
    ["4k3/8/4r3/8/8/1N6/4N3/4K3 w - - 0 1", "b3d4", "Nd4"], // its rival on e2 is pinned
    ["4k3/8/8/8/7b/8/5N2/1N2K3 w - - 0 1", "b1d2", "Nd2"],
    ["rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3", "e5d6", "exd6"],
    ["1n5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q", "axb8=Q+"],
    ["6k1/8/6K1/8/8/8/8/3R4 w - - 0 1", "d1d8", "Rd8#"],
    ["r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", "O-O-O"],
    ["5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O+"],
  ];
  for (const [fen, uci, san] of cases) {
    const board = new Board(fen), move = board.parseUci(uci);
    assertEquals([toSan(board, move), board.fen()], [san, fen]);
    assertEquals(parseSan(board, san), move);
  }
  const error = assertThrows(() => toSan(new Board(), 12 << 6 | 36), RangeError);
  assertEquals(error.message, `Expected a legal move, got "e2e5" in ${START}`);
});

Deno.test("parseSan reads what real files hold", () => {
  const cases: [fen: string, uci: string, texts: string][] = [
    [START, "g1f3", "Nf3 Ng1f3 Ngf3 N1f3 Ng1-f3 Nf3!? Nf3+ Nf3# Nf3?? Nf3+!"],
    [START, "e2e4", "e4 e2e4 e2-e4 Pe4 e4! e2e4+"],
    [
      "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
      "e5d6",
      "exd6|ed6|e5d6|e5xd6|e:d6|exd6 e.p.|exd6e.p.+|exd6ep|exd6 ep!",
    ],
    ["8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q", "a8=Q a8Q a7a8=Q a7-a8Q a8q a8=Q+"],
    ["8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8n", "a8=N a8N a8n"],
    ["r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8", "O-O 0-0 O-O+ 0-0! O-O#"],
    ["r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", "O-O-O 0-0-0 0-0-0+"],
    ["4k3/8/8/8/7b/8/5N2/1N2K3 w - - 0 1", "b1d2", "Nd2 Nbd2 N1d2"],
  ];
  for (const [fen, uci, texts] of cases) {
    const board = new Board(fen);
    for (const text of texts.split(texts.includes("|") ? "|" : " ")) {
      assertEquals(toUci(parseSan(board, text)), uci, text);
      assertEquals(board.fen(), fen);
    }
  }
});

Deno.test("parseSan refuses what is no move, not legal, or ambiguous", () => {
  const knights = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", pawn = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
  const file = "k7/8/8/8/8/8/4R3/K7 w - - 0 1";
  const rook = "k7/8/8/8/8/8/8/K3R3 w - - 0 1";
  const cases: [fen: string, error: ErrorConstructor, expected: string, texts: string][] = [
    [
      START,
      SyntaxError,
      'a move such as "Nf3"',
      "|e9|i4|Nf|x|O-O-O-O|--|1-0|e4 e5|e4=K|Nf3=|♘f3|+|e4!?!?!?|N f3",
    ],
    [START, RangeError, "a legal move", "e5|Nf4|Ke2|O-O|0-0-0|exd3|e3e4|Ng1h2|Nbf3|e4=Q|e1|e8|Qd1"],
    [START, RangeError, "a legal move", "dxe4|a1|h8|Bb5|Ra1"],
    [knights, RangeError, "a legal move", "Nad2|N2d2|Nb3d2"],
    [knights, RangeError, "a move that is not ambiguous", "Nd2|Nd2+"],
    [pawn, RangeError, "a move that is not ambiguous", "a8|a7a8+"],
    [pawn, RangeError, "a legal move", "axb8=Q|b8=Q"],
    [rook, RangeError, "a legal move", "O-O|O-O-O"], // a rook goes where the king would
    [file, RangeError, "a legal move", "e4|e5|e3e4"], // a rook goes where a pawn would
  ];
  for (const [fen, error, expected, texts] of cases) {
    const board = new Board(fen);
    for (const text of texts.split("|")) {
      const { message } = assertThrows(() => parseSan(board, text), error);
      assertEquals(message, `Expected ${expected}, got ${JSON.stringify(text)} in ${fen}`);
    }
  }
  const { message } = assertThrows(() => parseSan(new Board(), "e".repeat(1000)), SyntaxError);
  assert(message.length < 200, message);
});

Deno.test("what plain JavaScript hands over is refused if it is no text and no game", () => {
  const nothing: unknown[] = [
    undefined,
    null,
    42,
    5n,
    Symbol("x"),
    {},
    [],
    ["e4"],
    Object.create(null),
  ];
  const said = [
    "undefined",
    "null",
    "42",
    "5",
    "Symbol(x)",
    "object",
    "object",
    "object",
    "object",
  ];
  for (const [i, text] of nothing.entries()) {
    const san = assertThrows(() => parseSan(new Board(), text as string), SyntaxError);
    assertEquals(san.message, `Expected a move such as "Nf3", got ${said[i]} in ${START}`);
    const pgn = assertThrows(() => readPgn(text as string), SyntaxError);
    assertEquals(pgn.message, `Expected a text in PGN, got ${said[i]}`);
    assertThrows(() => toSan(new Board(), text as Move), RangeError);
  }
  const game: Game = { tags: {}, moves: [], result: "*" };
  const games: unknown[] = [{ ...game, tags: "abc" }, { ...game, tags: { White: 42 } }];
  games.push({ ...game, tags: null }, { ...game, moves: "e4" }, { ...game, moves: null });
  games.push({ ...game, moves: [42] }, { ...game, moves: [Symbol()] });
  for (const bad of [...nothing, ...games] as Game[]) {
    for (const use of [replay, writePgn]) {
      assertThrows(() => use(bad), RangeError, "Expected a game { tags, moves, result }, got ");
    }
  }
  const hole = { ...game, moves: [, "e4"] } as unknown as Game;
  assertThrows(() => writePgn(hole), RangeError, "Expected a move in SAN, got undefined");
  assertThrows(() => replay(hole), SyntaxError, 'Expected a move such as "Nf3", got undefined');
});

// ---------------------------------------------------------------------------------------------
// Games
// ---------------------------------------------------------------------------------------------

const read = (text: string): Game[] => [...readPgn(text)];

Deno.test("readPgn reads past all that is not the main line", () => {
  const e4e5: Game = { tags: {}, moves: ["e4", "e5"], result: "*" };
  const texts = [
    "1. e4 e5 *",
    "1.e4 e5 *",
    "1.e4 1...e5 *",
    "1. e4 1. ... e5 *",
    "1 e4 e5 *",
    "e4 e5",
    "\ufeff1. e4\te5\r\n*\r\n",
    "1. e4 {A comment (with [all] sorts; of $1 signs} e5 *",
    '1. e4 {\n[Event "in a comment"]\n\n1. d4 *\n} e5 *',
    "1. e4 ; to the end } of ( the line\ne5 *",
    "% for another program ( {\n1. e4\n% {\ne5 *",
    "1. e4 (1. d4 d5 (1... Nf6 {)} 2. c4) 2. c4 *) (1. c4 ; )\n) e5 *",
    "1. e4! $1 e5?! $6 $139 *",
    "1. e4 !? e5 ?? *",
    "1. e4{}e5(1... c5)*",
    "\n\n  1.\n e4\n\n\n e5\n*\x1a",
    "1. e4 e5*",
    "1. e4 += e5 2. +- *",
    "1. e4 (1. d4 ½ ~ | <x> = , * 1-0) e5 *",
    "1. e4 ; to the end of the line\u2028d4\ne5 *",
  ];
  for (const text of texts) assertEquals(read(text), [e4e5], text);
  assertEquals(read("exd6 e.p. exd6 ep exd6 1-0")[0].moves, ["exd6", "exd6", "exd6"]);
  assertEquals(read("exf6e.p. Nxf6 exd6ep *")[0].moves, ["exf6e", "Nxf6", "exd6ep"]);
  assertEquals(read("0-0 0-0-0 O-O+ 1/2-1/2")[0].moves, ["0-0", "0-0-0", "O-O+"]);
  for (const text of ["", " \n", "\ufeff", "{nothing}", "; nothing", "% nothing", "1.", "()"]) {
    assertEquals(read(text), [], text);
  }
});

Deno.test("readPgn reads tags", () => {
  const cases: [text: string, tags: Game["tags"]][] = [
    ['[White "Greco"]', { White: "Greco" }],
    ['[A "1"]\r\n[B_2 "2"][C"3"] [ D  "4" ]', { A: "1", B_2: "2", C: "3", D: "4" }],
    [String.raw`[A "\"x\" \\ \y"]`, { A: String.raw`"x" \ \y` }],
    ['[A ""]', { A: "" }],
    ['[A "the "Big" one"]', { A: 'the "Big" one' }],
    ['[A "[b] {c} ; (d) %"]', { A: "[b] {c} ; (d) %" }],
    ['{x}\n[A "1"]\n; y\n% z\n\n[B "Žižek ♞"]', { A: "1", B: "Žižek ♞" }],
    ['[A "1"]\n[A "2"]', { A: "2" }],
  ];
  for (const [text, tags] of cases) {
    assertEquals(read(`${text}\n\ne4 *`), [{ tags, moves: ["e4"], result: "*" }], text);
    assertEquals(read(text), [{ tags, moves: [], result: "*" }], text);
  }
});

Deno.test("readPgn tells games apart", () => {
  const game = (event: string, moves: string[], result: Game["result"]): Game => ({
    tags: event ? { Event: event } : {},
    moves,
    result,
  });
  const two = [game("a", ["e4"], "1-0"), game("b", ["d4"], "0-1")];
  assertEquals(read('[Event "a"]\n\n1. e4 1-0\n\n[Event "b"]\n\n1. d4 0-1\n'), two);
  assertEquals(read('[Event "a"]\n1. e4 1-0\n[Event "b"]\n1. d4 0-1'), two);
  assertEquals(read('[Event "a"] 1. e4 1-0 [Event "b"] 1. d4 0-1'), two);
  assertEquals(read("1. e4 1-0 1. d4 0-1"), [game("", ["e4"], "1-0"), game("", ["d4"], "0-1")]);
  assertEquals(read("1. e4*1. d4 *"), [game("", ["e4"], "*"), game("", ["d4"], "*")]);
  // A result that is missing after the moves is that of the tag, or unknown.
  assertEquals(
    read('[Event "a"]\n[Result "1/2-1/2"]\n\n1. e4\n\n[Event "b"]\n[Result "?"]\n\n[Event "c"]'),
    [
      { tags: { Event: "a", Result: "1/2-1/2" }, moves: ["e4"], result: "1/2-1/2" },
      { tags: { Event: "b", Result: "?" }, moves: [], result: "*" },
      game("c", [], "*"),
    ],
  );
  assertEquals(read('[Result "1-0"] 1. e4 0-1')[0].result, "0-1");
  // Tags may come in any order.
  const sites = ["a", "b"].map((site) => `[Site "${site}"]\n[Event "x"]\n\n1. e4 *\n\n`).join("");
  assertEquals(read(sites).map(({ tags: { Site } }) => Site), ["a", "b"]);
});

Deno.test("readPgn names the line of what is broken, and goes on after it", () => {
  const cases: [text: string, line: number, expected: string, got: string][] = [
    ["1. e4\n{open\n\n", 2, 'a comment with its "}"', "{open"],
    ["1. e4 } e5", 1, "a move", "} e5"],
    ["1. e4\n\n(1. d4\n(1. c4) *\n", 3, 'a variation with its ")"', "(1. d4"],
    ["1. e4\n) e5", 2, "a move", ") e5"],
    ["{\n\n}\r\n[White Greco]\r\n", 4, 'a tag such as [White "Greco"]', "[White Greco]"],
    ['\n[White "Greco]\n', 2, 'a tag such as [White "Greco"]', '[White "Greco]'],
    ['[White "Greco"\n\n1. e4', 1, 'a tag such as [White "Greco"]', '[White "Greco"'],
    ["[", 1, 'a tag such as [White "Greco"]', "["],
    ["1. e4 ]", 1, "a move", "]"],
    ["1. e4 e5\n2. Hello", 2, "a move", "Hello"],
    ["1. e4\n  -- 2. d4", 2, "a move", "-- 2. d4"],
    ["1. e4 2-0", 1, "a move", "2-0"],
    ["1. e4 $ e5", 1, "a move", "$ e5"],
    ["1. e4 <e5>", 1, "a move", "<e5>"],
    ["1. e4 % e5", 1, "a move", "% e5"],
    ["1. e4 ½-½", 1, "a move", "½-½"],
    ["1. N f3 e5 *", 1, "a move", "N f3 e5 *"],
    ["1. e4 e5 2. N", 1, "a move", "N"],
    ["1. e4 (1. d4 {open", 1, 'a comment with its "}"', "{open"],
    ["PK\x03\x04 binary", 1, "a move", "PK\x03\x04 binary"],
  ];
  const good: Game = { tags: { Event: "good" }, moves: ["e4"], result: "*" };
  for (const [text, line, expected, got] of cases) {
    const message = `Line ${line}: Expected ${expected}, got ${JSON.stringify(got)}`;
    assertEquals(assertThrows(() => read(text), SyntaxError).message, message, text);
    const games = readPgn(`${text}\n[Event "good"]\n1. e4 *\n[Event "bad"]\n1. Ke2 *`);
    assertEquals(assertThrows(() => games.next(), SyntaxError).message, message, text);
    assertEquals(games.next().value, good);
    const lines = text.split("\n").length + 3;
    const { message: illegal } = assertThrows(() => replay(games.next().value), RangeError);
    assert(illegal.startsWith(`Line ${lines}: 1. Ke2: Expected a legal move`), illegal);
    assertEquals(games.next(), { done: true, value: undefined });
  }
});

Deno.test("readPgn finds the game after a broken one by its tags", () => {
  const cases: [broken: string, next: string][] = [
    ["1. e4 $$$ *\n", '\n[White "x"]\n[Black "y"]\n'],
    ["1. e4\n  $$$ *", '\n[Site "x"]\n[Event "y"]\n'],
    ["1. e4 $$$ *\r\n\r\n", '[Site "x"]\r\n[Event  "y"]\r\n\r\n'],
    ['[White "x"]\n[Black y]\n[Site "z"]\n\n1. e4 *\n', '[White "x"]\n[Black "y"]\n'],
    ["1. e4 (1. d4\n", '[Site "x"]\n[Event "y"]\n'], // a tag ends a variation without end
    ["1. e4 {x\u2028[ y} zz *\n", '[Event "x"]\n[Black "y"]\n'],
    ["[Black y]\n", '[Event "x"]\n[Black "y"]\n'],
  ];
  for (const [broken, next] of cases) {
    const games = readPgn(`${broken}${next}1. d4 d5 *`);
    assertThrows(() => games.next(), SyntaxError);
    const { tags, moves } = games.next().value;
    assertEquals([Object.keys(tags).length, moves, games.next().done], [2, ["d4", "d5"], true]);
  }
});

Deno.test("readPgn survives a thousand nested variations and texts made to hurt", () => {
  const deep = "1. e4 " + "(1. d4 {x} ".repeat(1000) + ")".repeat(1000) + " e5 1-0";
  assertEquals(read(deep), [{ tags: {}, moves: ["e4", "e5"], result: "1-0" }]);
  for (const text of ["(", "{ ", "[", '[A "', "\\", '"', "$", "e4 {", "(".repeat(9) + ")"]) {
    const long = text.repeat(200000);
    assertMatch(assertThrows(() => read(long), SyntaxError).message, /^Line 1: Expected a /);
  }
  assertEquals(read(" \n".repeat(1e6)), []);
  assertEquals(read("1. e4 * ".repeat(3e5)).length, 3e5); // on a single line
  assertEquals(read(`[A "${"x".repeat(1e6)}"] *`)[0].tags.A.length, 1e6);
  assertThrows(() => read('1. e4\r[Event "x"]\r\r1. zz\r'), SyntaxError);
  for (const text of ["$" + " ".repeat(1e6), "[x" + " \n".repeat(1e6), "$\n[\n".repeat(1e5)]) {
    assertThrows(() => readPgn(`${text}\n[`).next(), SyntaxError);
  }
  assertEquals(read('[Event "x"]\n1. e4 {\n'.repeat(2) + "}").length, 1);
  for (const [text, most] of [['({\n[a ""](}\n', 2e5], ['\r[Event "x"] zz', 1]] as const) {
    const broken = readPgn(text.repeat(1e5));
    let errors = 0;
    for (let done: boolean | undefined; !done && errors <= most;) {
      try {
        done = broken.next().done;
      } catch {
        errors++;
      }
    }
    assert(errors > 0 && errors <= most, `${errors} errors in ${text}`);
  }
  const games = readPgn('[Event "x"]\n1. e4 {\n'.repeat(20000));
  for (let i = 0; i < 20000; i++) {
    assertThrows(() => games.next(), SyntaxError, `Line ${2 * i + 2}:`);
  }
  assert(games.next().done);
});

Deno.test("replay plays famous games to their known ends", () => {
  const games: [pgn: string, fen: string][] = [
    [
      `[White "Morphy"] 1.e4 e5 2.Nf3 d6 3.d4 Bg4 {The opera begins.} 4.dxe5 Bxf3 5.Qxf3 dxe5 6.Bc4 Nf6
      7.Qb3 Qe7 8.Nc3 c6 9.Bg5 b5 10.Nxb5 cxb5 11.Bxb5+ Nbd7 12.O-O-O Rd8 13.Rxd7 Rxd7 14.Rd1 Qe6
      15.Bxd7+ Nxd7 16.Qb8+ Nxb8 17.Rd8# 1-0`,
      "1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17",
    ],
    [
      `[White "Anderssen"] 1.e4 e5 2.f4 exf4 3.Bc4 Qh4+ 4.Kf1 b5 5.Bxb5 Nf6 6.Nf3 Qh6 7.d3 Nh5 8.Nh4
      Qg5 9.Nf5 c6 10.g4 Nf6 11.Rg1 cxb5 12.h4 Qg6 13.h5 Qg5 14.Qf3 Ng8 15.Bxf4 Qf6 16.Nc3 Bc5
      17.Nd5 Qxb2 18.Bd6 Bxg1 19.e5 Qxa1+ 20.Ke2 Na6 21.Nxg7+ Kd8 22.Qf6+ Nxf6 23.Be7# 1-0`,
      "r1bk3r/p2pBpNp/n4n2/1p1NP2P/6P1/3P4/P1P1K3/q5b1 b - - 1 23",
    ],
    [
      `[White "Anderssen"] 1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.b4 Bxb4 5.c3 Ba5 6.d4 exd4 7.O-O d3 8.Qb3 Qf6
      9.e5 Qg6 10.Re1 Nge7 11.Ba3 b5 12.Qxb5 Rb8 13.Qa4 Bb6 14.Nbd2 Bb7 15.Ne4 Qf5 16.Bxd3 Qh5
      17.Nf6+ gxf6 18.exf6 Rg8 19.Rad1 Qxf3 20.Rxe7+ Nxe7 21.Qxd7+ Kxd7 22.Bf5+ Ke8 23.Bd7+ Kf8
      24.Bxe7# 1-0`,
      "1r3kr1/pbpBBp1p/1b3P2/8/8/2P2q2/P4PPP/3R2K1 b - - 0 24",
    ],
  ];
  for (const [pgn, fen] of games) {
    const [game] = read(pgn), board = replay(game, true);
    assertEquals([board.fen(), board.outcome()], [fen, "checkmate"]);
    const back: Move[] = game.moves.map(() => board.undo()).reverse();
    assertEquals(board.fen(), START);
    for (const [i, move] of back.entries()) {
      assertEquals(toSan(board, move), game.moves[i]);
      board.make(move);
    }
  }
});

Deno.test("replay names the place, the number and the text of a bad move", () => {
  const fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 7";
  const cases: [pgn: string, error: ErrorConstructor, message: string][] = [
    [
      "\n\n1. e4 e5 2. Ke3 *",
      RangeError,
      'Line 3: 2. Ke3: Expected a legal move, got "Ke3" in rnb',
    ],
    ["1. e4\n e5 2. Qh5 Ke6", RangeError, 'Line 1: 2... Ke6: Expected a legal move, got "Ke6" in'],
    [`{}\n[FEN "${fen}"] Kd7 e4 Ke5`, RangeError, "Line 2: 8... Ke5: Expected a legal move"],
    [`[FEN "${fen}"] Kd7 e5 1-0`, RangeError, "Line 1: 8. e5: Expected a legal move"],
    [
      '[FEN "8/8"] e4',
      SyntaxError,
      'Line 1: FEN tag: Expected a FEN of four or six fields, got "8/8"',
    ],
    ['[FEN "8/8/8/8/8/8/8/8 w - -"]', RangeError, 'Line 1: FEN tag: Expected one "K"'],
  ];
  for (const [pgn, error, message] of cases) {
    const [game] = read(pgn), before = structuredClone(game);
    const { message: got } = assertThrows(() => replay(game), error);
    assert(got.startsWith(message), got);
    assertEquals(game, before);
  }
  const { message } = assertThrows(() => replay({ tags: {}, moves: ["e5"], result: "*" }));
  assertEquals(message, `1. e5: Expected a legal move, got "e5" in ${START}`);
  assertThrows(
    () => replay({ tags: {}, moves: ["e4", "Hello"], result: "*" }),
    SyntaxError,
    "1... ",
  );
});

Deno.test("replay doubts signs of check and mate if it is asked to", () => {
  const cases: [moves: string, wrong: string | undefined][] = [
    ["f3 e5 g4 Qh4#", undefined],
    ["f3 e5 g4 Qh4", undefined],
    ["f3 e5 g4 Qh4+", '2... Qh4+: Expected Qh4#, got "Qh4+"'],
    ["f3 e5 h3 Qh4#", '2... Qh4#: Expected Qh4+, got "Qh4#"'],
    ["f3 e5 h3 Qh4+", undefined],
    ["f3+ e5", '1. f3+: Expected f3, got "f3+"'],
  ];
  for (const [moves, wrong] of cases) {
    const game: Game = { tags: {}, moves: moves.split(" "), result: "*" };
    replay(game);
    if (wrong === undefined) replay(game, true);
    else assertEquals(assertThrows(() => replay(game, true), RangeError).message, wrong);
  }
});

/** A random game of so many half-moves at most. */
function randomGame(random: Random, plies: number, fen?: string): Game {
  const board = new Board(fen), moves: string[] = [];
  while (moves.length < plies && board.count() > 0) {
    const move = random.pick(board.moves());
    moves.push(toSan(board, move));
    board.make(move);
  }
  const results: Game["result"][] = ["1-0", "0-1", "1/2-1/2", "*"], result = random.pick(results);
  const tags: Game["tags"] = { Event: "?", Site: "?", Date: "????.??.??", Round: "?" };
  Object.assign(tags, { White: "?", Black: "?", Result: result });
  if (fen) Object.assign(tags, { FEN: fen, SetUp: "1" });
  return { tags, moves, result };
}

Deno.test("writePgn writes the roster first, in short lines, and what readPgn reads back", () => {
  const random = new Random(1);
  const black = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 7";
  const games = [...STARTS, black].map((fen) => randomGame(random, 200, fen));
  let long: Game; // most random games end before
  do long = randomGame(random, 600); while (long.moves.length < 600);
  games.push(long, randomGame(random, 0));
  games[0].tags.Opening = String.raw`"Quotes" and \slashes\ and [signs] {of} ; all % kinds, ♞`;
  games[1].moves = games[1].moves.map((san) => san.replace(/[+#]/, ""));
  for (const game of games) {
    const text = writePgn(game);
    assertEquals(read(text), [game]);
    for (const line of text.split("\n\n")[1].split("\n")) assert(line.length < 80, line);
    assertMatch(
      text,
      /^\[Event .*\n\[Site .*\n\[Date .*\n\[Round .*\n\[White .*\n\[Black .*\n\[Res/,
    );
    assertEquals(replay(read(text)[0], true).fen(), replay(game).fen());
  }
  assertEquals(read(games.map(writePgn).join("")), games);
  assertEquals(
    writePgn({
      tags: { Opening: "x", FEN: black, 1: "2", White: "A" },
      moves: ["Kd7", "e4", "Ke6"],
      result: "0-1",
    }),
    `[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A"]
[Black "?"]
[Result "0-1"]
[1 "2"]
[FEN "${black}"]
[Opening "x"]
[SetUp "1"]

7... Kd7 8. e4 Ke6 0-1

`,
  );
});

Deno.test("writePgn refuses what PGN cannot hold", () => {
  const game: Game = { tags: {}, moves: [], result: "*" };
  const cases: [game: Game, message: string][] = [
    [{ ...game, tags: { White: "a\nb" } }, 'Expected a tag of one line, got "[White \\"a\\nb\\"]"'],
    [{ ...game, tags: { "a b": "c" } }, 'Expected a tag of one line, got "[a b \\"c\\"]"'],
    [{ ...game, moves: ["e4 e5"] }, 'Expected a move in SAN, got "e4 e5"'],
    [{ ...game, moves: ["e4!"] }, 'Expected a move in SAN, got "e4!"'],
    [{ ...game, moves: ["Hello"] }, 'Expected a move in SAN, got "Hello"'],
    [{ ...game, result: "2-0" as "1-0" }, 'Expected one of 1-0 0-1 1/2-1/2 *, got "2-0"'],
    [{ ...game, tags: { FEN: "8/8/8/8/8/8/8/8 w - -" } }, 'Expected one "K"'],
  ];
  for (const [game, message] of cases) assertThrows(() => writePgn(game), RangeError, message);
});

// ---------------------------------------------------------------------------------------------
// The command-line tool
// ---------------------------------------------------------------------------------------------

const PROGRAM = new URL("./pgn_cli.ts", import.meta.url).pathname;
const COMMAND = [Deno.execPath(), "run", "--no-prompt", "--allow-read", PROGRAM];

/** Runs a command to its end. */
async function run([program, ...args]: string[], input: string | Uint8Array<ArrayBuffer> = "") {
  const child = new Deno.Command(program, {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  // A program that refuses its arguments does not read its input.
  new Blob([bytes]).stream().pipeTo(child.stdin).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

const pgn = (args: string[], input?: string | Uint8Array<ArrayBuffer>) =>
  run([...COMMAND, ...args], input);

/** What the tool prints if these are all games. */
function report(games: Game[], broken = 0): string {
  const count = (result: string) => games.filter((game) => game.result === result).length;
  const moves = games.reduce((sum, { moves }) => sum + moves.length, 0);
  return `games\t${games.length}\nmoves\t${moves}\n1-0\t${count("1-0")}\n0-1\t${count("0-1")}\n` +
    `1/2-1/2\t${count("1/2-1/2")}\n*\t${count("*")}\nbroken\t${broken}\n`;
}

const MATE = '[Event "mate"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n';
const BROKEN = '[Event "bad"]\n\n1. e4 e5\n2. Ke3 1-0\n\n[Event "worse"]\n\n1. e4 ( e5 *\n\n';

/** Far more than one read gives: games between which all sorts of things stand. */
function archive(): { text: string; games: Game[] } {
  const random = new Random(2), games: Game[] = [];
  let text = "";
  for (let i = 0; i < 300; i++) {
    const game = randomGame(random, 120);
    games.push(game);
    text += writePgn(game).replace(/ (?=\d+\. )/, ' {\n[Event "in a comment"]\n\n1. e4 *\n} ');
  }
  return { text, games };
}

Deno.test("pgn counts the games of files and of standard input", async () => {
  const { text, games } = archive(), file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, MATE);
  const [mate] = read(MATE);
  assertEquals(await pgn([], text), { code: 0, out: report(games), err: "" });
  assertEquals(await pgn([file, file]), { code: 0, out: report([mate, mate]), err: "" });
  assertEquals(await pgn([], ""), { code: 0, out: report([]), err: "" });
  await Deno.remove(file);
});

Deno.test("pgn names each broken game in a line, and goes on", async () => {
  const { text, games } = archive(), lines = text.split("\n").length - 1;
  const { code, out, err } = await pgn([], text + BROKEN + text + BROKEN + MATE);
  const bad =
    'Expected a legal move, got "Ke3" in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR ' +
    "w KQkq - 0 2";
  const expected = [
    `stdin:${lines + 1}: 2. Ke3: ${bad}`,
    `stdin:${lines + 8}: Expected a variation with its ")", got "( e5 *"`,
    `stdin:${2 * lines + 10}: 2. Ke3: ${bad}`,
    `stdin:${2 * lines + 17}: Expected a variation with its ")", got "( e5 *"`,
  ];
  assertEquals(err.trimEnd().split("\n"), expected);
  assertEquals([code, out], [1, report([...games, ...games, ...read(MATE)], 4)]);
});

Deno.test("pgn finds the games after a comment without end", async () => {
  const { text, games } = archive(), open = '[Event "x"]\n1. e4 {\n\n';
  const plain = text.replaceAll(/\{[^}]*\}/g, "");
  const { code, out, err } = await pgn([], open + plain);
  assertEquals([code, out], [1, report(games, 1)]);
  assertEquals(err, 'stdin:2: Expected a comment with its "}", got "{"\n');
});

Deno.test("pgn --fen prints final positions, --check verifies signs", async () => {
  const { text, games } = archive();
  const fens = games.map((game) => replay(game).fen() + "\n").join("");
  assertEquals(await pgn(["--fen"], text), { code: 0, out: fens, err: report(games) });
  assertEquals(await pgn(["--check"], text), { code: 0, out: report(games), err: "" });
  const wrong = MATE.replace("#", "+");
  assertEquals(await pgn([], wrong), { code: 0, out: report(read(wrong)), err: "" });
  const { code, out, err } = await pgn(["--check"], MATE + wrong);
  assertEquals([code, out], [1, report(read(MATE), 1)]);
  assertEquals(err, 'stdin:5: 2... Qh4+: Expected Qh4#, got "Qh4+"\n');
});

Deno.test("pgn reads UTF-8 and Latin-1", async () => {
  const text = '[White "Ångström"]\r\n\r\n1. e4 ünd *\r\n';
  const utf8 = new TextEncoder().encode("\ufeff" + text);
  const latin1 = Uint8Array.from(text, (character) => character.charCodeAt(0));
  for (const bytes of [utf8, latin1]) {
    const { code, err } = await pgn([], bytes);
    assertEquals([code, err], [1, 'stdin:3: Expected a move, got "ünd *"\n']);
  }
});

Deno.test("pgn cuts characters nowhere, and archives between games of any tags", async () => {
  const long = '[White "x"]\n\n1. e4 {' + "♞ ".repeat(1e5) + "} ½ *";
  assertEquals((await pgn([], long)).err, 'stdin:3: Expected a move, got "½ *"\n');
  const { text, games } = archive(), plain = text.replaceAll(/\{[^}]*\}/g, "");
  const named = plain.replaceAll(/\[Event .*\n(\[Site .*\n)/g, "$1"); // no tag Event
  const swapped = plain.replaceAll(/(\[Event .*\n)(\[Site .*\n)/g, "$2\n$1"); // not the first
  for (const text of [named, swapped]) {
    assertEquals(await pgn([], text), { code: 0, out: report(games), err: "" });
    assertEquals((await pgn([], text.replace("1.", "$"))).out, report(games.slice(1), 1));
  }
});

Deno.test("pgn refuses bad arguments, and says which files it cannot read", async () => {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, MATE);
  const unknown = await pgn(["--fast", file]);
  assertEquals([unknown.code, unknown.out], [2, ""]);
  assertMatch(unknown.err, /^Unknown option '--fast'.*\n$/);
  const missing = await pgn([`${file}.missing`, "/", file]);
  assertEquals([missing.code, missing.out], [2, report(read(MATE))]);
  assertMatch(missing.err, /^.*missing: No such file.*\n\/: .*directory.*\n$/);
  const help = await pgn(["--help"]);
  assertEquals([help.code, help.err], [0, ""]);
  for (const option of ["--fen ", "--check ", "--help, -h "]) {
    assert(help.out.includes(`\n  ${option}`), option);
  }
  assertEquals(await pgn(["-h"]), help);
  await Deno.remove(file);
});

Deno.test("pgn ends quietly when nobody reads on", async () => {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, archive().text.repeat(20));
  const { out, err } = await run(["sh", "-c", `${COMMAND.join(" ")} --fen ${file} | head -1`]);
  assertMatch(out, /^\S+ [wb] .*\n$/);
  assertEquals(err, "");
  await Deno.remove(file);
});

const onTerminal = "pgn shows progress on a terminal, and leaves it clean at Ctrl-C";
Deno.test(needs(["script"], onTerminal), async () => {
  const file = await Deno.makeTempFile(), text = archive().text;
  await Deno.writeTextFile(file, text.repeat(40));
  // script(1) lends the program a terminal. So many files take hours.
  const files = Array(5000).fill(file).join(" ");
  const child = new Deno.Command("script", {
    args: ["-qefc", `${COMMAND.join(" ")} ${files}`, "/dev/null"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  let screen = "", stopped = false;
  const writer = child.stdin.getWriter();
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    screen += text;
    if (stopped || !screen.includes("a second")) continue;
    stopped = true;
    await writer.write(new Uint8Array([3])); // Ctrl-C
  }
  await writer.close().catch(() => {});
  assertEquals((await child.status).code, 130);
  assertMatch(screen, /\d+ games {2}\d+ moves {2}\d+\.\d+ million a second/);
  assert(screen.endsWith("\r\x1b[K"), JSON.stringify(screen.slice(-200)));
  await Deno.remove(file);
});

Deno.test(needs(["parallel"], "pgn under GNU parallel finds the same total"), async () => {
  const folder = await Deno.makeTempDir(), { text, games } = archive();
  for (const name of ["a", "b b", "c"]) await Deno.writeTextFile(`${folder}/${name}.pgn`, text);
  const { code, out, err } = await run([
    "sh",
    "-c",
    `find '${folder}' -name '*.pgn' | parallel -j 2 ${COMMAND.join(" ")} {} |
       awk '!($1 in sum) { names[++n] = $1 } { sum[$1] += $2 }
            END { for (i = 1; i <= n; i++) print names[i] "\\t" sum[names[i]] }'`,
  ]);
  assertEquals({ code, out, err }, {
    code: 0,
    out: report([games, games, games].flat()),
    err: "",
  });
  await Deno.remove(folder, { recursive: true });
});

// ---------------------------------------------------------------------------------------------
// Real games, where they are at hand
// ---------------------------------------------------------------------------------------------

const SHARED = new URL("../../shared/games/", import.meta.url);
const files = (() => {
  try {
    return [...Deno.readDirSync(SHARED)].map(({ name }) => name).filter((name) =>
      /\.pgn$/.test(name)
    );
  } catch {
    return [];
  }
})();

// They are no part of the project, so where they are missing there is nothing to skip.
if (files.length > 0) {
  Deno.test(`${files.length} files of real games are replayed, written and read back`, () => {
    for (const file of files) {
      const text = new TextDecoder("latin1").decode(Deno.readFileSync(new URL(file, SHARED)));
      const games = read(text);
      assertEquals(games.length, text.match(/^\[Event /gm)!.length, file);
      const words = text.replaceAll(/^\[.*$/gm, "").match(/[^\s.]*[a-hO][^\s.]*/g)!;
      assertEquals(games.flatMap(({ moves }) => moves), words, file);
      for (const game of games) {
        const board = replay(game, true), moves = game.moves.map(() => board.undo()).reverse();
        for (const [i, move] of moves.entries()) {
          if (i % 10 === 0) assertEquals(toSan(board, move), game.moves[i]);
          board.make(move);
        }
      }
      assertEquals(read(games.map(writePgn).join("")), games, file);
    }
  });
}
