/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// The page: a board to play on, and its bitboards, sliders and counts to look at.

import {
  type Bitboard,
  Board,
  type Move,
  moveFrom,
  moveTo,
  type Piece,
  promotion,
  type Square,
  squareName,
  squares,
  START,
  toUci,
} from "@quintessence/chess";
import { has, hyperbola, type Line, LINES, namedSets, shortName } from "./sets.ts";
import type { Count, Job, Thought } from "./worker.ts";

// The state, from which all that is drawn follows.
let board = new Board();
let first = START; // the position in which the game began
let game: { move: Move; name: string }[] = []; // its moves, with those that can be redone
let ply = 0; // how many of them have been played
let picked = -1, pointed = -1; // the square whose man is in the hand, and that under the pointer
let slider = -1, step = 0; // what is taken apart, and how far
let hovered: Card | undefined, kept: Card | undefined; // whose set is lit up on the board
let counter: Worker | undefined, thinker: Worker | undefined;

// ---------------------------------------------------------------------------------------------
// Small tools
// ---------------------------------------------------------------------------------------------

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const button = (id: string) => find<HTMLButtonElement>(id);
const input = (id: string) => find<HTMLInputElement>(id);
const select = (id: string) => find<HTMLSelectElement>(id);

/** Writes texts into the elements of these names. */
function say(texts: Record<string, string>): void {
  for (const [id, text] of Object.entries(texts)) find(id).textContent = text;
}

/** Makes an element from markup, in which nothing ever comes from outside. */
function create<T extends HTMLElement>(markup: string): T {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content.firstElementChild as T;
}

const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const kindOf = (piece: Piece) => piece.toLowerCase() as keyof typeof NAMES;
const nameOf = (piece: Piece) => `${piece < "a" ? "white" : "black"} ${NAMES[kindOf(piece)]}`;
const hex = (set: Bitboard) => set.toString(16).padStart(16, "0");

/** A small board with a name and a number. */
type Card = { button: HTMLButtonElement; set: Bitboard; show(name: string, set: Bitboard): void };

function createCard(onClick: (card: Card) => void): Card {
  const button = create<HTMLButtonElement>(
    `<button class="card"><svg viewBox="0 0 8 8" aria-hidden="true"><path/></svg>` +
      `<span><span></span><code></code></span></button>`,
  );
  const card: Card = {
    button,
    set: 0n,
    show(name, set) {
      card.set = set;
      const path = [...squares(set)].map((s) => `M${s & 7} ${7 - (s >> 3)}h1v1h-1z`).join("");
      button.querySelector("path")!.setAttribute("d", path);
      button.querySelector("span span")!.textContent = name;
      button.querySelector("code")!.innerHTML = hex(set).replace(/.{8}/, "$&<wbr>");
    },
  };
  button.onpointerenter = button.onfocus = () => light(card);
  button.onpointerleave = button.onblur = () => light(undefined);
  button.onclick = () => onClick(card);
  return card;
}

/** Lights up the set of a card, or else of the one that a click has kept. */
function light(card: Card | undefined): void {
  hovered = card;
  const set = (hovered ?? kept)?.set ?? 0n;
  cells.forEach((cell, square) => cell.classList.toggle("lit", has(set, square)));
  for (const card of [...setCards, ...stepCards]) card.button.ariaPressed = String(card === kept);
}

// ---------------------------------------------------------------------------------------------
// Playing
// ---------------------------------------------------------------------------------------------

const movesFrom = (square: Square) => board.moves().filter((move) => moveFrom(move) === square);
const targets = (square: Square) =>
  movesFrom(square).reduce((set, move) => set | 1n << BigInt(moveTo(move)), 0n);

/** What a click on a square, Enter, or the end of a drag means. */
async function press(square: Square): Promise<void> {
  const moves = movesFrom(picked).filter((move) => moveTo(move) === square);
  picked = moves.length > 0 || square === picked || !board.at(square) ? -1 : square;
  const move = moves.length > 1 ? await choose(moves) : moves[0];
  if (move === undefined) return draw();
  play(move);
  if (input("engine-answers").checked) think();
}

