import type { Clock } from "../lib/clock.ts";
import { noLongerNeeded } from "../lib/no-longer-needed.ts";

/**
 * Calls `expire` once nothing was heard for `limitMs`. Time in which our own reader is busy does not count:
 * `pause` when it turns away, `resume` when it listens again.
 */
export function watchIdle(clock: Clock, limitMs: number, expire: () => void): IdleWatch {
  const stop = new AbortController();
  let nap = new AbortController();
  let limit = limitMs;
  let since = clock.monotonic();
  let paused = false;
  const touch = (): void => {
    since = clock.monotonic();
  };
  async function wait(): Promise<void> {
    for (;;) {
      const left = paused ? limit : since + limit - clock.monotonic();
      if (left <= 0) return expire();
      await clock.sleep(left, AbortSignal.any([stop.signal, nap.signal])).catch(() => {});
      stop.signal.throwIfAborted();
    }
  }
  void wait().catch(() => {}); // it only rejects when the watch is over
  return {
    touch,
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
      touch();
    },
    setLimit(ms) {
      if (limit === ms) return;
      limit = ms;
      nap.abort(noLongerNeeded);
      nap = new AbortController();
    },
    [Symbol.dispose]: () => stop.abort(noLongerNeeded),
  };
}

export type IdleWatch = Disposable & {
  /** Something was heard. */
  touch(): void;
  pause(): void;
  resume(): void;
  /** From now on the limit is `ms`. */
  setLimit(ms: number): void;
};

/** Calls `ring` after `ms`, unless it is disposed of before. */
export function alarm(clock: Clock, ms: number, ring: () => void): Disposable {
  const stop = new AbortController();
  clock.sleep(ms, stop.signal).then(ring, () => {});
  return { [Symbol.dispose]: () => stop.abort(noLongerNeeded) };
}
