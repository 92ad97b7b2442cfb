/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// The board: pieces, what is lit up, and the hands that move: pointer and keyboard.

import {
  type Bitboard,
  type Move,
  moveFrom,
  moveTo,
  promotion,
  type Square,
  squareName,
} from "@quintessence/chess";
import { create, find, pieceName, type View } from "./dom.ts";
import { game, onChange, play } from "./game.ts";
import { has } from "./sets.ts";

/** The square whose piece is in the hand, and that under the pointer; or -1. */
export const hand = { picked: -1, pointed: -1 };

const listeners: (() => void)[] = [];

/** Calls a function when another square is picked or pointed at. */
export function onHand(listener: () => void): void {
  listeners.push(listener);
}

let played = () => {};

/** Calls a function after a player has moved by hand. */
export function onPlayed(listener: () => void): void {
  played = listener;
}

/** Picks up what stands on a square, or puts it down again. */
export function pick(square: Square): void {
  hand.picked = square;
  draw();
}

/** The legal targets of the piece on a square. */
export function targets(square: Square): Bitboard {
  if (square < 0) return 0n;
  return game.board.moves(square).reduce((set, move) => set | 1n << BigInt(moveTo(move)), 0n);
}

// ---------------------------------------------------------------------------------------------
// Drawing
// ---------------------------------------------------------------------------------------------

const cells = Array.from({ length: 64 }, (_, square) => {
  const shade = (square >> 3) + square & 1 ? "" : "deep";
  return create<HTMLButtonElement>(`<button class="square ${shade}" tabindex="-1"></button>`);
});
cells[12].tabIndex = 0;
find("board").append(...cells.map((_, i) => cells[i ^ 56]));

function toggle(cell: Element, classes: Record<string, boolean>): void {
  for (const [name, on] of Object.entries(classes)) cell.classList.toggle(name, on);
}

function draw(): void {
  const { board, plies, at } = game, reach = targets(hand.picked);
  const last = at > 0 ? [moveFrom(plies[at - 1].move), moveTo(plies[at - 1].move)] : [];
  const king = board.turn === "w" ? "K" : "k", check = board.isCheck();
  const movable = new Set(board.moves().map(moveFrom));
  cells.forEach((cell, square) => {
    const piece = board.at(square), isTarget = has(reach, square);
    if (cell.dataset.piece !== String(piece)) {
      cell.dataset.piece = String(piece);
      cell.innerHTML = piece
        ? `<svg class="piece"><use href="#${piece.toLowerCase()}"/></svg>`
        : "";
    }
    toggle(cell, {
      black: piece !== undefined && piece > "a",
      movable: movable.has(square),
      picked: square === hand.picked,
      target: isTarget,
      taken: isTarget && piece !== undefined,
      last: last.includes(square),
      check: check && piece === king,
    });
    cell.ariaLabel = squareName(square) + (piece ? `, ${pieceName(piece)}` : "") +
      (square === hand.picked ? ", picked up" : isTarget ? ", can be reached" : "");
  });
  for (const listener of listeners) listener();
}

onChange(() => {
  find<HTMLDialogElement>("promotion").close(""); // its moves are those of another position
  pick(-1);
});

let kept: View | undefined, hovered: View | undefined;

/** Lights a set up until another is kept. */
export function keep(view: View | undefined): void {
  kept = view;
  light();
}

/** Lights a set up for as long as the pointer is on its small board. */
export function hover(view: View | undefined): void {
  hovered = view;
  light();
}

function light(): void {
  const { set, changed = 0n, mark, mirrored = false } = hovered ?? kept ?? { set: 0n };
  cells.forEach((cell, square) => {
    const seen = mirrored ? square ^ 56 : square;
    const isSet = has(set, seen), isChanged = has(changed, seen);
    toggle(cell, {
      lit: isSet && !isChanged,
      fresh: isSet && isChanged,
      gone: !isSet && isChanged,
      mark: seen === mark,
    });
  });
  document.body.classList.toggle("mirrored", mirrored); // the board itself, with all that stands there
}

// ---------------------------------------------------------------------------------------------
// Hands
// ---------------------------------------------------------------------------------------------

/** What a click on a square, Enter, or the end of a drag means. */
async function press(square: Square): Promise<void> {
  if (game.locked) return;
  const { picked } = hand;
  const moves = picked < 0 ? [] : game.board.moves(picked, square);
  const drop = moves.length > 0 || square === picked || !game.board.at(square);
  pick(drop ? -1 : square);
  const move = moves.length > 1 ? await choose(moves, square) : moves[0];
  if (move === undefined) return;
  play(move);
  played();
}

/** Lets the player choose among promotions, beside the pawn; Escape or a click elsewhere is no. */
function choose(moves: Move[], square: Square): Promise<Move | undefined> {
  const dialog = find<HTMLDialogElement>("promotion");
  const { left, top, bottom, width } = cells[square].getBoundingClientRect();
  const high = top + width / 2 < document.documentElement.clientHeight / 2;
  dialog.className = game.board.turn === "w" ? "white" : "black";
  dialog.returnValue = "";
  dialog.showModal();
  const size = dialog.getBoundingClientRect();
  dialog.style.left = `${left + (width - size.width) / 2}px`;
  dialog.style.top = `${high ? top : bottom - size.height}px`;
  return new Promise((resolve) => {
    dialog.onclick = ({ target }) => {
      if (target === dialog) dialog.close("");
    };
    dialog.onclose = () => resolve(moves.find((move) => promotion(move) === dialog.returnValue));
  });
}

function point(square: Square): void {
  hand.pointed = square;
  for (const listener of listeners) listener();
}

cells.forEach((cell, square) => {
  cell.onpointerdown = (down) => {
    if (down.button !== 0 || game.locked) return;
    const again = hand.picked === square;
    if (!again) press(square);
    if (hand.picked === square) drag(square, down, again);
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

function drag(square: Square, down: PointerEvent, again: boolean): void {
  const cell = cells[square], piece = cell.firstElementChild as SVGElement;
  const over = new AbortController(), { signal } = over;
  const end = () => {
    over.abort();
    cell.classList.remove("dragged");
    piece.style.translate = "";
  };
  cell.setPointerCapture(down.pointerId);
  cell.classList.add("dragged");
  cell.addEventListener("pointermove", ({ clientX, clientY, buttons }) => {
    if (buttons !== 1) return end(); // another button as well: a menu may open, and eat the rest
    piece.style.translate = `${clientX - down.clientX}px ${clientY - down.clientY}px`;
  }, { signal });
  cell.addEventListener("pointerup", ({ clientX, clientY }) => {
    end();
    if (hand.picked !== square) return; // the position has changed meanwhile
    const to = cells.indexOf(document.elementFromPoint(clientX, clientY) as HTMLButtonElement);
    if (to === square ? again : to >= 0 && has(targets(square), to)) press(to);
  }, { signal });
  for (const type of ["pointercancel", "lostpointercapture", "contextmenu"]) {
    cell.addEventListener(type, end, { signal });
  }
}

// Arrows go around the edges.
find("board").onkeydown = (event) => {
  const square = cells.indexOf(document.activeElement as HTMLButtonElement);
  const way = document.body.classList.contains("flipped") ? -1 : 1;
  const up = document.body.classList.contains("mirrored") ? -8 * way : 8 * way;
  const steps = { ArrowUp: up, ArrowDown: -up, ArrowLeft: -way, ArrowRight: way, Escape: 0 };
  const by = steps[event.key as keyof typeof steps];
  if (by === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  if (by === 0) pick(-1);
  else cells[square + by & 63].focus();
};
