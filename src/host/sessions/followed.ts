import type { Envelope } from "../../core/events.ts";
import type { Follower, Listener, Unsubscribe } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";

type Subscribe = (session: SessionId, listener: Listener, by?: Follower) => Unsubscribe;

/** What happens in a session from this call on, until the reader leaves or the signal says so. */
export function followed(
  subscribe: Subscribe,
  session: SessionId,
  by: Follower | undefined,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<Envelope> {
  const unread: Envelope[] = [];
  let wake = (): void => {};
  let over = false;
  const unsubscribe = subscribe(session, (event) => (unread.push(event), wake()), by);
  const end = (): void => {
    over = true;
    unread.length = 0;
    unsubscribe();
    wake();
  };
  if (signal?.aborted === true) end();
  signal?.addEventListener("abort", end, { once: true });
  return {
    async next() {
      while (unread.length === 0 && !over) await new Promise<void>((resolve) => (wake = resolve));
      const value = unread.shift();
      return value === undefined ? { done: true, value: undefined } : { done: false, value };
    },
    async return() {
      end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
