import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { systemClock, type Clock } from "../../../src/lib/clock.ts";
import { onLoopback } from "../../loopback.ts";
import { makeApi, type Trace } from "./api.ts";
import { makeFaults, type Call, type CallFault, type Faults } from "./faults.ts";
import { deliver, makeGateway, type Gateway } from "./gateway.ts";
import { people, type People } from "./people.ts";
import type { Answer } from "./posting.ts";
import { makePresses } from "./presses.ts";
import { makeWorld, type ApiUser, type World } from "./world.ts";

/**
 * Discord on this machine: the REST API and the gateway's socket, with its limits, and with faults on demand. `api` is what
 * the setting `gateway.discord.api` wants.
 */
export type FakeDiscord = AsyncDisposable &
  People & {
    readonly api: string;
    readonly token: string;
    readonly bot: ApiUser;
    readonly world: World;
    readonly gateway: Gateway;
    readonly faults: Faults;
    readonly trace: Trace;
    /** All calls of the REST API, oldest first; those that went wrong, too. */
    readonly calls: readonly Call[];
    /** Resolves with the next call that fits, tried on `POST /channels/1/messages`. */
    called(pattern: RegExp): Promise<Call>;
    /** Tells of messages that are there, in this order, and as often as they are named. */
    deliver(channel: string, ids: readonly string[]): void;
  };

export type FakeDiscordOptions = {
  readonly clock?: Clock;
  /** How often the client is to say that it is there. */
  readonly heartbeatMs?: number;
  /** Where it has its API: nothing is answered elsewhere. */
  readonly root?: string;
};

export async function startDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const { clock = systemClock, heartbeatMs = 41_250, root = "/api" } = options;
  const token = "MTA.fake.token";
  const world = makeWorld(clock);
  const faults = makeFaults();
  const trace: Trace = { typing: [], rung: [] };
  const calls: Call[] = [];
  const waiting = new Set<{ readonly pattern: RegExp; readonly heard: (call: Call) => void }>();
  let origin = "";
  const presses = makePresses(world, () => gateway);
  const api = makeApi({ world, gateway: () => gateway, presses, trace, token, origin: () => origin });

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", origin);
    if (url.pathname.startsWith("/attachments/")) return sendFile(world, url, response);
    if (!url.pathname.startsWith(`${root}/v10/`))
      return void response.writeHead(404).end("404 page not found");
    const call = await readCall(request, url, root);
    calls.push(call);
    const fault = faults.of(call);
    for (const one of waiting) {
      if (!one.pattern.test(`${call.method} ${call.path}`)) continue;
      waiting.delete(one);
      one.heard(call);
    }
    reply(response, fault, () => api(fault?.kind === "fileless" ? { ...call, files: [] } : call));
  }
  const gateway = makeGateway(server, world, {
    token,
    heartbeatMs,
    url: () => `${origin.replace("http", "ws")}/gateway`,
  });
  const listening = await onLoopback(server);
  ({ origin } = listening);

  return {
    api: origin,
    token,
    bot: world.bot,
    world,
    gateway,
    faults,
    trace,
    calls,
    called: (pattern) => new Promise((heard) => waiting.add({ pattern, heard })),
    deliver: (channel, ids) => deliver(world, gateway, channel, ids),
    ...people(world, gateway, presses, () => origin),
    async [Symbol.asyncDispose]() {
      gateway[Symbol.dispose]();
      await listening[Symbol.asyncDispose]();
    },
  };
}

async function readCall(request: IncomingMessage, url: URL, root: string): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  const base = {
    method: request.method ?? "GET",
    path: url.pathname.slice(`${root}/v10`.length),
    query: url.searchParams,
    authorization: request.headers.authorization,
  };
  if (!type.startsWith("multipart/form-data")) {
    return {
      ...base,
      body: bytes.length === 0 ? undefined : (JSON.parse(String(bytes)) as unknown),
      files: [],
    };
  }
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const json = form.get("payload_json");
  const files = [...form.values()].filter((value) => typeof value !== "string");
  return {
    ...base,
    body: typeof json === "string" ? (JSON.parse(json) as unknown) : {},
    files: await Promise.all(
      files.map(async (file) => ({ name: file.name, type: file.type, bytes: await file.bytes() })),
    ),
  };
}

function reply(response: ServerResponse, fault: CallFault | undefined, work: () => Answer): void {
  switch (fault?.kind) {
    case undefined:
    case "fileless":
      return write(response, work());
    case "held":
      return write(response, { status: 429, body: heldBody(fault) }, heldHeaders(fault));
    case "status": {
      const { status, code = 0, message = `${status}` } = fault;
      return write(response, { status, body: { message, code } });
    }
    case "html":
      response.writeHead(fault.status, { "content-type": "text/html" });
      return void response.end("<html>error</html>");
    case "hang":
      return;
    case "hang after":
      return void work();
    case "half": {
      const text = JSON.stringify(work().body ?? {});
      response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
      return void response.write(text.slice(0, text.length / 2));
    }
    case "drop":
      return void response.destroy();
    case "drop after":
      work();
      return void response.destroy();
  }
}

type Held = Extract<CallFault, { readonly kind: "held" }>;
const heldBody = ({ seconds, global = false }: Held): unknown => ({
  message: "You are being rate limited.",
  retry_after: seconds,
  global,
});
const heldHeaders = ({
  seconds,
  global = false,
  bucket = false,
  bare = false,
}: Held): Record<string, string> => ({
  ...(bare ? {} : { "retry-after": String(seconds) }),
  "x-ratelimit-scope": global ? "global" : "user",
  ...(global ? { "x-ratelimit-global": "true" } : {}),
  ...(bucket
    ? { "x-ratelimit-limit": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": String(seconds) }
    : {}),
});

/** An answer without a body says nothing of its type. */
function write(
  response: ServerResponse,
  { status, body }: Answer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...headers,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function sendFile(world: World, url: URL, response: ServerResponse): void {
  const file = world.files.get(url.pathname);
  if (file === undefined || file.expiresAt <= world.now()) {
    response.writeHead(404, { "content-type": "text/plain" });
    return void response.end("This content is no longer available.");
  }
  response.writeHead(200, { "content-type": file.type || "application/octet-stream" });
  response.end(file.bytes);
}
