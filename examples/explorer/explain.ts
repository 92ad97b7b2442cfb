/// <reference lib="dom" />
// The panels that explain: which slider or piece is looked at, and examples that set the board up.

import { type Square, squareName, squares } from "@quintessence/chess";
import { hand, onHand } from "./board.ts";
import { find, kindName, offer, pieceName } from "./dom.ts";
import { begin, game, onChange } from "./game.ts";
import { calm, createStepper, type Stepper } from "./stepper.ts";
import { filtered, filterSteps, type Line, LINES, sliderSteps } from "./steps.ts";

/** Where the page begins: a rook with blockers on both sides of its file. */
export const FIRST = "6k1/3p4/1p3p2/8/3R4/2P5/3P4/6K1 w - - 0 1";
const BISHOP = FIRST.replace("R", "B");
const EXAMPLES: Record<string, [fen: string, square: Square, line?: Line]> = {
  file: [FIRST, 27, "file"],
  diagonal: [BISHOP, 27, "diagonal"],
  antidiagonal: [BISHOP, 27, "antidiagonal"],
  rank: ["6k1/3p4/8/8/8/8/3P4/1N1R2K1 w - - 0 1", 3, "rank"],
  pin: ["4r2k/8/8/8/8/8/4R3/4K3 w - - 0 1", 12],
  check: ["4r2k/8/8/2B5/8/5N2/3P4/4K3 w - - 0 1", 34],
  "double-check": ["4r2k/8/8/8/7b/8/3P4/R2QK3 w - - 0 1", 3],
};

const select = (id: string) => find<HTMLSelectElement>(id);
let slider = -1, piece = -1; // what the panels look at

/** Makes the panels; `source` is the text of mod.ts. */
export function explain(source: string): { slider: Stepper; filter: Stepper } {
  const sliders = createStepper(find("slider"), source);
  const filter = createStepper(find("filter"), source);

  const choices = (all: Square[]) =>
    all.map((square): [string, string] => [
      String(square),
      `${squareName(square)} ${pieceName(game.board.at(square)!)}`,
    ]);

  function loadSlider(): void {
    const { board } = game;
    const all = squares(board.occupied).filter((square) => /[BRQ]/i.test(board.at(square)!));
    if (!all.includes(slider)) slider = all[0] ?? -1;
    offer(select("slider-square"), choices(all), String(slider));
    const kind = board.at(slider < 0 ? 0 : slider)?.toLowerCase();
    const lines = LINES.filter((line) => kind === "q" || (kind === "b") === /diagonal/.test(line));
    const names = slider < 0 ? [] : lines.map((line): [string, string] => [line, line]);
    offer(select("slider-line"), names, select("slider-line").value);
    const line = select("slider-line").value as Line;
    if (slider < 0) sliders.load([], "No slider on the board.");
    else sliders.load(sliderSteps(slider, kindName(board.at(slider)!), line, board.occupied));
  }

  function loadFilter(): void {
    const { board } = game, all = filtered(board);
    if (!all.includes(piece)) piece = all[0] ?? -1;
    offer(select("filter-square"), choices(all), String(piece));
    if (piece < 0) filter.load([], "The side to move has nothing but pawns and its king.");
    else filter.load(filterSteps(board, piece, kindName(board.at(piece)!)));
  }

  onChange(() => {
    loadSlider();
    loadFilter();
  });
  // What is picked up is what is looked at.
  onHand(() => {
    if (hand.picked < 0) return;
    const isSlider = /[BRQ]/i.test(game.board.at(hand.picked) ?? "");
    if (isSlider && hand.picked !== slider) {
      slider = hand.picked;
      loadSlider();
    }
    if (hand.picked !== piece && filtered(game.board).includes(hand.picked)) {
      piece = hand.picked;
      loadFilter();
    }
  });
  select("slider-square").onchange = ({ target }) => {
    slider = Number((target as HTMLSelectElement).value);
    loadSlider();
  };
  select("slider-line").onchange = loadSlider;
  select("filter-square").onchange = ({ target }) => {
    piece = Number((target as HTMLSelectElement).value);
    loadFilter();
  };

  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-example]")) {
    button.onclick = () => {
      const [fen, square, line] = EXAMPLES[button.dataset.example!];
      slider = piece = square;
      if (line) select("slider-line").replaceChildren(new Option(line));
      begin(fen);
      (line ? sliders : filter).run(!calm.matches);
      find(line ? "slider" : "filter").querySelector(".sum")!.scrollIntoView({ block: "nearest" });
    };
  }
  return { slider: sliders, filter };
}
