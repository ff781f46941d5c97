import type { Clock } from "./clock.ts";

export type Limited<T> =
  | { readonly end: "done"; readonly value: T }
  | { readonly end: "late" }
  | { readonly end: "stopped" };

/** Ends with whatever comes first: the work, its time limit or a Stop. The other two are then told to end as well. */
export async function withinTime<T>(
  ms: number,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Limited<T>> {
  const over = new AbortController();
  const inner = AbortSignal.any([signal, over.signal]);
  const time = clock.sleep(Math.min(ms, longestSleepMs), inner, { hold: true }).then(
    (): Limited<T> => ({ end: "late" }),
    (): Limited<T> => ({ end: "stopped" }),
  );
  try {
    const done = work(inner).then((value): Limited<T> => ({ end: "done", value }));
    return await Promise.race([done, time]);
  } finally {
    over.abort(new Error("it is over"));
  }
}

/** Timers that are set for longer end at once. */
const longestSleepMs = 2 ** 31 - 1;

/** Waits for the work until the signal aborts, and then rejects with its reason. The work itself goes on. */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([stopped.promise, work]).finally(() => signal.removeEventListener("abort", stop));
}
