import type { Clock } from "../../src/lib/clock.ts";
import { outsideWorkDone } from "./outside-work.ts";

export type FakeClock = Clock & {
  /** Moves time on. Due sleeps end one by one, in order; what each wakes runs before the next one ends. */
  advance(ms: number): Promise<void>;
  /** How many sleeps have not ended. */
  pending(): number;
};

type Sleeper = { readonly due: number; readonly wake: () => void };

/** Time that stands still until a test moves it. */
export function fakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let elapsed = 0;
  const sleepers = new Set<Sleeper>();

  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    pending: () => sleepers.size,

    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const sleeper: Sleeper = { due: elapsed + Math.max(0, ms), wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", cancel, { once: true });
        function wake(): void {
          signal?.removeEventListener("abort", cancel);
          resolve();
        }
        function cancel(): void {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        }
      }),

    async advance(ms) {
      const target = elapsed + ms;
      await settle();
      for (let next = earliest(sleepers); next && next.due <= target; next = earliest(sleepers)) {
        elapsed = Math.max(elapsed, next.due);
        sleepers.delete(next);
        next.wake();
        await settle();
      }
      elapsed = Math.max(elapsed, target);
    },
  };
}

/** Of equal ones the first in the set, which is the one that started first. */
function earliest(sleepers: ReadonlySet<Sleeper>): Sleeper | undefined {
  let found: Sleeper | undefined;
  for (const sleeper of sleepers) if (!found || sleeper.due < found.due) found = sleeper;
  return found;
}

/** Until nothing more happens unless time passes. */
async function settle(): Promise<void> {
  for (
    let work: Promise<void> | undefined = Promise.resolve();
    work !== undefined;
    work = outsideWorkDone()
  ) {
    await work;
    await noMicrotaskLeft();
  }
}

const noMicrotaskLeft = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
