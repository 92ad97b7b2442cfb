// A cold start, in a fresh process for each iteration: nothing is compiled, no table is built. The
// process is started before the clock, and ready when it says so. See bench.ts.
//
// It starts programs, so it needs `deno task bench`; under `deno bench` alone it is left out.

const allowed = Deno.permissions.querySync({ name: "run", command: Deno.execPath() });
const module = new URL("../mod.ts", import.meta.url).href;

/** Measures some code on a fresh process, in which other code has run before. */
function coldBench(name: string, before: string, code: string): void {
  const script = `const say = (text) => Deno.stdout.writeSync(new TextEncoder().encode(text));
    ${before}
    say("ready");
    Deno.stdin.readSync(new Uint8Array(1));
    ${code}
    say("done");`;
  const ignore = allowed.state !== "granted";
  Deno.bench(name, { group: "a fresh process", n: 20, warmup: 1, ignore }, async (clock) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-config", script],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader(), writer = child.stdin.getWriter();
    await reader.read();
    clock.start();
    await writer.write(new Uint8Array(1));
    await reader.read();
    clock.end();
    await Promise.all([writer.close(), reader.cancel(), child.status]);
  });
}

const load = `const { Board } = await import(${JSON.stringify(module)});`;
coldBench("nothing but the question and the answer", "", "");
coldBench("import", "", load);
coldBench("the first board and its moves()", load, "new Board().moves();");
coldBench("the first perft(4): 197,281 leaves", load, "new Board().perft(4);");
