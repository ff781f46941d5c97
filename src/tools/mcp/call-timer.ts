import type { Clock } from "../../lib/clock.ts";

/** The time that a call may take. It stands still while a person is asked. */
export type CallTimer = Disposable & {
  /** Aborts when it is used up. */
  readonly signal: AbortSignal;
  whileAsking<T>(wait: () => Promise<T>): Promise<T>;
};

const longestMs = 2 ** 31 - 1;

export function callTimer(clock: Clock, ms: number): CallTimer {
  const late = new AbortController();
  let left = Math.min(ms, longestMs);
  let since = 0;
  let asking = 0;
  let running = new AbortController();
  const run = (): void => {
    since = clock.monotonic();
    running = new AbortController();
    clock.sleep(left, running.signal, { hold: true }).then(
      () => late.abort(new Error("its time is used up")),
      () => {}, // it stands still, or is over
    );
  };
  const pause = (): void => {
    running.abort();
    left = Math.max(0, left - (clock.monotonic() - since));
  };
  let isOver = false;
  run();
  return {
    signal: late.signal,
    async whileAsking(wait) {
      if (asking === 0) pause();
      asking += 1;
      try {
        return await wait();
      } finally {
        asking -= 1;
        if (asking === 0 && !isOver) run();
      }
    },
    [Symbol.dispose]() {
      isOver = true;
      running.abort();
    },
  };
}
