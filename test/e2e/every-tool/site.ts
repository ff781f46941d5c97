import { createServer } from "node:http";
import { onLoopback } from "../../loopback.ts";
import { png } from "../../fakes/media-service-pictures.ts";

/** What tools reach on loopback: a page to read, a page to use, a picture, and a search engine (SearXNG). */
export type Site = AsyncDisposable & { readonly url: string; readonly hostPort: string };

export async function startSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const send = (type: string, body: string | Buffer): void => {
      response.writeHead(200, { "content-type": type });
      response.end(body);
    };
    if (pathname === "/heron") return send("text/html; charset=utf-8", article);
    if (pathname === "/form") return send("text/html; charset=utf-8", form);
    if (pathname === "/heron.png") return send("image/png", png(8, 6));
    if (pathname === "/favicon.ico") return send("image/png", png(1, 1));
    if (pathname !== "/search") {
      response.writeHead(404);
      return void response.end("nothing here");
    }
    const query = searchParams.get("q") ?? "";
    const found = { title: `About ${query}`, url: `${url}/heron`, content: `All there is about ${query}.` };
    return send("application/json", JSON.stringify({ query, results: [found] }));
  });
  const bound = await onLoopback(server);
  const hostPort = `127.0.0.1:${bound.port}`;
  const url = `http://${hostPort}`;
  return {
    url,
    hostPort,
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}

const paragraphs = Array.from(
  { length: 6 },
  (_, n) =>
    `<p>The heron stands still in the reeds for ${n + 2} minutes, and then it fishes. It is grey.</p>`,
).join("");

const article = `<!doctype html><html><head><title>Herons</title></head>
<body><nav>Menu</nav><article><h1>Herons</h1>${paragraphs}</article></body></html>`;

const form = `<!doctype html><html><head><title>A form</title></head><body>
<h1>Say something</h1><label>Words <input id="words"></label><button id="say">Say it</button>
<p id="said"></p><img src="/heron.png" alt="a heron">
<script>
  console.log("the form is ready");
  say.onclick = () => (said.textContent = "You said " + words.value);
</script>
<div style="height: 3000px"></div></body></html>`;
