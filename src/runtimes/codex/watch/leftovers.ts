import type { Clock } from "../../../lib/clock.ts";
import { noLongerNeeded } from "../../../lib/no-longer-needed.ts";
import type { Running } from "../../../core/events.ts";
import { type Strays, noStrays, runningIn } from "../items/strays.ts";
import { plainCommand } from "./plain-command.ts";

/** What the turns of one thread have left behind, for whoever reads its frames just now. */
export type Leftovers = {
  strays: Strays;
  running(): readonly RunningItem[];
  /** Resolves when none of these runs any more, or when that takes too long. */
  ended(ids: readonly string[], clock: Clock): Promise<void>;
  /** To be called after every frame. */
  changed(): void;
  /** Resolves with the next frame. */
  nextChange(): Promise<void>;
};

/** `item`: codex's id of the command. */
export type RunningItem = Running & { readonly item: string };

const patienceMs = 3_000;

export function leftovers(): Leftovers {
  let news = Promise.withResolvers<void>();
  const left: Leftovers = {
    strays: noStrays,
    running: () =>
      [...runningIn(left.strays)].flatMap(([item, { body, sinceMs, startedAtMs = sinceMs }]) =>
        body.type === "commandExecution"
          ? [{ id: body.process ?? item, item, command: plainCommand(body.command), since: startedAtMs }]
          : [],
      ),
    async ended(ids, clock) {
      const over = new AbortController();
      const late = clock.sleep(patienceMs, over.signal).then(
        () => over.abort(noLongerNeeded),
        () => {}, // they have ended in time
      );
      while (!over.signal.aborted && ids.some((id) => runningIn(left.strays).has(id))) {
        await Promise.race([news.promise, late]);
      }
      over.abort(noLongerNeeded);
    },
    nextChange: () => news.promise,
    changed() {
      news.resolve();
      news = Promise.withResolvers();
    },
  };
  return left;
}
