import type { LiveEvent } from "../../core/event-log.ts";

/** What a follower has to look at next. `log`: something was committed. `missed`: it was too slow for what went on live. */
export type Pending = LiveEvent | "log" | "beat" | "missed";

/** More of them than anybody reads in time; the log keeps what counts. */
const mostLive = 1000;

/** What waits for a reader, bounded: of a slow one's live events none is kept. */
export function pendingEvents() {
  let waiting: Pending[] = [];
  let live = 0;
  let wake: (() => void) | undefined;
  const add = (one: Pending): void => {
    waiting.push(one);
    wake?.();
  };
  return {
    /** Said once, however often it happens until it is looked at. */
    mark(what: "log" | "beat"): void {
      if (what === "beat" ? !waiting.includes(what) : waiting.at(-1) !== what) add(what);
    },
    live(event: LiveEvent): void {
      live += 1;
      if (live <= mostLive) return add(event);
      waiting = ["missed", "log"];
      live = 0;
      wake?.();
    },
    /** Resolves early when nothing is wanted any more; then with nothing. */
    async next(signal: AbortSignal): Promise<Pending | undefined> {
      while (waiting.length === 0 && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        signal.addEventListener("abort", wake, { once: true });
        await promise;
        signal.removeEventListener("abort", wake);
      }
      if (signal.aborted) return undefined;
      const next = waiting.shift();
      if (typeof next === "object") live -= 1;
      return next;
    },
  };
}
