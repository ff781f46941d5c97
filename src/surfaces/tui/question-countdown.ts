import type { Clock } from "../../lib/clock.ts";

/** The turn says when a question is over; this long after that nobody speaks of it any more. */
const graceMs = 5_000;

export interface Countdown extends Disposable {
  /** Whole seconds; 0 when time is up, `undefined` when it never is. */
  left(): number | undefined;
  /** Counts on to another end, or stops. */
  to(expiresAt: number | undefined): void;
}

/** `onTick` whenever the number changes, `onGone` once when the end has long passed. */
export function countdown(clock: Clock, onTick: () => void, onGone: () => void): Countdown {
  let end: number | undefined;
  let stop = new AbortController();
  const remaining = (): number => (end ?? Infinity) - clock.now();
  const wait = (ms: number, then: () => void): void => void clock.sleep(ms, stop.signal).then(then, () => {});
  const next = (): void => {
    const ms = remaining();
    if (!Number.isFinite(ms)) return;
    if (ms <= 0) return wait(Math.max(0, ms + graceMs), onGone);
    wait(ms - (Math.ceil(ms / 1000) - 1) * 1000, () => {
      onTick();
      next();
    });
  };
  return {
    left: () => (Number.isFinite(remaining()) ? Math.max(0, Math.ceil(remaining() / 1000)) : undefined),
    to(expiresAt) {
      stop.abort();
      stop = new AbortController();
      end = expiresAt;
      next();
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}
