/// <reference lib="dom" />
// Drives the page in Chromium and Firefox as a visitor would; `deno task test:browser` builds it
// first. Pictures of what was seen go to dist/screenshots, for the eye.

import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { Board, parseSquare, queenAttacks } from "@quintessence/chess";
import { axe, type Browser, type Page, puppeteer } from "./drivers.ts";

const FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync " +
  "--disable-background-networking --disable-component-update";
const SERVE = "run --allow-net=127.0.0.1 --allow-read=dist examples/explorer/serve.ts " +
  "dist/explorer 0";
const FIRST = "6k1/3p4/1p3p2/8/3R4/2P5/3P4/6K1 w - - 0 1"; // the README's rook
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const SCHOLAR = ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"];

// ---------------------------------------------------------------------------------------------
// Browsers
// ---------------------------------------------------------------------------------------------

type Kind = "chrome" | "firefox";

/** How the page is looked at; all but the last want no motion. */
type Look = "light" | "dark" | "forced" | "moving";

/** What a test asks for besides its name. */
type Options = { path?: string; width?: 1280 | 390; look?: Look };

const NAMES = { chrome: ["chromium", "google-chrome"], firefox: ["firefox-esr", "firefox"] };
const PREFERENCES = {
  light: { "layout.css.prefers-color-scheme.content-override": 1, "ui.prefersReducedMotion": 1 },
  dark: { "layout.css.prefers-color-scheme.content-override": 0, "ui.prefersReducedMotion": 1 },
  forced: { "browser.display.document_color_use": 2, "ui.prefersReducedMotion": 1 },
  moving: {},
};