/** Lets the player choose among promotions; Escape takes the move back. */
function choose(moves: Move[]): Promise<Move | undefined> {
  const dialog = find<HTMLDialogElement>("promotion");
  dialog.className = board.turn === "w" ? "white" : "black";
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(moves.find((move) => promotion(move) === dialog.returnValue));
  });
}

function play(move: Move): void {
  game = [...game.slice(0, ply), { move, name: shortName(board, move) }];
  go(ply + 1);
}

/** Undoes or redoes moves until so many are played. */
function go(to: number): void {
  for (; ply > to; ply--) board.undo();
  for (; ply < to; ply++) board.make(game[ply].move);
  changed();
}

function setUp(fen: string): void {
  try {
    board = new Board(fen);
  } catch (error) {
    return say({ "fen-error": (error as Error).message });
  }
  first = board.fen();
  game = [];
  ply = 0;
  changed();
}

/** What was worked out for another position no longer holds. */
function changed(): void {
  thinker?.terminate();
  stopCounting();
  picked = -1;
  say({ "fen-error": "", "engine-says": "", leaves: "", divide: "" });
  find<HTMLProgressElement>("progress").value = 0;
  draw();
}

// ---------------------------------------------------------------------------------------------
// Long work, in workers
// ---------------------------------------------------------------------------------------------

function start<Report>(limit: Partial<Job>, onReport: (report: Report) => void): Worker {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => onReport(data);
  const moves = game.slice(0, ply).map(({ move }) => toUci(move));
  worker.postMessage({ fen: first, moves, ...limit });
  return worker;
}

function think(): void {
  if (board.outcome() !== undefined) return;
  thinker?.terminate();
  say({ "engine-says": "The engine thinks …" });
  thinker = start<Thought>({ time: Number(select("engine-time").value) }, ({ says, plays }) => {
    const move = board.moves().find((move) => toUci(move) === plays);
    if (move !== undefined) play(move);
    say({ "engine-says": says });
  });
}

function stopCounting(): void {
  counter?.terminate();
  counter = undefined;
  say({ count: "Count" });
}

function count(): void {
  if (counter !== undefined) return stopCounting();
  const rows = find("divide"), bar = find<HTMLProgressElement>("progress");
  let sum = 0, most = 0;
  say({ count: "Stop", divide: "" });
  counter = start<Count>({ depth: Number(select("depth").value) }, (report) => {
    sum += report.leaves;
    most = Math.max(most, report.leaves);
    [bar.value, bar.max] = [report.done, report.of];
    rows.style.setProperty("--most", String(most));
    rows.append(create(
      `<tr><td>${report.move}</td><td>${report.leaves.toLocaleString("en")}</td>` +
        `<td><div class="bar" style="--leaves: ${report.leaves}"></div></td></tr>`,
    ));
    const speed = (sum / report.seconds / 1e6).toFixed(1);
    say({
      leaves: `${sum.toLocaleString("en")} leaves in ${report.seconds.toFixed(3)} s, ` +
        `${speed} million a second in this browser`,
    });
    if (report.done === report.of) stopCounting();
  });
}

// ---------------------------------------------------------------------------------------------
// Drawing
// ---------------------------------------------------------------------------------------------

const cells = Array.from({ length: 64 }, (_, square) => {
  const shade = (square >> 3) + square & 1 ? "" : "deep", [file, rank] = squareName(square);
  return create<HTMLButtonElement>(
    `<button class="square ${shade}" tabindex="-1" data-file="${file}" data-rank="${rank}"></button>`,
  );
});
const targetsCard = createCard(keep);
const setCards = [targetsCard, ...namedSets(board).map(() => createCard(keep))];
const stepCards = Array.from({ length: 7 }, (_, i) => createCard(() => showStep(i)));

function keep(card: Card): void {
  kept = kept === card ? undefined : card;
  light(card);
}

function draw(): void {
  drawBoard();
  drawGame();
  namedSets(board).forEach(([name, set], i) => setCards[i + 1].show(name, set));
  drawTargets();
  drawSlider();
}

