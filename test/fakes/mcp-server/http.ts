import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { Readable } from "node:stream";
import { type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { onLoopback } from "../../loopback.ts";

/** A server over streamable HTTP on this machine, and what it has seen. */
export type HttpServer = AsyncDisposable & {
  readonly url: string;
  /** Of every request, oldest first. */
  readonly headers: readonly Readonly<Record<string, string | string[] | undefined>>[];
  /** Sessions that began. */
  readonly sessions: readonly string[];
  /** As if it had been started anew: it knows none of its sessions any more. */
  forget(): void;
  /** Answers every request with this from now on, or as it should again. */
  misbehave(how: ((request: IncomingMessage, response: ServerResponse) => void) | undefined): void;
};

export async function serveHttp(make: () => McpServer): Promise<HttpServer> {
  const headers: HttpServer["headers"][number][] = [];
  const known = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const sessions: string[] = [];
  let wrong: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  const begin = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.push(id);
        known.set(id, transport);
      },
    });
    await make().connect(transport);
    return transport;
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    headers.push(incoming.headers);
    if (wrong !== undefined) return wrong(incoming, response);
    const id = incoming.headers["mcp-session-id"];
    const session = typeof id === "string" ? known.get(id) : undefined;
    if (typeof id === "string" && session === undefined)
      return void response.writeHead(404).end("no such session");
    const transport = session ?? (await begin());
    await pass(await transport.handleRequest(await asRequest(incoming)), response);
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  const bound = await onLoopback(server);
  return {
    url: `${bound.origin}/mcp`,
    headers,
    sessions,
    forget: () => known.clear(),
    misbehave: (how) => (wrong = how),
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}

async function asRequest(incoming: IncomingMessage): Promise<Request> {
  const body = incoming.method === "POST" ? Buffer.concat(await Array.fromAsync(incoming)) : undefined;
  const { method = "GET", headers } = incoming;
  return new Request(`http://127.0.0.1${incoming.url}`, {
    method,
    headers: headers as Record<string, string>,
    ...(body === undefined ? {} : { body }),
  });
}

async function pass(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) return void response.end();
  response.flushHeaders();
  Readable.fromWeb(answer.body as never)
    .on("error", () => response.destroy())
    .pipe(response);
}
