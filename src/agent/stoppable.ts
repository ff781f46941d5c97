import type { Clock } from "../lib/clock.ts";
import { noLongerNeeded } from "../lib/no-longer-needed.ts";

/** A runtime owes an end within 5 s of Stop; past this the turn is ended without it. */
export const stopGraceMs = 10_000;

/**
 * The same values, but a source that does not end in time after `signal` aborts is left behind: the iteration is then
 * simply over, so that a stuck runtime cannot hold its session for ever.
 */
export async function* stoppable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
  clock: Clock,
): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  const over = new AbortController();
  let giveUp: (() => void) | undefined;
  const countDown = (): void => {
    clock.sleep(stopGraceMs, over.signal).then(
      () => giveUp?.(),
      () => {}, // it ended by itself in time
    );
  };
  if (signal.aborted) countDown();
  signal.addEventListener("abort", countDown, { once: true });
  try {
    for (;;) {
      const step = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
        giveUp = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (step === undefined || step.done === true) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener("abort", countDown);
    over.abort(noLongerNeeded);
    // Not awaited: a source that is stuck would never answer.
    void iterator.return?.()?.catch(() => {});
  }
}
