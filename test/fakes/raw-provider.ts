import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { onLoopback } from "../loopback.ts";

/** What a server puts on the wire, byte for byte, and what it does then. */
export type RawReply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** `reset` closes the connection in the middle of the answer, `hang` keeps it open and silent, `drop` never answers. */
  readonly after?: "end" | "reset" | "hang" | "drop";
};

export type RawRequest = { readonly headers: IncomingHttpHeaders; readonly body: string };

export type RawProvider = AsyncDisposable & {
  /** The base address for a route. */
  readonly url: string;
  readonly requests: readonly RawRequest[];
  /** Until there were so many requests. */
  waitFor(count: number): Promise<void>;
};

/** A model server on loopback that answers each request with the next reply, and with the last one from then on. */
export async function startRawProvider(
  replies: readonly RawReply[],
  onHang: () => void = () => {},
): Promise<RawProvider> {
  const requests: RawRequest[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    arrivals.emit("request");
    const reply = replies[Math.min(requests.length, replies.length) - 1] ?? {};
    if (reply.after === "drop") return void response.destroy();
    response.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers });
    response.flushHeaders();
    await new Promise((resolve) => response.write(reply.body ?? "", resolve));
    if (reply.after === "reset") return void response.destroy();
    if (reply.after === "hang") return onHang();
    response.end();
  }
  const bound = await onLoopback(server);
  return {
    url: `${bound.origin}/v1`,
    requests,
    async waitFor(count) {
      while (requests.length < count) await once(arrivals, "request");
    },
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}