function drawBoard(): void {
  const reach = targets(picked), last = ply > 0 ? game[ply - 1].move : undefined;
  const king = board.turn === "w" ? "K" : "k", check = board.isCheck();
  const movable = new Set(board.moves().map(moveFrom));
  cells.forEach((cell, square) => {
    const man = board.at(square), isTarget = has(reach, square);
    if (cell.dataset.man !== String(man)) {
      cell.dataset.man = String(man);
      cell.innerHTML = man ? `<svg class="man"><use href="#${kindOf(man)}"/></svg>` : "";
    }
    const classes = {
      black: man !== undefined && man > "a",
      movable: movable.has(square),
      picked: square === picked,
      target: isTarget,
      taken: isTarget && man !== undefined,
      last: last !== undefined && (moveFrom(last) === square || moveTo(last) === square),
      check: check && man === king,
    };
    Object.entries(classes).forEach(([name, on]) => cell.classList.toggle(name, on));
    cell.ariaLabel = squareName(square) + (man ? `, ${nameOf(man)}` : "") +
      (square === picked ? ", picked up" : isTarget ? ", can be reached" : "");
  });
}

function drawGame(): void {
  const outcome = board.outcome(), sides = ["White", "Black"];
  if (board.turn === "b") sides.reverse();
  const status = outcome === "checkmate"
    ? `Checkmate: ${sides[1]} wins`
    : outcome !== undefined
    ? `Draw: ${outcome}`
    : `${sides[0]} to move${board.isCheck() ? ", in check" : ""}`;
  say({ status });
  find("status").classList.toggle("over", outcome !== undefined);
  input("fen").value = board.fen();
  history.replaceState(null, "", "#" + board.fen().replaceAll(" ", "_"));
  button("undo").disabled = ply === 0;
  button("redo").disabled = ply === game.length;
  button("engine-move").disabled = outcome !== undefined;

  const [, turn, , , , fullmove] = first.split(" "), late = turn === "b" ? 1 : 0;
  find("moves").replaceChildren(...game.map(({ name }, i) => {
    const number = Number(fullmove) + (i + late >> 1);
    const count = (i + late) % 2 === 0 ? `${number}.` : i === 0 ? `${number}…` : "";
    const current = i === ply - 1 ? 'aria-current="step"' : "";
    const item = create(`<li>${count}<button ${current}>${name}</button></li>`);
    item.onclick = () => {
      go(i + 1);
      find("moves").querySelector<HTMLElement>("[aria-current]")?.focus();
    };
    return item;
  }));
  const list = find("moves"), item = list.children[ply - 1] as HTMLElement | undefined;
  list.scrollTop = (item?.offsetTop ?? 0) - list.clientHeight / 2;
}

/** The legal targets of the man in the hand, or else of the square under the pointer. */
function drawTargets(): void {
  const square = picked >= 0 ? picked : pointed;
  targetsCard.show(square < 0 ? "targets" : `targets of ${squareName(square)}`, targets(square));
}

function drawSlider(): void {
  const sliders = cells.map((_, square) => square).filter((s) => /[BRQ]/i.test(board.at(s) ?? ""));
  if (sliders.includes(picked) && slider !== picked) [slider, step] = [picked, 0];
  if (!sliders.includes(slider)) [slider, step] = [sliders[0] ?? -1, 0];
  const names = sliders.map((square) => `${squareName(square)} ${nameOf(board.at(square)!)}`);
  offer("slider-square", sliders.map(String), names, String(slider));
  const kind = slider < 0 ? "none" : kindOf(board.at(slider)!);
  const lines = { q: LINES, r: LINES.slice(0, 2), b: LINES.slice(2) }[kind as string] ?? [];
  offer("slider-line", lines, lines, select("slider-line").value);
  showStep(step);
}

/** Fills a choice, and chooses a value if it is still there. */
function offer(id: string, values: readonly string[], names: readonly string[], value: string) {
  select(id).replaceChildren(...values.map((value, i) => new Option(names[i], value)));
  select(id).value = values.includes(value) ? value : values[0] ?? "";
}