function findBrowser(kind: Kind): string | undefined {
  const places = NAMES[kind].map((name) => `/usr/bin/${name}`);
  return places.find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

const kinds = (["chrome", "firefox"] as const).filter((kind) => {
  if (findBrowser(kind) !== undefined) return true;
  const [name] = NAMES[kind], message = `No ${name}: apt-get install ${name}`;
  if (Deno.env.get("CI") === "true") throw new Error(message);
  console.log(`${message} (its tests are skipped)`);
  return false;
});

const browsers = new Map<string, Browser>();
let server: Deno.ChildProcess, address: string;

/** Chromium is told by each page how it is looked at, Firefox when it starts. */
async function launch(kind: Kind, look: Look): Promise<Browser> {
  const key = kind === "chrome" ? kind : look;
  const browser = browsers.get(key) ?? await puppeteer.launch({
    browser: kind,
    executablePath: findBrowser(kind)!,
    args: kind === "chrome" ? FLAGS.split(" ") : [],
    extraPrefsFirefox: PREFERENCES[look],
  });
  browsers.set(key, browser);
  return browser;
}

Deno.test.beforeAll(async () => {
  server = new Deno.Command(Deno.execPath(), { args: SERVE.split(" "), stdout: "piped" }).spawn();
  const reader = server.stdout.getReader();
  address = new TextDecoder().decode((await reader.read()).value).match(/http:\S+/)?.[0] ?? "";
  await reader.cancel();
  await Deno.mkdir("dist/screenshots", { recursive: true });
});

Deno.test.afterAll(async () => {
  for (const browser of browsers.values()) await browser.close();
  server?.kill();
  await server?.status;
});

/** A test on a fresh page, on which nothing may go wrong and which asks nothing of anybody else. */
function visit(name: string, options: Options, body: (page: Page, kind: Kind) => Promise<void>) {
  const { path = "", width = 1280, look = "light" } = options;
  for (const kind of kinds) {
    Deno.test({
      name: `${name} (${kind})`,
      sanitizeOps: false, // the browser outlives a test
      sanitizeResources: false,
      async fn() {
        const context = await (await launch(kind, look)).createBrowserContext();
        const page = await context.newPage(), phone = width < 500;
        page.setDefaultTimeout(10_000);
        const wrong: string[] = [];
        page.on("console", (said) => said.type() === "error" && wrong.push(said.text()));
        page.on("pageerror", (error) => wrong.push(String(error)));
        page.on("request", (asked) => asked.url().startsWith(address) || wrong.push(asked.url()));
        const isMobile = phone && kind === "chrome"; // Firefox has no such thing
        await page.setViewport({ width, height: phone ? 844 : 900, hasTouch: phone, isMobile });
        if (kind === "chrome") {
          const features = [
            { name: "prefers-color-scheme", value: look === "dark" ? "dark" : "light" },
            { name: "forced-colors", value: look === "forced" ? "active" : "none" },
            { name: "prefers-reduced-motion", value: look === "moving" ? "" : "reduce" },
          ];
          const session = await page.createCDPSession();
          await session.send("Emulation.setEmulatedMedia", { features });
        }
        await page.goto(address + path);
        await page.waitForSelector("#page:not([hidden])");
        await body(page, kind);
        const meant = /^about:blank$|^data:|nothing\.png/; // what tests do themselves
        assertEquals(wrong.filter((text) => !meant.test(text)), []);
        await context.close();
      },
    });
  }
}

// ---------------------------------------------------------------------------------------------
// What a visitor does and sees
// ---------------------------------------------------------------------------------------------

const square = (name: string) => `#board [aria-label^=${name}]`;
const click = (page: Page, selector: string) => page.locator(selector).click();
const count = (page: Page, selector: string) => page.$$eval(selector, (found) => found.length);
const text = (page: Page, selector: string) => page.$eval(selector, (found) => found.textContent);
const fen = (page: Page) => page.$eval("#fen", (input) => (input as HTMLInputElement).value);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isDisabled = (page: Page, selector: string) =>
  page.$eval(selector, (button) => (button as HTMLButtonElement).disabled);

async function picture(page: Page, kind: Kind, name: string): Promise<void> {
  if (kind === "chrome") await page.screenshot({ path: `dist/screenshots/${name}.png` });
}

/** Waits until an element shows a text. */
async function shows(page: Page, selector: string, expected: string): Promise<void> {
  let seen: string | null = "";
  for (let tries = 0; tries < 100; tries++, await sleep(100)) {
    seen = await text(page, selector).catch(() => "");
    if (seen?.includes(expected)) return;
  }
  assertStringIncludes(seen ?? "", expected);
}

/** Plays moves such as `e2e4` by clicking on both squares. */
async function play(page: Page, ...moves: string[]): Promise<void> {
  for (const move of moves) {
    await click(page, square(move.slice(0, 2)));
    await click(page, square(move.slice(2)));
  }
}

async function setUp(page: Page, position: string): Promise<void> {
  await page.$eval("#fen", (input, value) => (input as HTMLInputElement).value = value, position);
  await click(page, "#fen-form button");
}

const open = (page: Page, name: string) => click(page, `label:has(#look-${name})`);

async function centre(page: Page, selector: string): Promise<[number, number]> {
  const box = (await (await page.$(selector))!.boundingBox())!;
  return [box.x + box.width / 2, box.y + box.height / 2];
}

async function drag(page: Page, from: string, to: string): Promise<void> {
  await page.mouse.move(...await centre(page, square(from)));
  await page.mouse.down();
  await page.mouse.move(...await centre(page, square(to)), { steps: 4 });
  await page.mouse.up();
}

/** The set on a small board, from the number below it. */
const cardSet = async (page: Page, selector: string) =>
  BigInt("0x" + (await text(page, selector))?.slice(-16));

// ---------------------------------------------------------------------------------------------
// Playing
// ---------------------------------------------------------------------------------------------

visit("a scholar's mate by clicks, undone and redone", {}, async (page, kind) => {
  await click(page, "#new");
  assertEquals(await page.$eval("#moves", (list) => getComputedStyle(list).display), "none");
  await click(page, square("g1"));
  assertEquals(await count(page, "#board .target"), 2);
  await picture(page, kind, "picked");
  await click(page, square("g1"));
  assertEquals(await count(page, "#board .target"), 0);
  await play(page, ...SCHOLAR);
  assertEquals(await text(page, "#status"), "Checkmate: White wins");
  assertEquals(await text(page, "#moves"), "1. e4 e52. Bc4 Nc63. Qh5 Nf64. Qxf7#");
  assertEquals(await count(page, "#board .check[aria-label='e8, black king']"), 1);
  await picture(page, kind, "mate");
  await click(page, "#undo");
  await click(page, "#undo");
  assertEquals(await text(page, "#status"), "Black to move");
  await click(page, "#redo");
  assertEquals(await text(page, "#status"), "White to move");
  await click(page, "#moves button");
  assertEquals(await fen(page), new Board().play("e2e4").fen());
  await play(page, "c7c5");
  assertEquals(await text(page, "#moves"), "1. e4 c5");
});

visit("dragging, castling and the board turned", {}, async (page, kind) => {
  await setUp(page, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
  await drag(page, "e1", "e5"); // not legal: the king goes back
  await drag(page, "e1", "g1");
  await click(page, "#flip");
  await drag(page, "e8", "c8");
  assertEquals(await text(page, "#moves"), "1. O-O O-O-O");
  assertEquals(await fen(page), "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2");
  await picture(page, kind, "castled-and-flipped");
});

visit("a right-click ends a drag", {}, async (page) => {
  await click(page, "#new");
  const [x, y] = await centre(page, square("e2"));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y - 50, { steps: 3 });
  assertEquals(await count(page, "#board .dragged"), 1);
  await page.mouse.down({ button: "right" });
  assertEquals(await count(page, "#board .dragged"), 0);
  assertEquals(await page.$eval(`${square("e2")} svg`, (piece) => piece.style.translate), "");
  await page.mouse.up({ button: "right" });
  await page.mouse.up();
  assertEquals(await fen(page), new Board().fen());
});

for (const width of [1280, 390] as const) {
  const path = "#7k/P7/8/8/8/8/8/K7_w_-_-_0_1";
  visit(`promotion asks at the pawn, at ${width}`, { path, width }, async (page, kind) => {
    await play(page, "a7a8");
    const near = await page.$eval("#promotion", (dialog) => {
      const pawn = document.querySelector("#board [aria-label^=a8]")!.getBoundingClientRect();
      const box = dialog.getBoundingClientRect();
      return Math.abs(box.left + box.right - pawn.left - pawn.right) < 20 && box.left >= 0 &&
        Math.abs(box.top - pawn.top) < 20;
    });
    assert(near);
    await picture(page, kind, `promotion-${width}`);
    await page.keyboard.press("Escape");
    await page.waitForSelector("#promotion:not([open])");
    assertEquals(await text(page, "#status"), "White to move");
    await play(page, "a7a8");
    await click(page, "#promotion [aria-label=rook]");
    await shows(page, "#moves", "a8=R+");
    assertEquals(await fen(page), "R6k/8/8/8/8/8/8/K7 b - - 0 1");
    assertEquals(await text(page, "#status"), "Black to move, in check");
  });
}

visit(
  "a promotion that waits while the engine moves is given up",
  { path: "#2bqk3/P4ppp/2n2n2/4p3/4P3/2N2N2/5PPP/3QKB2_w_-_-_0_1" },
  async (page) => {
    await click(page, "#engine-move");
    await play(page, "a7a8");
    await shows(page, "#status", "Black to move");
    await page.$eval("#promotion button", (button) => (button as HTMLElement).click());
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await shows(page, "#status", "Black to move");
    assertEquals(await count(page, "#moves button"), 1);
  },
);

visit("a promotion that waits while the link changes is given up", {
  path: "#7k/P7/8/8/8/8/8/K7_w_-_-_0_1",
}, async (page) => {
  await play(page, "a7a8");
  await page.waitForSelector("#promotion[open]");
  await page.evaluate(() => location.hash = "#7k/P7/8/8/8/8/8/K7_b_-_-_0_1");
  await page.waitForSelector("#promotion:not([open])");
  assertEquals(await fen(page), "7k/P7/8/8/8/8/8/K7 b - - 0 1");
});

visit("the keyboard alone", {}, async (page) => {
  await click(page, "#new");
  await page.focus(square("e2"));
  for (const key of ["Enter", "ArrowUp", "ArrowUp", "Enter"] as const) {
    await page.keyboard.press(key);
  }
  const played = new Board().play("e2e4").fen();
  assertEquals(await fen(page), played);
  assertEquals(await count(page, "#board [tabindex='0']"), 1);
  for (const key of ["Enter", "Escape"] as const) await page.keyboard.press(key);
  assertEquals(await count(page, "#board .picked"), 0);
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press("ArrowLeft"); // arrows that nobody else needs go through the game
  assertEquals(await fen(page), new Board().fen());
  await page.keyboard.press("ArrowRight");
  assertEquals(await fen(page), played);
  await page.focus("#look-slider");
  await page.keyboard.press("ArrowRight"); // as radio buttons do
  assertEquals(await count(page, "#look-filter:checked"), 1);
  assertEquals(await fen(page), played);
});

// ---------------------------------------------------------------------------------------------
// Positions and games in and out
// ---------------------------------------------------------------------------------------------

visit("a FEN is read, and a bad one explained", {}, async (page, kind) => {
  await setUp(page, "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1");
  assertEquals(await text(page, "#status"), "Draw: stalemate");
  const bad = "8/8/8/8/8/5k2/5p2/9 w - - 0 1";
  await setUp(page, bad);
  assertEquals(await text(page, "#error"), assertThrows(() => new Board(bad), Error).message);
  assertEquals(await text(page, "#status"), "Draw: stalemate");
  await picture(page, kind, "bad-fen");
  await click(page, "#new");
  assertEquals(await text(page, "#error"), "");
  await page.goBack(); // the way back from a new game
  await shows(page, "#status", "Draw: stalemate");
});

visit("a link carries a game", { path: "#" + KIWIPETE.replaceAll(" ", "_") }, async (page) => {
  assertEquals(await fen(page), KIWIPETE);
  await play(page, "e1g1");
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await shows(page, "#moves", "O-O");
  assertEquals(await fen(page), new Board(KIWIPETE).play("e1g1").fen());
});

visit("a bad link is explained", { path: "#8%2F8_w%0A%" }, async (page) => {
  assertStringIncludes(await text(page, "#error") ?? "", 'got "8/8 w\\n%"');
  assertEquals(await fen(page), FIRST);
});

visit(
  "an emptied link is a new game",
  { path: "#4k3/8/8/8/8/8/8/4K2R_w_-_-_0_1" },
  async (page) => {
    await page.evaluate(() => location.hash = "");
    await page.waitForFunction(() => location.hash.startsWith("#rnbqkbnr"));
    assertEquals(await fen(page), new Board().fen());
    assertEquals(await text(page, "#error"), "");
  },
);

visit("reloading keeps the game", {}, async (page) => {
  await click(page, "#new");
  await play(page, "e2e4", "e7e5", "g1f3");
  await click(page, "#undo");
  await page.reload();
  await shows(page, "#moves", "Nf3");
  assertEquals(await fen(page), new Board().play("e2e4").play("e7e5").fen());
  assertEquals(await isDisabled(page, "#redo"), false);
});

visit("PGN in and out", {}, async (page) => {
  const load = async (pgn: string) => {
    await page.$eval("#pgn", (box, pgn) => (box as HTMLTextAreaElement).value = pgn, pgn);
    await click(page, "#pgn-form button");
  };
  await load('[White "Greco"]\n\n1. f3 e5 2. g4 {A gift.} (2. e4) Qh4# 0-1');
  assertEquals(await text(page, "#status"), "Checkmate: Black wins");
  assertEquals(await text(page, "#moves"), "1. f3 e52. g4 Qh4#");
  await click(page, "#undo");
  await click(page, "#copy");
  const pgn = () => page.$eval("#pgn", (box) => (box as HTMLTextAreaElement).value);
  assertMatch(await pgn(), /\[White "Greco"\][^]*\n1\. f3 e5 2\. g4 Qh4# 0-1$/);
  await load("1. e4 e5 2. Ke3");
  assertStringIncludes(await text(page, "#error") ?? "", "Ke3");
  assertEquals(await text(page, "#status"), "Black to move");
  await setUp(page, FIRST);
  await play(page, "d4d7");
  await click(page, "#copy");
  assertMatch(await pgn(), /\[FEN "6k1[^]*\n1\. Rxd7 \*$/);
});

// ---------------------------------------------------------------------------------------------
// Explanations
// ---------------------------------------------------------------------------------------------

visit("the page opens on a rook, and takes its attacks apart", {}, async (page, kind) => {
  assertEquals(await fen(page), FIRST);
  assertEquals(await count(page, `${square("d4")}.mark`), 1);
  await page.keyboard.press("ArrowRight"); // before there is a game to go through
  assertEquals(await text(page, "#slider .title"), "2. Blockers");
  await page.keyboard.press("ArrowLeft");
  const titles: (string | null)[] = [], numbers: bigint[] = [];
  while (titles.length < 10) {
    titles.push(await text(page, "#slider .title"));
    numbers.push(await cardSet(page, "#slider .sum .card:last-child"));
    assertMatch(await text(page, "#slider .code") ?? "", /\w/);
    assertMatch(await text(page, "#slider .place") ?? "", /mod\.ts, line \d+, in slide\(\)/);
    assertEquals(await count(page, "body.mirrored"), titles.length === 4 ? 1 : 0);
    await picture(page, kind, `slider-${titles.length}`);
    if (await isDisabled(page, "#slider .next")) break;
    await click(page, "#slider .next");
  }
  const names = "1. Line 2. Blockers 3. Subtract 4. Mirror 5. Turn back 6. Differ 7. Attacks";
  assertEquals(titles.join(" "), names);
  // As the README has them.
  assertEquals(numbers[1], 0x0008000000000800n);
  assertEquals(numbers[2], 0x0007fffff8000800n);
  assertEquals(numbers[4], 0x00080000f8ff0700n);
  assertEquals(numbers[6], 0x0008080800080800n);
  assertEquals(await count(page, "#board .lit"), 5);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assertEquals(await text(page, "#slider .title"), "5. Turn back");
});

visit("steps show what goes in and what comes out", {}, async (page) => {
  await click(page, "#slider .titles li:nth-child(3) button");
  assertEquals(
    await text(page, "#slider .sum"),
    [
      "blockers0008000000000800",
      "−rook0000000008000000",
      "=up0007fffff8000800",
    ].join(""),
  );
  const row = (n: number) => text(page, `#slider .bits tr:nth-child(${n})`);
  assertEquals(await row(1), "d1d2d3d4d5d6d7d8");
  assertEquals(await row(2), " blockers01000010");
  assertEquals(await row(3), "− rook00010000");
  assertEquals(await row(4), "= up01011100");
  assertEquals(await count(page, "#slider .bits .new"), 4);
  assertEquals(await count(page, "#board .fresh"), 24);
  assertEquals(await count(page, `${square("d7")}.gone`), 1);
  await page.hover("#slider .sum .card"); // an operand
  assertEquals(await count(page, "#board .lit"), 2);
  await click(page, "#slider .next");
  assertEquals(await row(1), "d8d7d6d5d4d3d2d1"); // in the mirror
  assertEquals(await count(page, `${square("d4")}.mark`), 1);
});

visit("examples: diagonals, and a rank from the table", {}, async (page) => {
  for (const line of ["diagonal", "antidiagonal"]) {
    await click(page, `[data-example=${line}]`);
    assertEquals(await count(page, "#slider .titles li"), 7);
    assertStringIncludes(await text(page, "#slider .place") ?? "", "slide()");
    assertEquals(
      await page.$eval("#slider-line", (found) => (found as HTMLInputElement).value),
      line,
    );
  }
  await click(page, "[data-example=rank]");
  assertEquals(await count(page, "#slider .titles li"), 4);
  await click(page, "#slider .titles li:last-child button");
  const attacks = queenAttacks(3, 0x4an) & 0xffn;
  assertEquals(await cardSet(page, "#slider .sum .card:last-child"), attacks);
});

visit("any slider of any position", { path: "#" + KIWIPETE.replaceAll(" ", "_") }, async (page) => {
  await click(page, square("f3"));
  const { occupied } = new Board(KIWIPETE), from = parseSquare("f3");
  let seen = 0n;
  for (const line of ["file", "diagonal", "antidiagonal", "rank"]) {
    await page.select("#slider-line", line);
    await click(page, "#slider .titles li:last-child button");
    seen |= await cardSet(page, "#slider .sum .card:last-child");
  }
  assertEquals(seen, queenAttacks(from, occupied));
  await setUp(page, "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
  assertEquals(await text(page, "#slider .none"), "No slider on the board.");
});

visit("the borrow runs, and waits when it is told to", { look: "moving" }, async (page) => {
  await click(page, "#slider .titles li:nth-child(2) button");
  await click(page, "#slider .next");
  await page.waitForSelector("#board .fresh");
  await click(page, "#slider .play");
  const stopped = await count(page, "#board .fresh");
  assert(stopped > 0 && stopped < 24, `${stopped}`);
  await sleep(300);
  assertEquals(await count(page, "#board .fresh"), stopped);
  await click(page, "#slider .play");
  await page.waitForFunction(() => document.querySelectorAll("#board .fresh").length === 24);
  await click(page, "[data-example=file]"); // goes on by itself
  await shows(page, "#slider .title", "2. Blockers");
  await shows(page, "#slider .play", "Pause");
});

visit("the filter: a pin, a check, a double check", {}, async (page, kind) => {
  await open(page, "filter");
  const last = async () => {
    await click(page, "#filter .titles li:last-child button");
    return await cardSet(page, "#filter .sum .card:last-child");
  };
  await click(page, "[data-example=pin]");
  assertEquals(await last(), 0x1010101010100000n);
  assertEquals(await text(page, "#filter .title"), "6. Pin");
  assertEquals(await count(page, "#board .gone"), 7);
  await picture(page, kind, "filter-pin");
  await click(page, "[data-example=check]");
  assertEquals(await last(), 0x0010000000100000n);
  await click(page, "[data-example=double-check]");
  await last();
  assertStringIncludes(await text(page, "#filter .why") ?? "", "only king moves");
  await setUp(page, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
  assertStringIncludes(await text(page, "#filter .none") ?? "", "nothing but pawns");
});

visit("bitboards light up", {}, async (page, kind) => {
  await open(page, "sets");
  const card = (name: string) => `::-p-xpath(//button[@class="card"][starts-with(., "${name}")])`;
  await setUp(page, "4r2k/8/8/8/1b6/8/3PN3/4K3 w - - 0 1");
  assertEquals(await cardSet(page, card("pinned")), 0x1800n);
  await page.hover(square("d2"));
  assertStringIncludes(await text(page, card("targets")) ?? "", "targets of d20000000000000000");
  await page.hover(card("attacked by Black"));
  assert(await count(page, "#board .lit") > 20);
  await setUp(page, KIWIPETE);
  await click(page, card("occupied"));
  await page.mouse.move(0, 0);
  assertEquals(await count(page, "#board .lit"), 32);
  await click(page, card("occupied"));
  await click(page, square("f3"));
  await click(page, card("attacked by White"));
  await picture(page, kind, "bitboards");
});

// ---------------------------------------------------------------------------------------------
// Long work
// ---------------------------------------------------------------------------------------------

/** Counts to its end, or stops at a text, and returns all that was said. */
async function perft(page: Page, depth: string, stopAt?: string): Promise<string[]> {
  await open(page, "perft");
  await page.select("#depth", depth);
  return await page.evaluate((stopAt) =>
    new Promise<string[]>((resolve) => {
      const [leaves, button] = ["leaves", "count"].map((id) => document.getElementById(id)!);
      const said: string[] = [];
      const observer = new MutationObserver(() => {
        said.push(leaves.textContent);
        if (button.textContent === "Count") return observer.disconnect(), resolve(said);
        if (stopAt && leaves.textContent.includes(stopAt)) button.click();
      });
      for (const seen of [leaves, button]) observer.observe(seen, { childList: true });
      button.click();
    }), stopAt);
}

const SPEED = /^[\d,]+ leaves in [\d.]+ s, (?!0\.0)[\d.]+ million a second in this browser$/;
const isWarming = (text: string) => text.startsWith("Warming up");

visit("perft 4 counts 197281", {}, async (page, kind) => {
  await click(page, "#new");
  assertMatch((await perft(page, "4")).at(-1)!, /^197,281 leaves in /);
  const rows = await page.$$eval(
    "#divide tr",
    (rows) => rows.map((row) => [...row.cells].slice(0, 3).map((cell) => cell.textContent)),
  );
  assertEquals(rows.length, 20);
  assert(rows.some((row) => row.join() === "e4,13,160,6.7 %"), rows.join());
  const shares = rows.map((row) => parseFloat(row[2]!));
  assert(Math.abs(shares.reduce((sum, share) => sum + share) - 100) < 1);
  await picture(page, kind, "perft");
});

visit("perft warms up once, and has a speed where that means something", {}, async (page) => {
  await click(page, "#new");
  const least = await perft(page, "1");
  assertEquals(least.at(-1), "20 leaves");
  assert(!least.some((text) => isWarming(text) || text.includes("second")), least.join("\n"));
  const first = await perft(page, "5");
  assert(first.some(isWarming), first.join("\n"));
  assertMatch(first.at(-1)!, SPEED);
  await play(page, "e2e4");
  assertEquals(await text(page, "#leaves"), "");
  for (const depth of ["3", "5"]) {
    const next = await perft(page, depth);
    assert(!next.some(isWarming), next.join("\n"));
    assertMatch(next.at(-1)!, SPEED);
  }
});

visit("a count of all six half-moves can be stopped", {}, async (page) => {
  await click(page, "#new");
  for (const moment of ["leaves", "Warming up", "Warming up"]) {
    const said = await perft(page, "6", moment);
    assert(said.some(isWarming), said.join("\n"));
    assertStringIncludes(said.at(-2)!, moment);
    assertEquals(said.at(-1), "");
    await sleep(300);
    assertEquals(await text(page, "#leaves"), "");
  }
});

visit("perft of a mate ends", { path: "#R5k1/5ppp/8/8/8/8/8/K7_b_-_-_0_1" }, async (page) => {
  const said = await perft(page, "5");
  assertEquals([said.at(-1), said.some(isWarming)], ["0 leaves", false]);
});

visit(
  "the engine mates, and says so",
  { path: "#7k/8/5K2/6Q1/8/8/8/8_w_-_-_0_1" },
  async (page) => {
    await page.select("#engine-time", "300");
    await click(page, "#engine-move");
    await shows(page, "#status", "Checkmate: White wins");
    assertMatch(await text(page, "[role=status]") ?? "", /^The engine plays \S+#\. Checkmate/);
    assertMatch(await text(page, "#engine-score") ?? "", /^White mates in 1, depth/);
    assertMatch(await text(page, "#engine-line") ?? "", /^Q\S+#$/);
    assert(await isDisabled(page, "#engine-move"));
  },
);

visit("undo takes back the engine's answer and the move it answered", {}, async (page, kind) => {
  await click(page, "#new");
  await page.select("#engine-time", "300");
  await click(page, "#engine-answers");
  await play(page, "e2e4");
  await shows(page, "#status", "White to move");
  await picture(page, kind, "engine");
  await click(page, "#undo");
  assertEquals(await fen(page), new Board().fen());
  await click(page, "#redo");
  assertEquals(await count(page, "#moves button"), 2);
  assertEquals(await text(page, "#status"), "White to move");
});

visit("nothing moves while the engine thinks, which can be stopped", {}, async (page) => {
  await click(page, "#new");
  await page.select("#engine-time", "5000");
  await click(page, "#engine-answers");
  await play(page, "e2e4", "e7e5");
  const played = new Board().play("e2e4").fen();
  assertEquals(await fen(page), played);
  await shows(page, "#engine-move", "Stop");
  await click(page, "#engine-move");
  await shows(page, "#engine-move", "Engine move");
  assertEquals(await fen(page), played);
  await play(page, "e7e5"); // the other side is free again
  assertEquals(await count(page, "#moves button"), 2);
  await click(page, "#undo"); // stops it again, and takes the move back
  assertEquals(await fen(page), played);
});

// ---------------------------------------------------------------------------------------------
// Looks
// ---------------------------------------------------------------------------------------------

/** Nothing sticks out of the window sideways, or is cut off. */
async function assertFits(page: Page, width: number): Promise<void> {
  const { full, shown, cut } = await page.evaluate(() => ({
    full: document.documentElement.scrollWidth,
    shown: document.documentElement.clientWidth, // less a scroll bar

    cut: [...document.querySelectorAll("#page *")].filter((element) =>
      element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 &&
      getComputedStyle(element).overflowX === "hidden" && !element.matches(".unseen")
    ).map((element) => element.outerHTML.slice(0, 80)),
  }));
  assertEquals(full, shown);
  assert(full <= width, `${full}`); // a phone's own idea of its width would grow with the page
  assertEquals(cut, []);
}

async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
  });
  assertEquals(found, []);
}

for (const width of [1280, 390] as const) {
  for (const look of ["light", "dark", "forced"] as const) {
    visit(`all panels, ${look}, at ${width}`, { width, look }, async (page, kind) => {
      await click(page, "#new");
      await play(page, "d2d4", "g8f6", "c2c4", "e7e6", "b1c3", "f8b4", "d1c2");
      await page.select("#engine-time", "300");
      await click(page, "#engine-move");
      await shows(page, "#engine-score", "for White");
      for (const panel of ["slider", "filter", "sets", "perft"]) {
        await open(page, panel);
        if (panel === "perft") {
          await page.select("#depth", "4");
          await click(page, "#count");
          await shows(page, "#leaves", "leaves in");
          await shows(page, "#count", "Count");
        }
        await assertFits(page, width);
        await assertAccessible(page);
        await picture(page, kind, `${width}-${look}-${panel}`);
      }
      // What colours say must be said in forced colours, too.
      await click(page, square("e1"));
      const styles = (
        selector: string,
        property: "backgroundColor" | "backgroundImage" | "boxShadow",
      ) => page.$eval(selector, (found, property) => getComputedStyle(found)[property], property);
      assert(await styles("#board .picked", "boxShadow") !== "none");
      assert(await styles("#board .target", "backgroundImage") !== "none");
      const shades = [square("h4"), square("h5"), "#board .last"]; // a dark, a light, the last move
      const colours = await Promise.all(shades.map((name) => styles(name, "backgroundColor")));
      assertEquals(new Set(colours).size, 3);
      await picture(page, kind, `${width}-${look}-picked`);
    });
  }
}

visit("a phone: taps, and the board stays in sight", { width: 390 }, async (page) => {
  const tap = async (selector: string) => await (await page.$(selector))!.tap();
  const under = await page.evaluate(() =>
    document.querySelector(".tabs")!.getBoundingClientRect().top -
    document.querySelector(".stage")!.getBoundingClientRect().bottom
  );
  assert(under >= 0 && under < 30, `${under}`);
  await tap("#new");
  await tap(square("e2"));
  await tap(square("e4"));
  assertEquals(await fen(page), new Board().play("e2e4").fen());
  await tap("label:has(#look-sets)");
  await page.$eval(
    "#set-list .card:last-child",
    (card) => card.scrollIntoView({ block: "center" }),
  );
  await tap("#set-list .card:last-child");
  assertEquals(await count(page, "#board .lit"), 1);
  const top = await page.$eval("#board", (board) => board.getBoundingClientRect().top);
  assert(top >= 0 && top < 100, `${top}`);
});

visit("nothing runs that is not a file of the page", {}, async (page) => {
  const blocked = await page.evaluate(() =>
    new Promise<string>((resolve) => {
      document.addEventListener("securitypolicyviolation", (event) =>
        resolve(event.effectiveDirective));
      const image = document.createElement("img");
      image.src = "/nothing.png";
      document.body.append(image);
    })
  );
  assertEquals(blocked, "img-src");
  const policy = await page.$eval("meta[http-equiv]", (meta) => meta.getAttribute("content"));
  assert(!policy?.includes("unsafe"));
});

// The two pictures in docs/ are taken here.
visit("the steps of a slider", { look: "light" }, async (page, kind) => {
  await click(page, "#slider .titles li:nth-child(3) button");
  await page.mouse.move(0, 0);
  await picture(page, kind, "explorer-light");
});

const PINNED = "#moves_e2e4_e7e5_g1f3_d7d6_f1b5_c8d7_e1g1";
visit("the filter in a game", { look: "dark", path: PINNED }, async (page, kind) => {
  await open(page, "filter");
  await page.select("#filter-square", String(parseSquare("d7")));
  await click(page, "#filter .titles li:last-child button");
  assertEquals(await cardSet(page, "#filter .sum .card:last-child"), 0x40200000000n);
  await page.mouse.move(0, 0);
  await picture(page, kind, "explorer-dark");
});

if (kinds.includes("chrome")) {
  Deno.test("without JavaScript, the page says what is missing", async () => {
    const context = await (await launch("chrome", "light")).createBrowserContext();
    const page = await context.newPage();
    await page.setJavaScriptEnabled(false);
    await page.goto(address);
    const seen = await page.$eval("body", (body) => body.innerText);
    assertStringIncludes(seen, "needs JavaScript");
    assert(!seen.includes("Engine move"));
    await context.close();
  });
}
