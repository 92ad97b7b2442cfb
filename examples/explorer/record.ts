/// <reference lib="dom" />
// The game in words: who is to move, the list of moves, FEN and PGN.

import { START } from "@quintessence/chess";
import { create, find, say } from "./dom.ts";
import { back, begin, forth, game, go, loadPgn, onChange, toPgn } from "./game.ts";

const fen = find<HTMLInputElement>("fen"), pgn = find<HTMLTextAreaElement>("pgn");

/** Does what may be refused, and says why if it is. */
export function attempt(action: () => void): void {
  say({ error: "" });
  try {
    action();
  } catch (error) {
    say({ error: (error as Error).message });
  }
}

onChange(() => {
  const { board, plies, at } = game, outcome = board.outcome();
  const [us, them] = board.turn === "w" ? ["White", "Black"] : ["Black", "White"];
  const last = plies[at - 1];
  say({
    error: "",
    announcement: last?.byEngine ? `The engine plays ${last.san}. ` : "",
    status: outcome === "checkmate"
      ? `Checkmate: ${them} wins`
      : outcome !== undefined
      ? `Draw: ${outcome}`
      : `${us} to move${board.isCheck() ? ", in check" : ""}`,
  });
  find("status").classList.toggle("over", outcome !== undefined);
  fen.value = board.fen();
  say({ copy: "Copy PGN" });
  find<HTMLButtonElement>("undo").disabled = at === 0;
  find<HTMLButtonElement>("redo").disabled = at === plies.length;
  drawMoves();
});

function drawMoves(): void {
  const { first, plies, at } = game, list = find("moves");
  const [, turn, , , , fullmove] = first.split(" "), late = turn === "b" ? 1 : 0;
  const pairs: HTMLElement[] = []; // a number with a move of each side never breaks apart
  plies.forEach(({ san }, i) => {
    const isWhite = (i + late) % 2 === 0;
    if (isWhite || i === 0) {
      const number = Number(fullmove) + (i + late >> 1);
      pairs.push(create(`<li>${number}.${isWhite ? "" : ".."}</li>`));
    }
    const button = create(`<button ${i === at - 1 ? 'aria-current="step"' : ""}>${san}</button>`);
    button.onclick = () => {
      go(i + 1);
      list.querySelector<HTMLElement>("[aria-current]")?.focus();
    };
    pairs.at(-1)!.append(" ", button);
  });
  list.replaceChildren(...pairs);
  const current = list.querySelector<HTMLElement>("[aria-current]");
  list.scrollTop = (current?.offsetTop ?? 0) - list.clientHeight / 2;
}

find("undo").onclick = back;
find("redo").onclick = forth;
find("new").onclick = () => begin(START);
find("fen-form").onsubmit = (event) => {
  event.preventDefault();
  attempt(() => begin(fen.value));
};
find("pgn-form").onsubmit = (event) => {
  event.preventDefault();
  attempt(() => loadPgn(pgn.value));
};
find("copy").onclick = async () => {
  pgn.value = toPgn().trim();
  pgn.select(); // for browsers that keep the clipboard to themselves
  await navigator.clipboard?.writeText(pgn.value).then(() => say({ copy: "Copied" }), () => {});
};
