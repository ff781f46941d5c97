import type { Agent as HttpAgent, ClientRequest, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { http, https } from "../../../lib/http.ts";

/** `isOut`: there was a connection, so the request may have arrived. The address, which has the token in it, is in none of its words. */
export class TransportError extends Error {
  readonly isOut: boolean;
  readonly status: number | undefined;
  constructor(message: string, isOut: boolean, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = "TransportError";
    this.isOut = isOut;
    this.status = status;
  }
}

export type Answer = { readonly status: number; readonly body: Buffer };

export type Ask = {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  readonly signal: Pick<AbortSignal, "aborted" | "addEventListener" | "removeEventListener">;
  /** Of the answer. */
  readonly most: number;
};

export type Connections = Disposable & {
  ask(url: string, ask: Ask): Promise<Answer>;
  /** Those that are open are given up; the next call makes a new one. */
  drop(): void;
};

/** Before the platform would close one that rests, so that nothing is sent into one that is just being closed. */
const restMs = 5_000;

/**
 * Requests over connections of our own, because what became of one that failed depends on how far it came, which a fetch does not say. An
 * abort ends a request at once, whatever the other side does.
 */
export function connections(root: string): Connections {
  const isSecure = root.startsWith("https:");
  const agent: HttpAgent = isSecure
    ? new (https().Agent)({ keepAlive: true, timeout: restMs })
    : new (http().Agent)({ keepAlive: true, timeout: restMs });
  return {
    ask: (url, ask) =>
      new Promise((resolve, reject) => {
        const state = { isOut: false };
        const { method, headers = {} } = ask;
        const request = (isSecure ? https() : http()).request(url, { method, headers, agent });
        const settle = (finish: () => void): void => {
          ask.signal.removeEventListener("abort", stop);
          finish();
        };
        const fail = (message: string, cause?: unknown): void =>
          settle(() => reject(new TransportError(message, state.isOut, { cause })));
        const stop = (): void => {
          fail("it was stopped, or took too long");
          request.destroy();
        };
        watchConnection(request, isSecure, () => (state.isOut = true));
        request.on("error", (error: NodeJS.ErrnoException) =>
          fail(error.code ?? "the connection failed", error),
        );
        request.once("response", (response) => {
          collect(response, ask.most).then(
            (body) => settle(() => resolve({ status: response.statusCode ?? 0, body })),
            (error: Error) => {
              fail(error.message, error);
              request.destroy();
            },
          );
        });
        if (ask.signal.aborted) return stop();
        ask.signal.addEventListener("abort", stop);
        write(request, ask.body, fail);
      }),
    drop: () => agent.destroy(),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function watchConnection(request: ClientRequest, isSecure: boolean, connected: () => void): void {
  request.once("socket", (socket) => {
    if (request.reusedSocket) return connected();
    socket.once(isSecure ? "secureConnect" : "connect", connected);
  });
}

function write(request: ClientRequest, body: Ask["body"], fail: (why: string, cause: unknown) => void): void {
  if (body === undefined || typeof body === "string") return void request.end(body);
  body.once("error", (error) => {
    fail("what was to be sent could not be read", error);
    request.destroy();
  });
  body.pipe(request);
}

async function collect(response: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) throw new Error(`the answer is longer than ${most} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
