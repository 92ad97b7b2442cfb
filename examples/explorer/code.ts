// The code of mod.ts that a step shows, found in the file itself: what is shown is what runs.

/** Where mod.ts does it: a function, and how the statement in it begins. */
export const MARKS = {
  line: ["slide", "const line ="],
  blockers: ["slide", "slots[ON_LINE] ="],
  subtract: ["slide", "const up ="],
  mirror: ["slide", "slots[MIRRORED] ="],
  turnBack: ["slide", "const down ="],
  attacks: ["slide", "slots[REACH] |="],
  rankByte: ["slideRank", "const inner ="],
  rankAttacks: ["slideRank", "slots[REACH] |="],
  watchers: ["findAttackers", "slots[SLIDERS] ="],
  checkers: ["findAttackers", "if (between === slots[NOTHING])"],
  pinned: ["findAttackers", "else if (i64(between"],
  allowed: ["generate", "slots[ALLOWED] = slots[TO]"],
  allowedInCheck: ["generate", "while (!isEmpty(ATTACKERS))"],
  knightReach: ["generate", "if (kind === KNIGHT)"],
  sliderReach: ["generate", "for (let axis ="],
  cutToAllowed: ["generate", "slots[REACH] &= slots[ALLOWED]"],
  cutToPin: ["generate", "if (i64(slots[PINNED]"],
} as const;

/** One of these places. */
export type Mark = keyof typeof MARKS;

/** Finds the whole statement, over as many lines as it takes. */
export function quote(source: string, mark: Mark): { place: string; code: string } {
  const [name, start] = MARKS[mark], lines = source.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`function ${name}(`));
  const end = lines.indexOf("}", head);
  const first = lines.findIndex((line, i) =>
    i > head && i < end && line.trimStart().startsWith(start)
  );
  if (head < 0 || first < 0) throw new Error(`Expected "${start}" in ${name} of mod.ts`);
  const indent = lines[first].search(/\S/), code: string[] = [];
  for (let i = first; i < end; i++) {
    code.push(lines[i].slice(indent));
    const text = code.join("\n").replaceAll(/\/\/.*/g, ""),
      count = (sign: RegExp) => text.match(sign)?.length ?? 0;
    if (count(/[([{]/g) === count(/[)\]}]/g) && /[;}]\s*$/.test(text)) break;
  }
  return { place: `mod.ts, line ${first + 1}, in ${name}()`, code: code.join("\n") };
}
