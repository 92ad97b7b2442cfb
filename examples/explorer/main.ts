/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// The page: a board to play on, and what the module makes of it. Each import fills its part.

import * as bitboards from "./bitboards.ts";
import { keep } from "./board.ts";
import "./counting.ts";
import { find } from "./dom.ts";
import { explain, FIRST } from "./explain.ts";
import { back, followLink, forth, game, setUp } from "./game.ts";
import "./opponent.ts";
import { attempt } from "./record.ts";

const steppers = explain(await (await fetch("mod.ts")).text());

// Each panel lights up on the board what it is about.
const panels = {
  slider: steppers.slider.light,
  filter: steppers.filter.light,
  sets: bitboards.light,
  perft: () => keep(undefined),
};
for (const [name, light] of Object.entries(panels)) {
  find("look-" + name).onchange = () => {
    steppers.slider.run(false);
    steppers.filter.run(false);
    light();
  };
}

find("flip").onclick = () => document.body.classList.toggle("flipped");

// Arrow keys that nobody else needs go through the steps or the game.
self.onkeydown = (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key], target = event.target as Element;
  const isTaken = target.matches("input, select, textarea, dialog *");
  if (by === undefined || isTaken || event.altKey || event.ctrlKey || event.metaKey) return;
  const panel = document.querySelector(".tabs :checked")!.id.slice("look-".length);
  const stepper = steppers[panel as keyof typeof steppers];
  if (stepper && (target.closest(".look") || game.plies.length === 0)) stepper.move(by);
  else if (by < 0) back();
  else forth();
};

self.onhashchange = () => attempt(() => followLink(location.hash));
const link = location.hash;
setUp(FIRST);
if (link.length > 1) attempt(() => followLink(link));
find("page").hidden = false;
