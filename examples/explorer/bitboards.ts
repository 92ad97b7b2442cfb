/// <reference lib="dom" />
// Every set of the position as a small board, and on the large one while it is pointed at.

import { squareName } from "@quintessence/chess";
import { hand, hover, keep, onHand, targets } from "./board.ts";
import { createCard, drawCard, find, type View } from "./dom.ts";
import { game, onChange } from "./game.ts";
import { namedSets } from "./sets.ts";

const views: View[] = []; // that of the targets first
let kept = -1;

const cards = [0, ...namedSets(game.board)].map((_, i) => {
  const card = createCard();
  card.onpointerenter = card.onfocus = () => hover(views[i]);
  card.onpointerleave = card.onblur = () => hover(undefined);
  card.onclick = () => {
    kept = kept === i ? -1 : i;
    light();
  };
  return card;
});
find("set-list").append(...cards);

/** Lights up the set that a click has kept. */
export function light(): void {
  cards.forEach((card, i) => card.ariaPressed = String(i === kept));
  if (find<HTMLInputElement>("look-sets").checked) keep(views[kept]);
}

function show(i: number, name: string, view: View): void {
  views[i] = view;
  drawCard(cards[i], name, view);
}

onChange(() => {
  namedSets(game.board).forEach(([name, set], i) => show(i + 1, name, { set }));
  light();
});

// The legal targets of the piece in the hand, or else of the square under the pointer.
onHand(() => {
  const square = hand.picked >= 0 ? hand.picked : hand.pointed;
  const name = square < 0 ? "targets" : `targets of ${squareName(square)}`;
  show(0, name, { set: targets(square), mark: square < 0 ? undefined : square });
  if (kept === 0) light();
});
