/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// Shows steps one after the other: by button, by key, or by themselves, with the borrow running.

import { squareName } from "@quintessence/chess";
import { hover, keep } from "./board.ts";
import { quote } from "./code.ts";
import { create, createCard, drawCard, find, type View } from "./dom.ts";
import { has } from "./sets.ts";
import type { Step } from "./steps.ts";

const READING_TIME = 5000, BORROW_TIME = 1800; // milliseconds a step, and for all bits of a borrow
/** Whether the visitor wants nothing to move. */
export const calm: MediaQueryList = matchMedia("(prefers-reduced-motion: reduce)");

/** What goes through the steps in one panel of the page. */
export type Stepper = {
  /** Shows other steps, from the first on; or says why there are none. */
  load(steps: Step[], none?: string): void;
  /** Shows the step again, after the panel was out of sight. */
  light(): void;
  /** Goes so many steps on, or back. */
  move(by: number): void;
  /** Goes on by itself to the end, or stops. */
  run(on: boolean): void;
};

/** Fills a panel from the template. */
export function createStepper(panel: HTMLElement, source: string): Stepper {
  const template = document.getElementById("stepper") as HTMLTemplateElement;
  panel.append(template.content.cloneNode(true));
  const part = <T extends HTMLElement>(name: string) => panel.querySelector<T>("." + name)!;
  const back = part<HTMLButtonElement>("back"), next = part<HTMLButtonElement>("next");
  const play = part<HTMLButtonElement>("play"), look = panel.id;
  let steps: Step[] = [], at = 0;
  let bits = 0; // how many the borrow has changed so far
  let running = false, timer: ReturnType<typeof setTimeout> | undefined;
  const isShown = () => find<HTMLInputElement>("look-" + look).checked;

  function draw(): void {
    const step = steps[at];
    part("titles").replaceChildren(...steps.map(({ title }, i) => {
      const item = create(`<li><button>${title}</button></li>`), button = item.firstElementChild!;
      if (i === at) button.ariaCurrent = "step";
      (button as HTMLElement).onclick = () => go(i);
      return item;
    }));
    part("title").textContent = `${at + 1}. ${step.title}`;
    part("why").textContent = step.why;
    const { place, code } = quote(source, step.code);
    part("place").textContent = place;
    part("code").textContent = code;
    part("sum").replaceChildren(...step.parts.flatMap(({ sign }, i) => {
      const card = createCard(), view = () => views()[i];
      card.onpointerenter = card.onfocus = () => hover(view());
      card.onpointerleave = card.onblur = () => hover(undefined);
      card.onclick = () => keep(view());
      return sign ? [create(`<span class="sign">${sign}</span>`), card] : [card];
    }));
    const { activeElement } = document, isFirst = at === 0, isLast = at === steps.length - 1;
    back.disabled = next.disabled = false;
    // A disabled button hears no keys, so the focus goes to the other one.
    if (isFirst && activeElement === back) next.focus();
    if (isLast && activeElement === next) back.focus();
    [back.disabled, next.disabled] = [isFirst, isLast];
    drawBits();
  }

  /** What the parts show now: the result is what the borrow has made so far. */
  function views(): View[] {
    const { parts, changed, mark, mirrored, runs } = steps[at];
    return parts.map(({ set }, i) => {
      if (i < parts.length - 1) return { set, mark, mirrored };
      const done = changed.slice(0, bits).reduce((sum, square) => sum | 1n << BigInt(square), 0n);
      return { set: runs ? parts[0].set ^ done : set, changed: done, mark, mirrored };
    });
  }

  /** Draws what changes while a borrow runs. */
  function drawBits(): void {
    const { parts, line, mirrored, changed } = steps[at], all = views();
    const cards = part("sum").querySelectorAll<HTMLElement>(".card");
    parts.forEach(({ name }, i) => drawCard(cards[i], name, all[i]));
    const head = bits < changed.length ? changed[bits] : -1; // where the borrow is
    const table = part("bits");
    table.hidden = line.length === 0;
    const names = line.map((square) =>
      `<th scope="col">${squareName(mirrored ? square ^ 56 : square)}`
    );
    const rows = parts.map(({ sign, name }, i) => {
      const cells = line.map((square) => {
        const isSet = has(all[i].set, square), isChanged = has(all[i].changed ?? 0n, square);
        const classes = [isSet && "on", isChanged && "new", square === head && "head"];
        return `<td class="${classes.filter(Boolean).join(" ")}">${isSet ? 1 : 0}`;
      });
      return `<tr><th scope="row"><i>${sign}</i> ${name}${cells.join("")}`;
    });
    table.innerHTML = `<tr><td>${names.join("")}${rows.join("")}`;
    play.textContent = running || timer !== undefined ? "Pause" : "Play";
    light();
  }

  function light(): void {
    if (isShown()) keep(steps.length > 0 ? views().at(-1) : undefined);
  }

  /** Goes on after a while: by one bit, or by one step. */
  function wait(): void {
    clearTimeout(timer);
    const { changed, runs } = steps[at], borrows = runs && bits < changed.length;
    timer = borrows
      ? setTimeout(tick, BORROW_TIME / Math.max(changed.length, 12))
      : running && at < steps.length - 1
      ? setTimeout(tick, READING_TIME)
      : undefined;
    running &&= timer !== undefined;
    drawBits();
  }

  function tick(): void {
    if (bits < steps[at].changed.length) bits++;
    else enter(at + 1);
    wait();
  }

  function enter(to: number): void {
    at = to;
    bits = steps[at].runs && !calm.matches ? 0 : steps[at].changed.length;
    draw();
  }

  function go(to: number): void {
    if (to < 0 || to >= steps.length) return;
    const { activeElement } = document, inTitles = part("titles").contains(activeElement);
    running = false;
    enter(to);
    wait();
    if (inTitles) part("titles").querySelector<HTMLElement>("[aria-current]")!.focus();
  }

  function run(on: boolean): void {
    if (steps.length === 0) return;
    running = on;
    if (on && at === steps.length - 1 && bits === steps[at].changed.length) enter(0);
    if (on) return wait();
    clearTimeout(timer);
    timer = undefined;
    drawBits();
  }

  back.onclick = () => go(at - 1);
  next.onclick = () => go(at + 1);
  play.onclick = () => run(timer === undefined);

  return {
    load(newSteps, none = "") {
      steps = newSteps;
      part("none").textContent = none;
      part("shown").hidden = steps.length === 0;
      clearTimeout(timer);
      timer = undefined;
      running = false;
      if (steps.length === 0) return light();
      at = 0;
      bits = steps[0].changed.length;
      draw();
    },
    light,
    move: (by) => go(at + by),
    run,
  };
}
