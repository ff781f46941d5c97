import type { IncomingMessage } from "node:http";
import { type Readable, pipeline } from "node:stream";
import { http, https } from "../lib/http.ts";

/** What a model is asked through. `fetch` is one of these, but loading it takes a tenth of the time of a start. */
export type Post = (url: URL, request: PostRequest) => Promise<Posted>;

export type PostRequest = {
  readonly method: "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
};

export type Posted = Pick<Response, "ok" | "status" | "body"> & { readonly headers: Pick<Headers, "get"> };

/** As `fetch` does it: resolves with the head of the answer, and all that is aborted rejects with the reason of the signal. */
export const post: Post = (url, { headers, body, signal }) => {
  const { promise, resolve, reject } = Promise.withResolvers<Posted>();
  signal.throwIfAborted();
  if (url.username !== "" || url.password !== "")
    throw new TypeError("the address has a login in it, which is not sent that way");
  const request = (url.protocol === "https:" ? https() : http()).request(url, {
    method: "POST",
    headers: { ...always, ...headers, "content-length": Buffer.byteLength(body) },
  });
  let answer: IncomingMessage | undefined;
  const stop = (): void => void (answer ?? request).destroy(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  request.on("close", () => signal.removeEventListener("abort", stop));
  request.on("error", reject);
  request.on("response", (incoming) => {
    answer = incoming;
    if (incoming.statusCode !== 407) return resolve(posted(incoming, signal));
    reject(new Error("a proxy wants a login")); // not the answer of who was asked
    incoming.resume();
  });
  const late = (): void => void request.destroy(unconnected());
  request.on("socket", (socket) => {
    if (!socket.connecting) return;
    socket.setTimeout(connectMs, late);
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => socket.setTimeout(0, late));
  });
  request.end(body);
  return promise;
};

/** Throws for a header that cannot be sent. White space around a value, as of a key from a file, is not part of it. */
export function sendable(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => {
    const plain = value.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
    http().validateHeaderName(name);
    http().validateHeaderValue(name, plain);
    return [name.toLowerCase(), plain] as const;
  });
  return Object.fromEntries(entries);
}

const always = { "user-agent": "node", "accept-encoding": "gzip, deflate, br" };

/** Without a sign of life, as `fetch` has it. Who takes the connection and then is silent in its TLS is given that twice. */
const connectMs = 10_000;
const unconnected = (): Error => Object.assign(new Error("no connection"), { code: "ETIMEDOUT" });

function posted(incoming: IncomingMessage, signal: AbortSignal): Posted {
  incoming.on("error", () => {}); // whoever reads the body hears of it
  const { statusCode: status = 0, headers } = incoming;
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headers[name]?.toString() ?? null },
    body: webStream(decoded(incoming), signal),
  };
}

function decoded(incoming: IncomingMessage): Readable {
  const zlib = process.getBuiltinModule("node:zlib");
  switch (incoming.headers["content-encoding"]) {
    case "gzip":
    case "x-gzip":
      return pipeline(incoming, zlib.createGunzip(), () => {});
    case "deflate":
      return pipeline(incoming, zlib.createInflate(), () => {});
    case "br":
      return pipeline(incoming, zlib.createBrotliDecompress(), () => {});
    default:
      return incoming;
  }
}

function webStream(body: Readable, signal: AbortSignal): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, unknown, undefined>;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(signal.aborted ? signal.reason : error);
        }
      },
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  );
}
