// The two ideas of the module, one operation at a time: how subtraction finds what a slider sees,
// and how two intersections keep the king safe. Nothing here knows of a browser.

import {
  bishopAttacks,
  type Bitboard,
  type Board,
  knightAttacks,
  queenAttacks,
  rookAttacks,
  type Square,
  squareName,
  squares,
} from "@quintessence/chess";
import type { Mark } from "./code.ts";
import { between, guard, has, setOf } from "./sets.ts";

/** One operation: what goes in, with the sign before it, and what comes out, the last part. */
export type Step = {
  title: string;
  why: string;
  parts: { sign: string; name: string; set: Bitboard }[];
  code: Mark;
  /** The piece that it is about. */
  mark: Square;
  /** What the operation has changed of its first part, in the order in which a borrow runs. */
  changed: Square[];
  /** Whether the borrow is to be seen running. */
  runs: boolean;
  /** Whether all is upside down. */
  mirrored: boolean;
  /** The squares of the line, from the lowest bit to the highest, as they are before the mirror. */
  line: Square[];
};

type Parts = (string | Bitboard)[];

/** Pairs names such as "& line" with sets. */
function toParts(parts: Parts): Step["parts"] {
  return parts.flatMap((part, i) => {
    if (typeof part !== "string") return [];
    const [, sign, name] = /^([^\w\s]*) ?(.*)$/.exec(part)!;
    return { sign: sign.replace("-", "−"), name, set: parts[i + 1] as Bitboard };
  });
}

const u64 = (value: bigint) => BigInt.asUintN(64, value);
const bit = (square: Square) => 1n << BigInt(square);

/** A set upside down. */
export const flip = (set: Bitboard): Bitboard => setOf((square) => has(set, square ^ 56));

// ---------------------------------------------------------------------------------------------
// Hyperbola Quintessence
// ---------------------------------------------------------------------------------------------

/** The four lines through a square. */
export const LINES = ["file", "diagonal", "antidiagonal", "rank"] as const;

/** One of them. */
export type Line = typeof LINES[number];

const INNER_FILES = 0x7e7e7e7e7e7e7e7en;

/** Takes the attacks of a slider along one line apart. */
export function sliderSteps(
  slider: Square,
  kind: string,
  line: Line,
  occupied: Bitboard,
): Step[] {
  const mask = setOf((other) => {
    const files = (other & 7) - (slider & 7), ranks = (other >> 3) - (slider >> 3);
    const on = { file: files === 0, diagonal: files === ranks, antidiagonal: files === -ranks };
    return other !== slider && (line === "rank" ? ranks === 0 : on[line]);
  });
  const own = bit(slider), blockers = occupied & mask, onLine = squares(mask | own);
  const step = (title: string, why: string, code: Mark, parts: Parts, more = {}): Step => ({
    title,
    why,
    parts: toParts(parts),
    code,
    mark: slider,
    changed: [],
    runs: false,
    mirrored: false,
    line: onLine,
    ...more,
  });
  const theLine = step(
    "Line",
    `What the ${kind} would see along its ${line} if the board were empty: one number for each ` +
      "square, worked out when the module is loaded.",
    "line",
    ["line", mask],
  );

  if (line === "rank") {
    const whole = mask | own, byte = occupied & whole, inner = byte & INNER_FILES;
    return [
      { ...theLine, code: "rankByte" },
      step(
        "Byte",
        "Upside down, a rank is still the same way round, so the mirror cannot help here. But its " +
          "eight squares are neighbouring bits: one byte of the number.",
        "rankByte",
        ["occupied", occupied, "& rank", whole, "= byte", byte],
      ),
      step(
        "Inner six",
        `The outer two bits never matter: the ${kind} sees the edge of the board whether or not a ` +
          "piece stands there. Six bits are left, which makes 64 cases.",
        "rankByte",
        ["byte", byte, "& inner files", INNER_FILES, "= case", inner],
      ),
      step(
        "Table",
        "A table holds the answers to all 64 cases on each of the eight files, the same on every rank. " +
          "One look, cut to the rank.",
        "rankAttacks",
        ["case", inner, "→ attacks", rookAttacks(slider, occupied) & mask],
      ),
    ];
  }

  const up = u64(blockers - own), mirror = u64(flip(blockers) - flip(own)), down = flip(mirror);
  const stop = squares(up ^ blockers).at(-1)!, found = has(blockers, stop);
  const below = squares(mirror ^ flip(blockers)).map((square) => square ^ 56);
  return [
    theLine,
    step(
      "Blockers",
      `The pieces on the line. The nearest on each side is the last that the ${kind} sees.`,
      "blockers",
      ["occupied", occupied, "& line", mask, "= blockers", blockers],
    ),
    step(
      "Subtract",
      `The ${kind}’s bit is 0 here, so to take 1 away, borrow from the next bit up, and the next, ` +
        (found
          ? `until there is a 1 to borrow from. That is ${
            squareName(stop)
          }: subtraction has found ` +
            "the first blocker. It becomes 0, the bits on the way become 1."
          : "and there is no blocker: the borrow runs off the top of the number. All bits on the " +
            "way become 1."),
      "subtract",
      ["blockers", blockers, `- ${kind}`, own, "= up", up],
      { changed: squares(up ^ blockers), runs: true },
    ),
    step(
      "Mirror",
      "A borrow runs upwards only. So turn the board upside down, subtract again, and it runs the " +
        "other way. In memory that is the order of eight bytes: almost free.",
      "mirror",
      ["blockers", flip(blockers), `- ${kind}`, flip(own), "= mirrored", mirror],
      {
        changed: squares(mirror ^ flip(blockers)),
        runs: true,
        mirrored: true,
        mark: slider ^ 56,
        line: squares(flip(mask | own)),
      },
    ),
    step(
      "Turn back",
      `Turned back, the bits that have changed are those below the ${kind}, down to the first blocker.`,
      "turnBack",
      ["mirrored", mirror, "⇅ down", down],
      { changed: below },
    ),
    step(
      "Differ",
      `Above the ${kind}, up has changed and down has not; below it, the other way round. The ` +
        "exclusive or keeps what differs. All the rest is alike in both, and cancels.",
      "attacks",
      ["up", up, "^ down", down, "= differ", up ^ down],
    ),
    step(
      "Attacks",
      `The borrow also ran through squares beside the line. Cut them off, and this is what the ` +
        `${kind} sees: up to the first blocker on each side, and that one too.`,
      "attacks",
      ["differ", up ^ down, "& line", mask, "= attacks", (up ^ down) & mask],
    ),
  ];
}

