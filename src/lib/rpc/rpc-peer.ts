import { RpcError, methodNotFound, parseRpc, rpcCodes } from "./rpc-message.ts";
import type { RpcId } from "./rpc-message.ts";

export type RpcRequest = {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
  /** Aborts when the peer closes: nobody is left to read the answer. */
  readonly signal: AbortSignal;
};

export type RpcPeerOptions = {
  readonly input: AsyncIterable<string>;
  /** Gets one message with its LF, in the order of the calls. If it throws or rejects, the peer closes. */
  readonly write: (line: string) => void | Promise<void>;
  readonly onNotification: (method: string, params: unknown) => void | Promise<void>;
  /** What it returns is the result, what it throws is the error; only an `RpcError` shows its words to the other side. */
  readonly onRequest?: (request: RpcRequest) => unknown;
  readonly onBadLine?: (line: string, why: string) => void;
  /** Hears what a handler threw, unless that was the answer to a request. */
  readonly onHandlerError?: (error: unknown) => void;
};

export type RpcPeer = {
  /** Rejects with `RpcError` (their answer), `PeerClosedError`, or the signal's reason. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** Does nothing once the peer is closed; throws only if `params` is no JSON. */
  notify(method: string, params?: unknown): void;
  /** Resolves, and never rejects, when no more message can come or go. */
  readonly closed: Promise<PeerClosedError>;
  close(reason?: unknown): void;
  /** Lines that were no message, and answers that nobody waited for. */
  counts(): { readonly badLines: number; readonly strayReplies: number };
};

/** No answer will come: the other side is gone, or we closed. `cause` is the reason given. */
export class PeerClosedError extends Error {
  constructor(reason?: unknown) {
    super(
      reason instanceof Error
        ? `The connection is closed: ${reason.message}`
        : `The connection is closed${reason === undefined ? "" : `: ${String(reason)}`}.`,
      { cause: reason },
    );
    this.name = "PeerClosedError";
  }
}

/**
 * One end of a JSON-RPC conversation over lines, in the dialect without a `jsonrpc` field. The reader waits for no
 * handler, so a slow one holds up nobody. When the input ends, everything pending is rejected at once.
 */
export function rpcPeer(options: RpcPeerOptions): RpcPeer {
  const calls = openCalls();
  const counts = { badLines: 0, strayReplies: 0 };
  const closing = new AbortController();
  const closed = Promise.withResolvers<PeerClosedError>();

  function close(reason?: unknown): void {
    if (closing.signal.aborted) return;
    const error = new PeerClosedError(reason);
    calls.rejectAll(error);
    closing.abort(error);
    closed.resolve(error);
  }

  function writeLine(line: string): void {
    if (!closing.signal.aborted) void attempt(() => options.write(line), close);
  }

  const report = (error: unknown): void => void attempt(() => options.onHandlerError?.(error), ignore);

  function route(line: string): void {
    const message = parseRpc(line);
    if (message.kind === "request")
      return void answerTo({ ...message, signal: closing.signal }, options.onRequest, report).then(writeLine);
    if (message.kind === "notification")
      return void attempt(() => options.onNotification(message.method, message.params), report);
    if (message.kind === "bad") {
      counts.badLines += 1;
      return void attempt(() => options.onBadLine?.(line, message.why), report);
    }
    const call = calls.take(message.id);
    if (!call) counts.strayReplies += 1;
    if (message.kind === "error") return call?.reject(message.error);
    call?.resolve(message.result);
  }

  void readLines(options.input, closing.signal, route).then(() => close("the other side ended it"), close);

  return {
    request(method, params, signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (closing.signal.aborted) return Promise.reject(closing.signal.reason as Error);
      const { id, answered } = calls.add(signal);
      try {
        writeLine(encode({ id, method, params }));
      } catch (error) {
        calls.take(id)?.reject(error);
      }
      return answered;
    },
    notify: (method, params) => writeLine(encode({ method, params })),
    closed: closed.promise,
    close,
    counts: () => ({ ...counts }),
  };
}

type Call = Pick<PromiseWithResolvers<unknown>, "resolve" | "reject">;

/** Requests of ours that have no answer yet. Keys keep their type, so an answer to `"1"` is none to `1`. */
function openCalls() {
  const open = new Map<RpcId, Call & { readonly forget: () => void }>();
  let lastId = 0;

  const take = (id: RpcId): Call | undefined => {
    const call = open.get(id);
    call?.forget();
    return call;
  };

  return {
    take,
    add(signal: AbortSignal) {
      const id = (lastId += 1);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const abort = (): void => take(id)?.reject(signal.reason);
      const forget = (): void => {
        open.delete(id);
        signal.removeEventListener("abort", abort);
      };
      open.set(id, { resolve, reject, forget });
      signal.addEventListener("abort", abort, { once: true });
      return { id, answered: promise };
    },
    rejectAll(error: Error) {
      for (const id of open.keys()) take(id)?.reject(error);
    },
  };
}

async function readLines(
  input: AsyncIterable<string>,
  closing: AbortSignal,
  route: (line: string) => void,
): Promise<void> {
  for await (const line of input) {
    if (closing.aborted) return;
    if (line.trim() !== "") route(line);
  }
}

/** Starts at once; whatever goes wrong, then or later, goes to `failed`. */
async function attempt(job: () => void | Promise<void>, failed: (error: unknown) => void): Promise<void> {
  try {
    await job();
  } catch (error) {
    failed(error);
  }
}

/** Exactly one answer. Words of an unexpected exception stay here: they may hold what the other side must not see. */
async function answerTo(
  request: RpcRequest,
  handle: RpcPeerOptions["onRequest"],
  report: (error: unknown) => void,
): Promise<string> {
  const { id, method, signal } = request;
  try {
    if (!handle) throw methodNotFound(method);
    return encode({ id, result: (await handle(request)) ?? null });
  } catch (error) {
    const known = error instanceof RpcError ? encodeError(id, error) : undefined;
    if (known !== undefined) return known;
    if (error !== signal.reason) report(error);
    return encode({ id, error: { code: rpcCodes.internalError, message: "Internal error" } });
  }
}

function encodeError(id: RpcId, { code, message, data }: RpcError): string | undefined {
  try {
    return encode({ id, error: { code, message, data } });
  } catch {
    return undefined; // the data is no JSON
  }
}

/** Throws if the message is no JSON. */
const encode = (message: object): string => `${JSON.stringify(message)}\n`;

const ignore = (): void => {};
