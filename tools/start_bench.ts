// A cold start, in a fresh process for each iteration: nothing is compiled, no table is built. The
// process is started before the clock, and ready when it says so. See bench.ts.
//
// To start programs it needs a permission, which `deno task bench` gives.

const { state } = Deno.permissions.querySync({ name: "run", command: Deno.execPath() });
if (state !== "granted") console.log("A cold start is left out: measure it with `deno task bench`");
const module = new URL("../mod.ts", import.meta.url).href;

/** Measures some code on a fresh process, in which other code has run before. */
function coldBench(name: string, before: string, code: string): void {
  const script = `const say = (text) => Deno.stdout.writeSync(new TextEncoder().encode(text));
    ${before}
    say("ready");
    Deno.stdin.readSync(new Uint8Array(1));
    ${code}
    say("done");`;
  Deno.bench(name, { n: 10, warmup: 1, ignore: state !== "granted" }, async (clock) => {
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

// Deno would load in advance what it finds imported by a literal.
const load = `const url = ${JSON.stringify(module)}, { Board } = await import(url);`;
coldBench("a fresh process answers", "", "");
coldBench("it imports the module", "", load);
coldBench("its first board and moves()", load, "new Board().moves();");
coldBench("its first perft(4): 197,281 leaves", load, "new Board().perft(4);");
