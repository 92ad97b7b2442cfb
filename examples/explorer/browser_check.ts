/// <reference lib="dom" />
// Drives the page in real browsers as a visitor would; `deno task test:browser` builds it first.
// Pictures of what was seen go to dist/screenshots, for the eye.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import puppeteer, { type Browser, type Page } from "npm:puppeteer-core@25.16.0";
import { Board } from "@quintessence/chess";

const PLACES = {
  chrome: ["chromium", "chromium-browser", "google-chrome"],
  firefox: ["firefox-esr", "firefox"],
};
const FLAGS = {
  chrome: "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync " +
    "--disable-background-networking --disable-component-update",
  firefox: "",
};
const SERVE = "run --allow-net=127.0.0.1 --allow-read=dist examples/explorer/serve.ts " +
  "dist/explorer 0";

let server: Deno.ChildProcess, address: string, browser: Browser;
const kind = "chrome";

Deno.test.beforeAll(async () => {
  server = new Deno.Command(Deno.execPath(), { args: SERVE.split(" "), stdout: "piped" }).spawn();
  const reader = server.stdout.getReader();
  address = new TextDecoder().decode((await reader.read()).value).match(/http:\S+/)?.[0] ?? "";
  await reader.cancel();
  browser = await puppeteer.launch({
    browser: kind,
    executablePath: "/usr/bin/" + PLACES[kind][0],
    args: FLAGS[kind].split(" "),
  });
});

Deno.test.afterAll(async () => {
  await browser?.close();
  server?.kill();
  await server?.status;
});

function visit(name: string, path: string, body: (page: Page) => Promise<void>) {
  Deno.test({
    name,
    sanitizeOps: false, // the browser outlives a test
    sanitizeResources: false,
    async fn() {
      const context = await browser.createBrowserContext(), page = await context.newPage();
      page.setDefaultTimeout(8_000);
      const wrong: string[] = [];
      page.on("console", (said) => said.type() === "error" && wrong.push(said.text()));
      page.on("pageerror", (error) => wrong.push(String(error)));
      await page.setViewport({ width: 1280, height: 900 });
      await page.goto(address + path);
      await body(page);
      assertEquals(wrong, []);
      await context.close();
    },
  });
}

const square = (name: string) => `#board [aria-label^=${name}]`;
const click = (page: Page, selector: string) => page.locator(selector).click();
const count = (page: Page, selector: string) => page.$$eval(selector, (found) => found.length);
const fen = (page: Page) => page.$eval("#fen", (input) => (input as HTMLInputElement).value);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until an element shows a text. */
async function shows(page: Page, selector: string, text: string): Promise<void> {
  let seen: string | null = "";
  for (let tries = 0; tries < 80; tries++, await sleep(100)) {
    seen = await page.$eval(selector, (element) => element.textContent).catch(() => "");
    if (seen?.includes(text)) return;
  }
  assertStringIncludes(seen ?? "", text);
}

async function play(page: Page, ...moves: string[]): Promise<void> {
  for (const move of moves) {
    await click(page, square(move.slice(0, 2)));
    await click(page, square(move.slice(2)));
  }
}

visit(
  "a promotion that waits while the engine moves is given up",
  "#2bqk3/P4ppp/2n2n2/4p3/4P3/2N2N2/5PPP/3QKB2_w_-_-_0_1",
  async (page) => {
    await click(page, "#engine-move");
    await play(page, "a7a8").catch(() => {});
    await sleep(1500);
    await page.$eval("#promotion button", (button) => button.click());
    await sleep(300);
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await shows(page, "#status", "Black to move");
    assertEquals(await count(page, "#moves button"), 1);
  },
);

visit("a right-click ends a drag", "", async (page) => {
  await click(page, "#new");
  const box = (await (await page.$(square("e2")))!.boundingBox())!;
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 50, box.y - 30, { steps: 3 });
  assertEquals(await count(page, "#board .dragged"), 1);
  await page.mouse.down({ button: "right" });
  assertEquals(await count(page, "#board .dragged"), 0);
  await page.mouse.up({ button: "right" });
  await page.mouse.up();
  assertEquals(await fen(page), new Board().fen());
});

visit("perft of a mate ends", "#R5k1/5ppp/8/8/8/8/8/K7_b_-_-_0_1", async (page) => {
  await page.$eval("#look-perft", (radio) => (radio as HTMLInputElement).click());
  await click(page, "#count");
  await shows(page, "#leaves", "0 leaves");
  await shows(page, "#count", "Count");
});

visit("nothing moves while the engine thinks, which can be stopped", "", async (page) => {
  await click(page, "#new");
  await page.select("#engine-time", "5000");
  await click(page, "#engine-answers");
  await play(page, "e2e4");
  await play(page, "e7e5");
  assertEquals(await fen(page), new Board().play("e2e4").fen());
  await click(page, "#engine-move"); // which says Stop now
  await sleep(200);
  assertEquals(await fen(page), new Board().play("e2e4").fen());
});

visit("undo takes back the engine's answer and the move it answered", "", async (page) => {
  await click(page, "#new");
  await page.select("#engine-time", "300");
  await click(page, "#engine-answers");
  await play(page, "e2e4");
  await shows(page, "#status", "White to move");
  await click(page, "#undo");
  assertEquals(await fen(page), new Board().fen());
  await click(page, "#redo");
  assertEquals(await count(page, "#moves button"), 2);
  await shows(page, "#status", "White to move");
});

visit(
  "a link without a position is a new game",
  "#8/8/8/8/8/5k2/5p2/5K2_w_-_-_0_1",
  async (page) => {
    await page.evaluate(() => location.hash = "");
    await shows(page, "#status", "White to move");
    assertEquals(await fen(page), new Board().fen());
    await shows(page, "#error", "");
    assertEquals(await page.$eval("#error", (p) => p.textContent), "");
  },
);

visit("reloading keeps the game", "", async (page) => {
  await click(page, "#new");
  await play(page, "e2e4", "e7e5", "g1f3");
  await click(page, "#undo");
  await page.reload();
  assertEquals(await count(page, "#moves button"), 3);
  assertEquals(await fen(page), new Board().play("e2e4").play("e7e5").fen());
  assert(await page.$eval("#redo", (button) => !(button as HTMLButtonElement).disabled));
});
