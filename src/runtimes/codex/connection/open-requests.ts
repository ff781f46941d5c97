import type { Clock } from "../../../lib/clock.ts";
import { noLongerNeeded } from "../../../lib/no-longer-needed.ts";
import { retry } from "../../../lib/retry.ts";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { RpcPeer } from "../../../lib/rpc/rpc-peer.ts";
import { AppServerGone, RequestTimedOut } from "../process/gone.ts";
import type { Gone } from "../process/gone.ts";

export type RequestOptions = {
  readonly signal: AbortSignal;
  /** For each try; codex may answer that it is overloaded, then it is asked again. */
  readonly timeoutMs: number;
};

/** Our questions to codex that have no answer yet. */
export type Requests = {
  /** Rejects with codex's `RpcError`, with `RequestTimedOut`, `AppServerGone`, or the signal's reason. */
  ask(peer: RpcPeer, method: string, params: object, options: RequestOptions): Promise<unknown>;
  /** Everything open rejects now, everything later at once. */
  end(exit: Gone): void;
};

const overloaded = -32001;
/** With pauses of at most 1, 2, 4 and 8 seconds. */
const overloadTries = 5;
const overloadMs = 20_000;

export function requests(clock: Clock): Requests {
  const open = new Set<AbortController>();
  let gone: AppServerGone | undefined;
  let starting = true;

  async function ask(
    peer: RpcPeer,
    method: string,
    params: object,
    { signal, timeoutMs }: RequestOptions,
  ): Promise<unknown> {
    signal.throwIfAborted();
    if (gone !== undefined) throw gone;
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    open.add(stop);
    const startedMs = clock.monotonic();
    try {
      const reply = await retry(() => askOnce(peer, method, params, { stop, timeoutMs, clock }), {
        tries: overloadTries,
        baseMs: 1_000,
        maxMs: 8_000,
        clock,
        signal: stop.signal,
        retryable: (error) =>
          error instanceof RpcError &&
          error.code === overloaded &&
          clock.monotonic() - startedMs < overloadMs,
      });
      starting = false;
      return reply;
    } finally {
      open.delete(stop);
      signal.removeEventListener("abort", abort);
    }
  }

  return {
    ask,
    end(exit) {
      gone = new AppServerGone(exit, { starting });
      for (const stop of open) stop.abort(gone);
    },
  };
}

async function askOnce(
  peer: RpcPeer,
  method: string,
  params: object,
  { stop, timeoutMs, clock }: { stop: AbortController; timeoutMs: number; clock: Clock },
): Promise<unknown> {
  const answered = new AbortController();
  clock.sleep(timeoutMs, answered.signal, { hold: true }).then(
    () => stop.abort(new RequestTimedOut(method, timeoutMs)),
    () => {}, // it was answered
  );
  try {
    return await peer.request(method, params, stop.signal);
  } finally {
    answered.abort(noLongerNeeded);
  }
}
