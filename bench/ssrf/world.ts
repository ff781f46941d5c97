import { type RequestListener, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type World = AsyncDisposable & {
  /** The same for the canaries and for the public internet. */
  readonly port: number;
  /** Connections to a canary: nobody needs to send anything to have reached it. */
  hits(): number;
  /** Requests that public pages answered. */
  answered(): number;
  /** Where the canaries sit. */
  readonly canaries: readonly string[];
  /** Where the public internet is simulated. */
  readonly internet: string;
};

const internet = "127.0.0.2";

/** Canaries on this machine's own addresses, and beside them a public internet in which every host is one server. */
export async function openWorld(): Promise<World> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const world = await tryWorld();
    if (world !== undefined) return world;
  }
  throw new Error("No port is free on 127.0.0.1, ::1 and 127.0.0.2 alike.");
}

async function tryWorld(): Promise<World | undefined> {
  await using servers = new AsyncDisposableStack();
  const count = { hits: 0, answered: 0 };
  const open = async (
    address: string,
    port: number,
    answer: RequestListener,
  ): Promise<Server | undefined> => {
    const server = createServer(answer);
    const listening = Promise.withResolvers<boolean>();
    server.once("error", () => listening.resolve(false));
    server.listen(port, address, () => listening.resolve(true));
    if (!(await listening.promise)) return undefined;
    servers.defer(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return server;
  };
  const first = await open("127.0.0.1", 0, canary);
  if (first === undefined) return undefined;
  const { port } = first.address() as AddressInfo;
  const second = await open("::1", port, canary);
  const pages = await open(internet, port, (request, response) => {
    count.answered += 1;
    publicPage(request, response);
  });
  if (pages === undefined) return undefined;
  for (const server of [first, second]) server?.on("connection", () => (count.hits += 1));
  const stop = servers.move();
  return {
    port,
    internet,
    canaries: second === undefined ? ["127.0.0.1"] : ["127.0.0.1", "::1"],
    hits: () => count.hits,
    answered: () => count.answered,
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  };
}

const canary: RequestListener = (_request, response) => void response.end("canary");

const publicPage: RequestListener = (request, response) => {
  const [, what, how = "", encoded = ""] = (request.url ?? "").split("/");
  const target = Buffer.from(encoded, "base64url")
    .toString("latin1")
    .replaceAll(/[\r\n]/g, "");
  if (what === "redirect") return void response.writeHead(Number(how), { location: target }).end();
  if (what === "refresh" && how === "header") response.setHeader("refresh", `0; url=${target}`);
  const meta =
    what === "refresh" && how === "meta" ? `<meta http-equiv="refresh" content="0; url=${target}">` : "";
  response
    .writeHead(200, { "content-type": "text/html" })
    .end(`<html><head>${meta}</head><body>page</body></html>`);
};
