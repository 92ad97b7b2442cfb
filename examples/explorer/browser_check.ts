/// <reference lib="dom" />
// Drives the page in a real browser as a visitor would; `deno task test:browser` builds it first.
// Chromium is taken from $CHROMIUM, or from where systems put it. A picture of each state goes to
// dist/screenshots, for the eye.

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { Board, parseSquare, queenAttacks, START } from "@quintessence/chess";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync " +
  "--disable-background-networking --disable-component-update";
const SERVE = "run --allow-net=127.0.0.1 --allow-read=dist examples/explorer/serve.ts " +
  "dist/explorer 0";
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
const PHONE: BrowserContextOptions = {
  viewport: { width: 375, height: 740 },
  hasTouch: true,
  isMobile: true,
};
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

let server: Deno.ChildProcess, browser: Browser, address: string;

Deno.test.beforeAll(async () => {
  const places = [Deno.env.get("CHROMIUM") ?? [], PLACES].flat();
  const found = await Promise.all(places.map((path) => Deno.stat(path).catch(() => undefined)));
  const executablePath = places.find((_, i) => found[i]?.isFile);
  if (executablePath === undefined) throw new Error(`Expected Chromium at one of ${places}`);
  server = new Deno.Command(Deno.execPath(), { args: SERVE.split(" "), stdout: "piped" }).spawn();
  const reader = server.stdout.getReader();
  address = new TextDecoder().decode((await reader.read()).value).match(/http:\S+/)?.[0] ?? "";
  await reader.cancel();
  browser = await chromium.launch({ executablePath, args: FLAGS.split(" ") });
  await Deno.mkdir("dist/screenshots", { recursive: true });
});

Deno.test.afterAll(async () => {
  await browser?.close();
  server?.kill();
  await server?.status;
});

/** A test on a fresh page, on which nothing may go wrong and which asks nothing of anybody else. */
function visit(name: string, body: (page: Page) => Promise<void>, options = DESKTOP, path = "") {
  Deno.test({
    name,
    sanitizeOps: false, // the browser outlives a test
    sanitizeResources: false,
    async fn() {
      const context = await browser.newContext(options), page = await context.newPage();
      page.setDefaultTimeout(10_000);
      const wrong: string[] = [];
      page.on("console", (said) => said.type() === "error" && wrong.push(said.text()));
      page.on("pageerror", (error) => wrong.push(error.message));
      page.on("request", (asked) => asked.url().startsWith(address) || wrong.push(asked.url()));
      await page.goto(address + path);
      await body(page);
      assertEquals(wrong, []);
      await context.close();
    },
  });
}

const square = (page: Page, name: string) => page.locator(`#board [aria-label^=${name}]`);
const text = (page: Page, id: string) => page.locator("#" + id).textContent();
const fen = (page: Page) => page.locator("#fen").inputValue();
const picture = (page: Page, name: string) =>
  page.screenshot({ path: `dist/screenshots/${name}.png` });

/** Plays moves such as `e2e4` by clicking on both squares. */
async function play(page: Page, ...moves: string[]): Promise<void> {
  for (const move of moves) {
    await square(page, move.slice(0, 2)).click();
    await square(page, move.slice(2)).click();
  }
}

async function setUp(page: Page, position: string): Promise<void> {
  await page.fill("#fen", position);
  await page.press("#fen", "Enter");
}

/** Nothing may stick out of the window sideways. */
async function assertFits(page: Page): Promise<void> {
  // A phone's own idea of its width would grow with the page.
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assertEquals(width, page.viewportSize()?.width);
}

