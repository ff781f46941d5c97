import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";

/**
 * Silence after which codex is asked whether it is still at work, counted from the last word of the thread. With an item
 * open a longer silence is normal: commands and tools take their time.
 */
const probesAfterMs = {
  idle: [30_000, 60_000, 120_000, 240_000],
  itemOpen: [60_000, 120_000, 240_000],
} as const;

/** Calls back when the thread has been silent long enough for the next probe. Silence alone never ends a turn. */
export function watchQuiet(
  clock: Clock,
  activity: () => { readonly lastMs: number; readonly itemOpen: boolean },
  onQuiet: () => void,
): Disposable {
  const over = new AbortController();
  void (async () => {
    let probes = 0;
    let since = activity().lastMs;
    while (!over.signal.aborted) {
      const { lastMs, itemOpen } = activity();
      if (lastMs !== since) probes = 0;
      since = lastMs;
      const due = since + limit(probes, itemOpen);
      const wait = due - clock.monotonic();
      if (wait > 0) {
        await clock.sleep(wait, over.signal);
        continue;
      }
      probes += 1;
      onQuiet();
    }
  })().catch(() => {}); // the sleep was cut short: the turn is over
  return { [Symbol.dispose]: () => over.abort(noLongerNeeded) };
}

/** Past the list the last distance repeats. */
function limit(probes: number, itemOpen: boolean): number {
  const list = itemOpen ? probesAfterMs.itemOpen : probesAfterMs.idle;
  const last = list.length - 1;
  return (list[Math.min(probes, last)] ?? 0) * Math.max(1, probes - last + 1);
}
