import { assertEquals, assertStringIncludes } from "@std/assert";

const SERVER = new URL("serve.ts", import.meta.url).pathname;

/** Sends raw lines, and returns the head and the body of the answer. */
async function ask(port: number, request: string): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(request.replaceAll("\n", "\r\n")));
  return await new Response(connection.readable).text();
}

Deno.test("the server serves its folder, and nothing else", async () => {
  const folder = await Deno.makeTempDir(), site = `${folder}/site`;
  await Deno.mkdir(site);
  await Deno.writeTextFile(`${site}/index.html`, "<p>hello");
  await Deno.writeTextFile(`${folder}/secret.js`, "secret");
  await Deno.symlink(`${folder}/secret.js`, `${site}/link.js`);
  const args = ["run", "--no-lock", "--allow-net", "--allow-read", SERVER, site, "0"];
  const command = new Deno.Command(Deno.execPath(), { args, stdout: "piped", stderr: "piped" });
  const server = command.spawn(), reader = server.stdout.getReader();
  const line = new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  const port = Number(line.match(/:(\d+)\//)?.[1]);
  const get = (start: string, host = `127.0.0.1:${port}`) =>
    ask(port, `${start} HTTP/1.1\nHost: ${host}\nConnection: close\n\n`);
  const status = (answer: string) => Number(answer.split(" ")[1]);

  const page = await get("GET /");
  assertEquals(status(page), 200);
  assertStringIncludes(page, "<p>hello");
  assertStringIncludes(page.toLowerCase(), "x-content-type-options: nosniff");
  const head = await get("HEAD /");
  assertEquals([status(head), head.includes("hello")], [200, false]);
  assertEquals(status(await get("GET /", `localhost:${port}`)), 200);
  const post = await get("POST /");
  assertEquals(status(post), 405);
  assertStringIncludes(post.toLowerCase(), "allow: get, head");
  const paths = ["link.js", "../secret.js", "%2e%2e/secret.js", "none.html", "%", "index.html/"];
  for (const path of paths) {
    const answer = await get(`GET /${path}`);
    assertEquals(status(answer), 404, path);
    assertStringIncludes(answer, "Not found", path);
  }
  for (const host of ["a b", "[::", "example.com", "127.0.0.1:99999x", "@", ""]) {
    assertEquals(status(await get("GET /", host)), 400, host);
  }

  server.kill();
  assertEquals(await new Response(server.stderr).text(), "");
  await server.status;
  await Deno.remove(folder, { recursive: true });
});

Deno.test("what only the browser tests need is not in the lock file that every task downloads", async () => {
  const locks = [
    new URL("../../deno.lock", import.meta.url),
    new URL("deno.lock", import.meta.url),
  ];
  const [all, browsers] = await Promise.all(locks.map((lock) => Deno.readTextFile(lock)));
  assertEquals([all.includes("puppeteer"), browsers.includes("puppeteer")], [false, true]);
});
