import type { Clock } from "../lib/clock.ts";

export type Limited<T> =
  | { readonly end: "done"; readonly value: T }
  | { readonly end: "late" }
  | { readonly end: "stopped" };

/** Whoever ends it first, the work, its time or Stop: afterwards the other two are told to end as well. */
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