// ---------------------------------------------------------------------------------------------
// The filter
// ---------------------------------------------------------------------------------------------

const REACH = { n: knightAttacks, b: bishopAttacks, r: rookAttacks, q: queenAttacks };

/** The pieces of the side to move for which the filter can be shown: all but pawns and king. */
export function filtered(board: Board): Square[] {
  return squares(board.occupiedBy(board.turn)).filter((square) =>
    /[nbrq]/i.test(board.at(square)!)
  );
}

/** Follows a piece of the side to move through the filter. */
export function filterSteps(board: Board, from: Square, kind: string): Step[] {
  const { king, watchers, between: ways, checkers, pinned } = guard(board);
  const us = board.occupiedBy(board.turn), letter = board.at(from)!.toLowerCase();
  const step = (title: string, why: string, code: Mark, parts: Parts, mark = from): Step => {
    const made = toParts(parts), [{ name, set }] = made;
    // What a cut takes away is worth seeing.
    const changed = name === "reach" ? squares(set & ~made.at(-1)!.set) : [];
    return { title, why, parts: made, code, mark, changed, runs: false, mirrored: false, line: [] };
  };
  const names = (set: Bitboard) => squares(set).map(squareName).join(" and ");
  const steps = [
    step(
      "Watchers",
      watchers === 0n
        ? "Look out from the king. No enemy slider stands where it could see the king even on an " +
          "empty board, so no piece is pinned."
        : "Look out from the king. Only an enemy slider that would see it on an empty board can pin, " +
          `or give check from afar: here ${names(watchers)}.`,
      "watchers",
      ["king’s lines", queenAttacks(king, 0n), "→ watchers", watchers],
      king,
    ),
    step(
      "Between",
      "What stands between? Nothing: it is check. Exactly one piece: that one is pinned" +
        (pinned === 0n ? ". Here none is." : `, here ${names(pinned)}.`),
      pinned !== 0n || watchers === 0n ? "pinned" : "checkers",
      ["between", ways, "& occupied", board.occupied, "= in the way", ways & board.occupied],
      king,
    ),
  ];
  const count = squares(checkers).length;
  if (count === 0) {
    steps.push(
      step(
        "Allowed",
        "No check, so every square is allowed where no piece of the same side stands.",
        "allowed",
        ["own pieces", us, "~ allowed", u64(~us)],
        king,
      ),
    );
  } else {
    steps.push(
      step(
        "Checkers",
        count > 1
          ? `${
            names(checkers)
          } give check. Nothing captures two at once, or stands in both ways: ` +
            "only king moves are generated."
          : `${names(checkers)} gives check.`,
        count > 1 ? "allowedInCheck" : "checkers",
        ["checkers", checkers],
        king,
      ),
    );
    if (count > 1) return steps;
    const [watcher] = squares(checkers & watchers); // a knight or a pawn leaves nothing between
    const way = watcher === undefined ? 0n : between(king, watcher);
    steps.push(
      step(
        "Allowed",
        "In check, a piece must capture the checker or step between it and the king. Those squares " +
          "are one set.",
        "allowedInCheck",
        ["between", way, "| checker", checkers, "= allowed", way | checkers],
        king,
      ),
    );
  }
  const allowed = steps.at(-1)!.parts.at(-1)!.set;
  const reach = REACH[letter as keyof typeof REACH](from, board.occupied);
  const isPinned = has(pinned, from), line = pinLine(king, from);
  steps.push(
    step(
      "Reach",
      `Where the ${kind} on ${squareName(from)} could go if it had no king to care for.`,
      letter === "n" ? "knightReach" : "sliderReach",
      ["reach", reach],
    ),
    step(
      "Filter",
      "The first cut: of the squares it reaches, those that are allowed." +
        (isPinned ? "" : " It is not pinned, so these are its legal moves."),
      "cutToAllowed",
      ["reach", reach, "& allowed", allowed, isPinned ? "= left" : "= moves", reach & allowed],
    ),
  );
  if (isPinned) {
    steps.push(
      step(
        "Pin",
        `The second cut: pinned, the ${kind} must stay on the line through king and pinner. These are ` +
          "its legal moves.",
        "cutToPin",
        ["reach", reach & allowed, "& pin line", line, "= moves", reach & allowed & line],
      ),
    );
  }
  return steps;
}

/** The whole line through two squares, if there is one. */
function pinLine(king: Square, from: Square): Bitboard {
  const attacks = [bishopAttacks, rookAttacks].find((attacks) => has(attacks(king, 0n), from));
  return attacks ? attacks(king, 0n) & attacks(from, 0n) | bit(king) | bit(from) : 0n;
}