visit("a scholar's mate by clicks, undone and redone", async (page) => {
  await square(page, "g1").click();
  assertEquals(await page.locator("#board .target").count(), 2);
  await picture(page, "picked");
  await square(page, "g1").click();
  assertEquals(await page.locator("#board .target").count(), 0);
  await play(page, "e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7");
  assertEquals(await text(page, "status"), "Checkmate: White wins");
  assertEquals(await text(page, "moves"), "1.e4e52.Bc4Nc63.Qh5Nf64.Qxf7#");
  assertEquals(await page.locator("#board .check").getAttribute("aria-label"), "e8, black king");
  await picture(page, "mate");
  await page.click("#undo");
  await page.click("#undo");
  assertEquals(await text(page, "status"), "Black to move");
  await page.click("#redo");
  assertEquals(await text(page, "status"), "White to move");
  await page.click("#moves button >> nth=0");
  assertEquals(await fen(page), new Board().play("e2e4").fen());
  await play(page, "c7c5");
  assertEquals(await text(page, "moves"), "1.e4c5");
});

visit("dragging, castling and the board turned", async (page) => {
  await setUp(page, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
  await square(page, "e1").dragTo(square(page, "e5")); // not legal: the king goes back
  await square(page, "e1").dragTo(square(page, "g1"));
  await page.click("#flip");
  await play(page, "e8c8");
  assertEquals(await text(page, "moves"), "1.O-OO-O-O");
  assertEquals(await fen(page), "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2");
  await picture(page, "castled-and-flipped");
});

visit("promotion asks for a piece, and takes no for an answer", async (page) => {
  await setUp(page, "7k/P7/8/8/8/8/8/K7 w - - 0 1");
  await play(page, "a7a8");
  await picture(page, "promotion");
  await page.keyboard.press("Escape"); // a dialog tells of its end a little later
  await page.locator("#board .target").waitFor({ state: "detached" });
  assertEquals(await text(page, "status"), "White to move");
  await play(page, "a7a8");
  await page.click("dialog [aria-label=rook]");
  await page.locator("#moves li").waitFor();
  assertEquals(await fen(page), "R6k/8/8/8/8/8/8/K7 b - - 0 1");
  assertEquals(await text(page, "status"), "Black to move, in check");
});

visit("a FEN is read, and a bad one explained", async (page) => {
  await setUp(page, "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1");
  assertEquals(await text(page, "status"), "Draw: stalemate");
  const bad = "8/8/8/8/8/5k2/5p2/9 w - - 0 1";
  await setUp(page, bad);
  assertEquals(await text(page, "fen-error"), assertThrows(() => new Board(bad), Error).message);
  assertEquals(await text(page, "status"), "Draw: stalemate");
  await picture(page, "bad-fen");
  await page.click("#new");
  assertEquals(await text(page, "fen-error"), "");
});

visit(
  "a link carries a position",
  async (page) => {
    assertEquals(await fen(page), KIWIPETE);
    await play(page, "e1g1");
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    assertEquals(await fen(page), new Board(KIWIPETE).play("e1g1").fen());
  },
  DESKTOP,
  "#" + KIWIPETE.replaceAll(" ", "_"),
);

visit(
  "a bad link is explained",
  async (page) => {
    assertStringIncludes(await text(page, "fen-error") ?? "", 'got "8/8 w%"');
    assertEquals(await fen(page), START);
  },
  DESKTOP,
  "#8%2F8_w%",
);

visit("the keyboard alone", async (page) => {
  await square(page, "e2").focus();
  for (const key of ["Enter", "ArrowUp", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  assertEquals(await fen(page), new Board().play("e2e4").fen());
  assertEquals(await page.locator("#board [tabindex='0']").count(), 1);
  for (const key of ["Enter", "Escape"]) await page.keyboard.press(key);
  assertEquals(await page.locator("#board .picked").count(), 0);
  await page.locator("#look-sets").focus();
  await page.keyboard.press("ArrowRight"); // as radio buttons do
  assert(await page.locator("#slider").isVisible());
});

visit("bitboards light up", async (page) => {
  const card = (name: string) => page.locator("#sets .card", { hasText: name });
  await setUp(page, "4r2k/8/8/8/1b6/8/3PN3/4K3 w - - 0 1");
  assertEquals(await card("pinned").locator("code").textContent(), "0000000000001800");
  await square(page, "d2").hover();
  assertStringIncludes(await card("targets").textContent() ?? "", "targets of d20000000000000000");
  await card("attacked by Black").hover();
  assert(await page.locator("#board .lit").count() > 20);
  await setUp(page, KIWIPETE);
  await card("occupied").click();
  await page.mouse.move(0, 0);
  assertEquals(await page.locator("#board .lit").count(), 32);
  await card("occupied").click();
  await square(page, "f3").click();
  await card("attacked by White").click();
  await picture(page, "bitboards");
});

visit("a slider, step by step", async (page) => {
  await setUp(page, KIWIPETE);
  await page.getByText("Sliders").click();
  await square(page, "f3").click();
  const titles: string[] = [];
  for (;;) {
    titles.push(await text(page, "step-title") ?? "");
    assertStringIncludes(await text(page, "step-code") ?? "", "function reachStraights(");
    assert(await text(page, "code-part"));
    await picture(page, `slider-${titles.length}`);
    if (await page.locator("#step-on").isDisabled()) break;
    await page.click("#step-on");
  }
  const steps = "Line, Blockers, Minus slider, Mirror, Turned back, Exclusive or, Attacks";
  assertEquals(titles.join(", "), steps);
  const file = 0x2020202020202020n;
  const attacks = queenAttacks(parseSquare("f3"), new Board(KIWIPETE).occupied) & file;
  assertEquals(BigInt(await text(page, "step-number") ?? ""), attacks);
  assertEquals(await page.locator("#board .lit").count(), 4);
  await page.selectOption("#slider-line", "rank");
  assertEquals(await page.locator("#steps .card:visible").count(), 4);
  await page.click("#steps .card >> nth=3");
  await picture(page, "slider-rank");
  await setUp(page, "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
  assertEquals(await text(page, "step-title"), "No slider on the board");
});

visit("perft 4 counts 197281", async (page) => {
  await page.getByText("Perft").click();
  await page.click("#count");
  await page.getByText("Count", { exact: true }).waitFor();
  assertStringIncludes(await text(page, "leaves") ?? "", "197,281 leaves in ");
  assertEquals(await page.locator("#divide tr").count(), 20);
  const rows = [...new Board().divide(4)].map(([move, n]) => move + n.toLocaleString("en"));
  assertEquals(await text(page, "divide"), rows.sort().join(""));
  await picture(page, "perft");
});

visit("the engine answers", async (page) => {
  await setUp(page, "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1");
  await page.selectOption("#engine-time", "300");
  await page.click("#engine-move");
  await page.getByText("Checkmate").waitFor();
  await page.click("#new");
  await page.check("#engine-answers");
  await play(page, "e2e4");
  await page.locator("#moves li >> nth=1").waitFor();
  assertEquals(await text(page, "status"), "White to move");
  await picture(page, "engine");
});

for (const colorScheme of ["light", "dark"] as const) {
  visit(`phone, ${colorScheme}`, async (page) => {
    for (const look of ["Bitboards", "Sliders", "Perft"]) {
      await page.getByText(look, { exact: true }).tap();
      await assertFits(page);
      const path = `dist/screenshots/phone-${colorScheme}-${look.toLowerCase()}.png`;
      await page.screenshot({ path, fullPage: true });
    }
    await square(page, "e2").tap();
    await square(page, "e4").tap();
    assertEquals(await fen(page), new Board().play("e2e4").fen());
  }, { ...PHONE, colorScheme });

  visit(`desktop, ${colorScheme}`, async (page) => {
    await play(page, "d2d4", "g8f6", "c2c4", "e7e6", "b1c3", "f8b4", "d1c2");
    if (colorScheme === "light") {
      await page.locator("#sets .card", { hasText: "attacked by White" }).click();
      await page.mouse.move(0, 0);
    } else {
      await page.getByText("Sliders").click();
      await square(page, "c2").click();
      await page.selectOption("#slider-line", "diagonal");
      for (let step = 0; step < 2; step++) await page.click("#step-on");
    }
    await assertFits(page);
    await picture(page, `explorer-${colorScheme}`);
  }, { ...DESKTOP, colorScheme });
}
