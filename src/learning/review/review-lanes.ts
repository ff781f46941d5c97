import type { SessionId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";

/** Work beside conversations, one at a time in each session. */
export interface ReviewLanes<T> extends AsyncDisposable {
  /** `undefined`: it was stopped before it began, or broke down. Never rejects. */
  run(session: SessionId, work: (signal: AbortSignal) => Promise<T | undefined>): Promise<T | undefined>;
  /** Ends what runs and what waits. Resolves when it has stopped, and soon in any case. */
  stop(session: SessionId): Promise<void>;
  sessions(): ReadonlySet<SessionId>;
}

const patienceMs = 2_000;

export function reviewLanes<T>(clock: Clock, log: (line: string) => void): ReviewLanes<T> {
  const underWay = new Map<SessionId, { stop: AbortController; done: Promise<T | undefined> }>();
  const closing = new AbortController();
  return {
    run(session, work) {
      const last = underWay.get(session);
      // They share a controller: stopping the last one stops those before it.
      const stop = last === undefined || last.stop.signal.aborted ? new AbortController() : last.stop;
      const signal = AbortSignal.any([stop.signal, closing.signal]);
      const begin = async (): Promise<T | undefined> => {
        await last?.done;
        return signal.aborted ? undefined : work(signal);
      };
      const entry = {
        stop,
        done: begin()
          .catch((error: unknown) => void log(`review of ${session}: ${String(error)}`))
          .finally(() => {
            if (underWay.get(session) === entry) underWay.delete(session);
          }),
      };
      underWay.set(session, entry);
      return entry.done;
    },
    async stop(session) {
      const running = underWay.get(session);
      if (running === undefined) return;
      running.stop.abort(noLongerNeeded);
      await waitAtMost(clock, running.done);
    },
    sessions: () => new Set(underWay.keys()),
    async [Symbol.asyncDispose]() {
      closing.abort(noLongerNeeded);
      await waitAtMost(clock, Promise.all([...underWay.values()].map(({ done }) => done)));
    },
  };
}

async function waitAtMost(clock: Clock, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  const timeout = clock.sleep(patienceMs, enough.signal, { hold: true }).catch(() => {}); // the work was faster
  await Promise.race([work, timeout]);
  enough.abort(noLongerNeeded);
}
