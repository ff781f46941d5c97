import type { InputOf } from "../../core/calls.ts";
import type { Envelope } from "../../core/events.ts";
import type { Follower, Listener, Unsubscribe } from "../../core/host.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";

type Following = {
  /** What of it is not told to this reader, who has typed it. */
  readonly isOwn: (event: Envelope) => boolean;
  /** The reader has shown what was to be. */
  readonly shown: (turn: TurnId) => void;
};

type Subscribe = (session: SessionId, listener: Listener, by?: Follower, elsewhere?: boolean) => Unsubscribe;

/** What happens in a session from this call on, until the reader leaves or the signal says so. */
export function followed(
  subscribe: Subscribe,
  { session, by, elsewhere }: InputOf<"sessions.follow">,
  signal: AbortSignal | undefined,
  { isOwn, shown }: Following,
): AsyncIterableIterator<Envelope> {
  const queue = {
    unread: [] as Envelope[],
    over: signal?.aborted === true,
    wake: Promise.withResolvers<void>(),
  };
  const hear = (event: Envelope): void => {
    if (isOwn(event)) return;
    queue.unread.push(event);
    if (queue.unread.length > mostUnread) queue.unread = shortened(queue.unread);
    queue.wake.resolve();
  };
  const unsubscribe = queue.over ? undefined : subscribe(session, hear, by, elsewhere);
  const leave = (): void => {
    queue.over = true;
    unsubscribe?.();
    queue.wake.resolve();
  };
  signal?.addEventListener("abort", leave, { once: true });
  let last: Envelope | undefined;
  return {
    async next() {
      // Whoever has left may have done so before it was shown.
      if (last?.type === "notice" && last.receipt === true && !queue.over) shown(last.turn);
      last = undefined;
      while (queue.unread.length === 0 && !queue.over) {
        await queue.wake.promise;
        queue.wake = Promise.withResolvers();
      }
      last = queue.over ? undefined : queue.unread.shift();
      return last === undefined ? { done: true, value: undefined } : { done: false, value: last };
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

/** What a reader may be behind. */
const mostUnread = 4096;

const onlyLive: ReadonlySet<Envelope["type"]> = new Set(["begin", "delta", "status", "usage"]);

/** For somebody who does not keep up: what is said only for screens goes first, then the oldest, and that is told. */
function shortened(unread: readonly Envelope[]): Envelope[] {
  const kept = unread.filter(({ type }) => !onlyLive.has(type));
  if (kept.length <= mostUnread / 2) return kept;
  const rest = kept.slice(-mostUnread / 2);
  const [first] = rest;
  const text =
    "This was not read fast enough, and some of what happened is missing here. The session has all of it.";
  return first === undefined
    ? []
    : [
        { v: 1, seq: 0, session: first.session, turn: first.turn, type: "notice", code: "gap", text },
        ...rest,
      ];
}
