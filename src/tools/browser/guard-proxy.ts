import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, type LookupFunction, type Socket, connect } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { http } from "../../lib/http.ts";
import { type Checked, type NetGuard, plainHost } from "../net/guard.ts";

/** The only way from the browser to the network. */
export type GuardProxy = AsyncDisposable & {
  readonly server: string;
  readonly username: string;
  readonly password: string;
  /** Why this place was not let through when it was last asked for. */
  refusal(host: string, port: number): string | undefined;
};

const username = "browser";
const keptRefusals = 200;

/**
 * A forward proxy on loopback. Every target is judged by the guard, and connected to at the address that was judged;
 * without the secret nobody gets anything, so no other program of the machine can use it.
 */
export async function startGuardProxy(guard: NetGuard): Promise<GuardProxy> {
  const password = randomBytes(24).toString("base64url");
  const refusals = new Map<string, string>();
  const open = new Set<Duplex>();
  const judge: Judge = async (host, port, signal) => {
    const target = hostPortOf(host, port);
    const verdict = await guard.check(host, port, signal);
    refusals.delete(target);
    if ("refused" in verdict) refusals.set(target, verdict.refused);
    for (const oldest of refusals.keys()) if (refusals.size > keptRefusals) refusals.delete(oldest);
    return verdict;
  };
  const isAuthorized = secretCheck(password);
  const server = http().createServer((incoming, answer) => {
    if (!isAuthorized(incoming)) return unauthorised(answer);
    void forward(incoming, answer, judge).catch(() => answer.destroy());
  });
  server.on("connect", (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    if (!isAuthorized(incoming)) return hangUp(client, 407, "Proxy Authentication Required", challenge);
    void tunnel(incoming.url ?? "", client, head, { judge, open }).catch(() => client.destroy());
  });
  server.on("connection", (socket: Socket) => track(open, socket));
  server.on("clientError", (_, socket) => socket.destroy());
  const { port } = await listening(server);
  return {
    server: `http://127.0.0.1:${port}`,
    username,
    password,
    refusal: (host, at) => refusals.get(hostPortOf(host, at)),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

type Judge = NetGuard["check"];

const hostPortOf = (host: string, port: number): string => `${plainHost(host) ?? host}:${port}`;

function secretCheck(password: string): (incoming: IncomingMessage) => boolean {
  const expected = digest(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  return ({ headers }) => timingSafeEqual(digest(headers["proxy-authorization"] ?? ""), expected);
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const challenge = { "proxy-authenticate": 'Basic realm="browser"' };

function unauthorised(answer: ServerResponse): void {
  answer.writeHead(407, { ...challenge, "content-length": 0 });
  answer.end();
}

async function forward(incoming: IncomingMessage, answer: ServerResponse, judge: Judge): Promise<void> {
  const target = URL.parse(incoming.url ?? "");
  if (target?.protocol !== "http:") return refuse(answer, 400, "This proxy takes whole http addresses only.");
  const disconnected = new AbortController();
  answer.once("close", () => disconnected.abort());
  const port = Number(target.port || 80);
  const verdict = await judge(target.hostname, port, disconnected.signal);
  if ("refused" in verdict) return refuse(answer, 403, verdict.refused);
  const outgoing = http().request({
    ...pinnedTo(verdict),
    port,
    method: incoming.method,
    path: `${target.pathname}${target.search}`,
    headers: ["Host", target.host, ...endToEnd(incoming.rawHeaders, ["host"])],
    agent: false,
    signal: disconnected.signal,
  });
  outgoing.on("response", (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.statusMessage ?? "", endToEnd(reply.rawHeaders));
    pipeline(reply, answer, () => {});
  });
  outgoing.on("error", (error) => {
    if (answer.headersSent) answer.destroy();
    if (!answer.headersSent) refuse(answer, 502, `${target.host} could not be reached (${error.message}).`);
  });
  pipeline(incoming, outgoing, () => {});
}

/** Whatever is connected to, it is one of the addresses that were judged. */
function pinnedTo({ others, ...first }: Checked): { readonly host: string; readonly lookup: LookupFunction } {
  const lookup: LookupFunction = (_, { all }, done) =>
    all === true ? done(null, [first, ...others]) : done(null, first.address, first.family);
  return { host: "judged.invalid", lookup };
}

function refuse(answer: ServerResponse, status: number, why: string): void {
  answer.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  answer.end(why);
}

/** Headers that speak of one connection are not passed on, the secret least of all. */
function endToEnd(raw: readonly string[], without: readonly string[] = []): string[] {
  const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((token) => token.trim().toLowerCase()));
  const left = new Set([...oneConnection, ...named, ...without]);
  return pairs.filter(([name]) => !left.has(name.toLowerCase())).flat();
}

const oneConnection = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

type Tunnels = { readonly judge: Judge; readonly open: Set<Duplex> };

async function tunnel(
  authority: string,
  client: Duplex,
  head: Buffer,
  { judge, open }: Tunnels,
): Promise<void> {
  client.on("error", () => client.destroy());
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(authority) ?? [];
  if (host === undefined) return hangUp(client, 400, "Bad Request");
  const disconnected = new AbortController();
  client.once("close", () => disconnected.abort());
  const verdict = await judge(host, Number(port), disconnected.signal);
  if ("refused" in verdict) return hangUp(client, 403, "Forbidden");
  if (disconnected.signal.aborted) return;
  const upstream = connect({ ...pinnedTo(verdict), port: Number(port) });
  track(open, upstream);
  client.once("close", () => upstream.destroy());
  upstream.once("close", () => client.destroy());
  upstream.on("error", () => hangUp(client, 502, "Bad Gateway"));
  upstream.once("connect", () => {
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    upstream.pipe(client);
    client.pipe(upstream);
  });
}

function hangUp(client: Duplex, status: number, words: string, headers: Record<string, string> = {}): void {
  const lines = Object.entries({ ...headers, connection: "close", "content-length": "0" });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  client.on("error", () => client.destroy());
  client.end(`HTTP/1.1 ${status} ${words}\r\n${text}\r\n`);
}

function track(open: Set<Duplex>, socket: Duplex): void {
  open.add(socket);
  socket.once("close", () => open.delete(socket));
}

function listening(server: Server): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, () => {
      server.off("error", reject);
      resolve(server.address() as AddressInfo);
    });
  });
}
