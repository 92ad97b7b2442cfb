// Serves a folder on this machine alone.
//
//     deno run --allow-net --allow-read examples/explorer/serve.ts <folder> [port]

const [folder, port = "8000", ...rest] = Deno.args;
if (folder === undefined || !/^\d{1,5}$/.test(port) || Number(port) > 65535 || rest.length > 0) {
  console.error(`Expected a folder and a port from 0 to 65535, got ${JSON.stringify(Deno.args)}`);
  Deno.exit(2);
}

const TYPES = { html: "text/html; charset=utf-8", css: "text/css", js: "text/javascript" };

async function answer(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname, name = path === "/" ? "index.html" : path.slice(1);
  const type = TYPES[name.split(".").pop() as keyof typeof TYPES];
  if (!/^\w+\.\w+$/.test(name) || type === undefined) return new Response(null, { status: 404 });
  const file = await Deno.readFile(`${folder}/${name}`).catch(() => undefined);
  return file === undefined
    ? new Response(null, { status: 404 })
    : new Response(file, { headers: { "content-type": type, "cache-control": "no-cache" } });
}

const onListen = ({ port }: Deno.NetAddr) =>
  console.log(`The explorer is at http://127.0.0.1:${port}/`);
try {
  Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen }, answer);
} catch (error) {
  if (!(error instanceof Deno.errors.AddrInUse)) throw error;
  console.error(`Expected a free port, got ${port}; name another: deno task explorer 8001`);
  Deno.exit(1);
}
