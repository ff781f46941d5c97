import type { Clock } from "./clock.ts";

export type RetryOptions = {
  /** How often the job may run in all. */
  readonly tries: number;
  /** Longest pause after the first failure; it doubles with each further one, up to `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** From 0 to below 1. */
  readonly random?: () => number;
  /** Whether trying again may help. `afterMs` is when, as the other side asked for it; it is not shortened to `maxMs`. */
  readonly retryable: (error: unknown) => boolean | { readonly afterMs: number };
};

/**
 * Runs the job until it succeeds, and rejects with its last error. Each pause is a random part of the longest one, so
 * that many callers do not come back together. An abort rejects with the signal's reason.
 */
export async function retry<T>(job: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { tries, clock, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await job(attempt);
    } catch (error) {
      signal.throwIfAborted();
      const verdict = attempt < tries && options.retryable(error);
      if (verdict === false) throw error;
      const pause = verdict === true ? backoff(attempt, options) : verdict.afterMs;
      await clock.sleep(pause, signal, { hold: true });
    }
  }
}

function backoff(attempt: number, { baseMs, maxMs, random = Math.random }: RetryOptions): number {
  return random() * Math.min(maxMs, baseMs * 2 ** (attempt - 1));
}
