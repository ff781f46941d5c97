import type { Config } from "../../config/config.ts";
import type { Store } from "../../store/store.ts";
import type { Closing } from "../closing.ts";
import type { Foundation } from "../foundation.ts";

/** What an event takes in the database, its index included: 136 bytes as measured, and something for notices. */
const bytesPerEvent = 160;
/** So few that nobody waits for it. */
const perStep = 500;
const stepsAtOnce = 20;
const everyMs = 10 * 60_000;

export type RetentionDeps = Pick<Foundation, "clock" | "log" | "longLived"> & {
  readonly store: Pick<Store, "events">;
  readonly loaded: { readonly config: Pick<Config, "events"> };
};

/**
 * Removes the oldest events that are too old or too many, in small steps and beside everything else: one when a process
 * starts, and more of them now and then where it stays.
 */
export function pruneEvents(
  { store, clock, loaded, log, longLived }: RetentionDeps,
  { signal, track }: Pick<Closing, "signal" | "track">,
): void {
  const { keepMs, keepBytes } = loaded.config.events;
  const step = (): Promise<number> =>
    store.events.prune(
      { since: clock.now() - keepMs, events: Math.ceil(keepBytes / bytesPerEvent) },
      perStep,
    );
  const steps = async (most: number): Promise<void> => {
    for (let done = 0; done < most && !signal.aborted; done++) if ((await step()) < perStep) return;
  };
  const failed = (error: unknown): void => log(`old events were not removed: ${String(error)}`);
  const goOn = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal).catch(() => {});
      await steps(stepsAtOnce).catch(failed);
    }
  };
  void track(steps(1).catch(failed));
  if (longLived) void track(goOn());
}