function showStep(to: number): void {
  const line = select("slider-line").value as Line;
  const steps = slider < 0 ? [] : hyperbola(slider, line, board.occupied);
  step = Math.max(0, Math.min(to, steps.length - 1));
  stepCards.forEach((card, i) => {
    card.button.hidden = i >= steps.length;
    if (i < steps.length) card.show(`${i + 1}. ${steps[i].title}`, steps[i].set);
  });
  const { title = "No slider on the board", why = "", set = 0n, code = [] } = steps[step] ?? {};
  say({ "step-title": title, "step-why": why, "step-number": `0x${hex(set)}` });
  ["before", "part", "after"].forEach((id, i) => say({ ["code-" + id]: code[i] ?? "" }));
  button("step-back").disabled = step === 0;
  button("step-on").disabled = step >= steps.length - 1;
  if (input("look-slider").checked) kept = steps.length > 0 ? stepCards[step] : undefined;
  else if (kept !== undefined && stepCards.includes(kept)) kept = undefined;
  light(hovered);
}

// ---------------------------------------------------------------------------------------------
// Hands: pointer, keyboard, address
// ---------------------------------------------------------------------------------------------

cells.forEach((cell, square) => {
  cell.onpointerdown = (down) => {
    const again = picked === square;
    if (down.button !== 0) return;
    if (!again) press(square);
    if (picked !== square) return;
    const man = cell.firstElementChild as SVGElement;
    cell.setPointerCapture(down.pointerId);
    cell.classList.add("dragged");
    cell.onpointermove = ({ clientX, clientY }) => {
      man.style.translate = `${clientX - down.clientX}px ${clientY - down.clientY}px`;
    };
    cell.onpointerup = cell.onpointercancel = ({ type, clientX, clientY }) => {
      cell.onpointermove = cell.onpointerup = cell.onpointercancel = null;
      cell.classList.remove("dragged");
      man.style.translate = "";
      const to = cells.indexOf(document.elementFromPoint(clientX, clientY) as HTMLButtonElement);
      const meant = to === square ? again : to >= 0 && has(targets(square), to);
      if (type === "pointerup" && meant) press(to);
    };
  };
  // Enter, the space bar and screen readers click without a pointer.
  cell.onclick = ({ detail }) => detail === 0 && press(square);
  cell.onpointerenter = () => point(square);
  cell.onpointerleave = () => point(-1);
  cell.onfocus = () => {
    // The tab key reaches one square of the board, the last one visited.
    cells.forEach((other) => other.tabIndex = other === cell ? 0 : -1);
    point(square);
  };
});

function point(square: Square): void {
  pointed = square;
  drawTargets();
}

// Arrows go around the edges.
find("board").onkeydown = (event) => {
  const square = cells.indexOf(document.activeElement as HTMLButtonElement);
  const way = document.body.classList.contains("flipped") ? -1 : 1;
  const steps = { ArrowUp: 8, ArrowDown: -8, ArrowLeft: -1, ArrowRight: 1, Escape: 0 };
  const by = steps[event.key as keyof typeof steps];
  if (by === undefined) return;
  event.preventDefault();
  if (by === 0 && picked >= 0) press(picked);
  cells[square + way * by & 63].focus();
};

const actions = {
  undo: () => go(ply - 1),
  redo: () => go(ply + 1),
  flip: () => document.body.classList.toggle("flipped"),
  new: () => setUp(START),
  count,
  "engine-move": think,
  "step-back": () => showStep(step - 1),
  "step-on": () => showStep(step + 1),
};
for (const [id, action] of Object.entries(actions)) button(id).onclick = action;
for (const id of ["sets", "slider", "perft"]) input("look-" + id).onchange = () => showStep(step);
select("slider-line").onchange = () => showStep(0);
select("slider-square").onchange = () => {
  picked = Number(select("slider-square").value);
  draw();
};
find("fen-form").onsubmit = (event) => {
  event.preventDefault();
  setUp(input("fen").value);
};

/** The position in the address, where some programs write signs as numbers. */
function linked(): string {
  const text = location.hash.slice(1).replaceAll("_", " ");
  return text.replaceAll(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
}

self.onhashchange = () => setUp(linked());

cells[12].tabIndex = 0;
find("board").append(...cells.map((_, i) => cells[i ^ 56]));
find("set-list").append(...setCards.map((card) => card.button));
find("steps").append(...stepCards.map((card) => card.button));
const link = linked();
draw();
if (link !== "") setUp(link);
