// Serves a folder on this machine alone.
//
//     deno run --allow-net --allow-read examples/explorer/serve.ts <folder> [port]

const [folder, port = "8000", ...rest] = Deno.args;
if (folder === undefined || !/^\d{1,5}$/.test(port) || Number(port) > 65535 || rest.length > 0) {
  console.error(`Expected a folder and a port from 0 to 65535, got ${JSON.stringify(Deno.args)}`);
  Deno.exit(2);
}

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  ts: "text/plain; charset=utf-8", // to be read, not to be run
};

function refuse(status: number, why: string, headers: HeadersInit = {}): Response {
  return new Response(why + "\n", { status, headers });
}

async function answer(request: Request): Promise<Response> {
  // Another name for this machine may be somebody's trick to read it from another page.
  const host = request.headers.get("host") ?? "";
  if (!/^(127\.0\.0\.1|localhost)(:\d{1,5})?$/.test(host)) return refuse(400, "Bad host");
  if (request.method !== "GET" && request.method !== "HEAD") {
    return refuse(405, "Only GET and HEAD", { allow: "GET, HEAD" });
  }
  const path = new URL(request.url).pathname, name = path === "/" ? "index.html" : path.slice(1);
  const type = TYPES[name.split(".").pop()!], file = `${folder}/${name}`;
  if (!/^\w+\.\w+$/.test(name) || type === undefined) return refuse(404, "Not found");
  try {
    if ((await Deno.lstat(file)).isSymlink) return refuse(404, "Not found"); // it may lead anywhere
    return new Response(await Deno.readFile(file), { headers: { "content-type": type } });
  } catch {
    return refuse(404, "Not found");
  }
}

async function handle(request: Request): Promise<Response> {
  const response = await answer(request);
  response.headers.set("cache-control", "no-cache");
  response.headers.set("x-content-type-options", "nosniff");
  return response;
}

const onListen = ({ port }: Deno.NetAddr) =>
  console.log(`The explorer is at http://127.0.0.1:${port}/`);
try {
  Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen }, handle);
} catch (error) {
  if (!(error instanceof Deno.errors.AddrInUse)) throw error;
  console.error(`Expected a free port, got ${port}; name another: deno task explorer 8001`);
  Deno.exit(1);
}
