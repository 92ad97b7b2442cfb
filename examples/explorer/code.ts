// The code of mod.ts that a step shows, found in the file itself: what is shown is what runs.

/** Where mod.ts does it: a function, and how the statement in it begins. */
export const MARKS = {
  file: ["reachStraights", "const file ="],
  subtractOnFile: ["reachStraights", "const up ="],
  mirrorFile: ["reachStraights", "slots[MIRROR] ="],
  rankByte: ["reachStraights", "const inner ="],
  straightAttacks: ["reachStraights", "slots[REACH] |="],
  diagonals: ["reachDiagonals", "const bit ="],
  subtractOnDiagonals: ["reachDiagonals", "const up ="],
  mirrorDiagonals: ["reachDiagonals", "slots[MIRROR] ="],
  diagonalAttacks: ["reachDiagonals", "slots[REACH] |="],
  watchers: ["attacked", "slots[SLIDERS] ="],
  between: ["attacked", "const between ="],
  checkers: ["attacked", "if (between === 0n)"],
  pinned: ["attacked", "else if (i64(between"],
  allowed: ["generate", "slots[ALLOWED] = slots[us]"],
  allowedInCheck: ["generate", "slots[ALLOWED] = BETWEEN"],
  doubleCheck: ["generate", "if (pop(ATTACKERS)"],
  knightReach: ["addOfficers", "if (kind === KNIGHT)"],
  sliderReach: ["addOfficers", "if (kind !== ROOK)"],
  cutToAllowed: ["addReach", "slots[REACH] &= slots[ALLOWED]"],
  cutToPin: ["addReach", "if (pinned !== 0n)"],
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
