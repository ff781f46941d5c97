import type { FetchLike, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../lib/clock.ts";
import { type Link, type LinkDeps, maxMessageBytes } from "./link.ts";
import type { ServerAddress } from "./settings.ts";
import { brokenOff } from "./trouble.ts";

const goodbyeMs = 2_000;

/**
 * Streamable HTTP. The library sends the person's headers and nothing of ours, follows no redirect to another place, and
 * looks for no login: an address that wants one says so with its 401.
 */
export async function addressLink({ url, headers }: ServerAddress, { clock }: LinkDeps): Promise<Link> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: cappedFetch,
    redirectPolicy: "same-origin",
    reconnectionScheduler: (again, ms) => after(ms, clock, again),
  });
  return {
    transport: answeringBreaks(transport),
    // A request that fails says itself why.
    failureDetail: () => "",
    async [Symbol.asyncDispose]() {
      const over = new AbortController();
      const late = clock.sleep(goodbyeMs, over.signal, { hold: true }).catch(() => {});
      await Promise.race([transport.terminateSession().catch(() => {}), late]);
      over.abort();
      await transport.close().catch(() => {});
    },
  };
}

const cappedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const { status, statusText } = response;
  const body = response.body.pipeThrough(cappedMessages(maxMessageBytes));
  return new Response(body, { status, statusText, headers: response.headers });
};

function after(ms: number, clock: Clock, act: () => void): () => void {
  const cancelled = new AbortController();
  clock.sleep(ms, cancelled.signal).then(act, () => {});
  return () => cancelled.abort();
}

/**
 * The library lets a request wait until its time is up when the stream with its answer breaks off. Here it is an error
 * at once. An answer that did come is not touched: nobody waits for a second one.
 */
function answeringBreaks(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    send(message, { ...options, onRequestStreamEnd: () => broken(transport, message) });
  return transport;
}

function broken(transport: Transport, message: JSONRPCMessage): void {
  if (!("id" in message) || !("method" in message) || message.id === undefined) return;
  const error = { code: brokenOff, message: "the connection broke off before the answer came" };
  transport.onmessage?.({ jsonrpc: "2.0", id: message.id, error });
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Lets bytes through until more than `limit` come without an empty line between them, which is how events of a stream are
 * parted; a JSON body has none. Then the stream breaks.
 */
export function cappedMessages(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let lineChars = 0;
  return new TransformStream({
    transform(chunk, controller) {
      for (let from = 0; from < chunk.length;) {
        const end = chunk.indexOf(lineFeed, from);
        const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
        size += end === -1 ? piece.length : piece.length + 1;
        lineChars += piece.at(-1) === carriageReturn ? piece.length - 1 : piece.length;
        if (size > limit) return controller.error(new Error(`a message is longer than ${limit} bytes`));
        if (end === -1) break;
        if (lineChars === 0) size = 0;
        lineChars = 0;
        from = end + 1;
      }
      controller.enqueue(chunk);
    },
  });
}
