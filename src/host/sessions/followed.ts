import type { InputOf } from "../../core/calls.ts";
import type { Envelope } from "../../core/events.ts";
import type { Follower, Listener, Unsubscribe } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";

type Subscribe = (session: SessionId, listener: Listener, by?: Follower, elsewhere?: boolean) => Unsubscribe;

/** What happens in a session from this call on, until the reader leaves or the signal says so. */
export function followed(
  subscribe: Subscribe,
  { session, by, elsewhere }: InputOf<"sessions.follow">,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<Envelope> {
  const queue = {
    unread: [] as Envelope[],
    over: signal?.aborted === true,
    wake: Promise.withResolvers<void>(),
  };
  const hear = (event: Envelope): void => {
    queue.unread.push(event);
    queue.wake.resolve();
  };
  const unsubscribe = queue.over ? undefined : subscribe(session, hear, by, elsewhere);
  const leave = (): void => {
    queue.over = true;
    unsubscribe?.();
    queue.wake.resolve();
  };
  signal?.addEventListener("abort", leave, { once: true });
  return {
    async next() {
      while (queue.unread.length === 0 && !queue.over) {
        await queue.wake.promise;
        queue.wake = Promise.withResolvers();
      }
      const value = queue.over ? undefined : queue.unread.shift();
      return value === undefined ? { done: true, value: undefined } : { done: false, value };
    },
    async return() {
      leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
