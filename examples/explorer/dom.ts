/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// Small tools for the page, and the small board that stands for a set everywhere.

import { type Bitboard, type Piece, type Square, squares } from "@quintessence/chess";

/** The element with this id, which is known to be in the page. */
export const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

/** Writes texts into the elements with these ids. */
export function say(texts: Record<string, string>): void {
  for (const [id, text] of Object.entries(texts)) find(id).textContent = text;
}

/** Makes an element from markup, in which nothing ever comes from outside. */
export function create<T extends HTMLElement>(markup: string): T {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content.firstElementChild as T;
}

/** Fills a choice, and chooses a value if it is still there; an empty one is not shown. */
export function offer(choice: HTMLSelectElement, names: [string, string][], value: string): void {
  choice.replaceChildren(...names.map(([value, name]) => new Option(name, value)));
  choice.hidden = names.length === 0;
  choice.value = names.some(([other]) => other === value) ? value : names[0]?.[0] ?? "";
}

const KINDS = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
/** What a piece is called, without its colour. */
export const kindName = (piece: Piece): string => KINDS[piece.toLowerCase() as keyof typeof KINDS];
/** What a piece is called. */
export const pieceName = (piece: Piece): string =>
  `${piece < "a" ? "white" : "black"} ${kindName(piece)}`;

/** What is lit up on a board: a set, bits that have just changed, one square, all in the mirror? */
export type View = { set: Bitboard; changed?: Bitboard; mark?: Square; mirrored?: boolean };

const outline = (set: Bitboard) =>
  squares(set).map((square) => `M${square & 7} ${7 - (square >> 3)}h1v1h-1z`).join("");

/** Draws a view on the small board in a card. */
export function drawCard(card: HTMLElement, name: string, { set, changed = 0n, mark }: View): void {
  const [, on, fresh, gone] = card.querySelectorAll("path"), ring = card.querySelector("circle")!;
  on.setAttribute("d", outline(set & ~changed));
  fresh.setAttribute("d", outline(set & changed));
  gone.setAttribute("d", outline(changed & ~set));
  ring.setAttribute("cx", String((mark ?? -9) % 8 + 0.5)); // or out of sight
  ring.setAttribute("cy", String(7.5 - ((mark ?? -9) >> 3)));
  card.querySelector("span")!.textContent = name;
  const digits = set.toString(16).padStart(16, "0");
  card.querySelector("code")!.replaceChildren(
    digits.slice(0, 8),
    document.createElement("wbr"),
    digits.slice(8),
  );
}

const DEEP = outline(0xaa55aa55aa55aa55n);

/** A small board with a name and a number. */
export const createCard = (): HTMLButtonElement =>
  create(
    `<button class="card"><svg viewBox="0 0 8 8" aria-hidden="true"><path class="deep" d="${DEEP}"/>` +
      `<path class="on"/><path class="fresh"/><path class="gone"/><circle r=".33"/></svg>` +
      `<span></span><code></code></button>`,
  );
