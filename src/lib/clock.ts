import { noLongerNeeded } from "./no-longer-needed.ts";

/** The only way to know the time or to wait. Wall time is for people and schedules, `monotonic` for durations. */
export type Clock = {
  now(): number;
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. A pending sleep does not keep the process alive unless `hold` is set. */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly hold?: boolean }): Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal, options) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const timer = setTimeout(done, ms);
      if (options?.hold !== true) timer.unref();
      signal?.addEventListener("abort", cancel, { once: true });
      function done(): void {
        signal?.removeEventListener("abort", cancel);
        resolve();
      }
      function cancel(): void {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      }
    }),
};

/** A signal that aborts after `ms`, unless this is disposed of before. `why`: the reason it aborts with. */
export function timeLimit(
  clock: Clock,
  ms: number,
  { why = noLongerNeeded, hold = false }: { readonly why?: Error; readonly hold?: boolean } = {},
): Disposable & { readonly signal: AbortSignal } {
  const late = new AbortController();
  const over = new AbortController();
  clock.sleep(ms, over.signal, { hold }).then(
    () => late.abort(why),
    () => {}, // it was over in time
  );
  return { signal: late.signal, [Symbol.dispose]: () => over.abort(noLongerNeeded) };
}
