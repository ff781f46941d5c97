import type { Clock } from "../lib/clock.ts";
import { noLongerNeeded } from "../lib/no-longer-needed.ts";

/**
 * Past this the turn is ended without its runtime, and what that says later is not kept. Codex has 5 s to answer a Stop and
 * 5 s to say what it is doing instead, and then what is in its file is told.
 */
export const stopGraceMs = 20_000;

/** Reads a source one value after the other. Disposing leaves the source. */
export type StoppableReader<T> = Disposable & {
  /** `undefined`: there are no more, or a source that was stopped did not end in time. */
  next(): Promise<T | undefined>;
};

/** So that a stuck runtime cannot hold its session for ever. */
export function stoppable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
  clock: Clock,
): StoppableReader<T> {
  const iterator = source[Symbol.asyncIterator]();
  const over = new AbortController();
  let giveUp: (() => void) | undefined;
  let isLate = false;
  const leave = (): void => {
    isLate = true;
    giveUp?.();
  };
  const countDown = (): void => {
    clock.sleep(stopGraceMs, over.signal).then(leave, () => {}); // else it ended by itself in time
  };
  if (signal.aborted) countDown();
  signal.addEventListener("abort", countDown, { once: true });
  return {
    next: () =>
      new Promise((resolve, reject) => {
        giveUp = () => resolve(undefined);
        iterator.next().then((step) => resolve(step.done === true ? undefined : step.value), reject);
        // The time ran out between two reads: only what is there already is read.
        if (isLate) setImmediate(giveUp);
      }),
    [Symbol.dispose]() {
      signal.removeEventListener("abort", countDown);
      over.abort(noLongerNeeded);
      // Not awaited: a source that is stuck would never answer.
      void iterator.return?.()?.catch(() => {});
    },
  };
}
