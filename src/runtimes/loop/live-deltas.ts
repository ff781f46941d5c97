import type { TurnEvent } from "../../core/events.ts";
import type { ItemId } from "../../core/ids.ts";

/** What calls that run side by side write, as events between those of the calls. */
export type LiveDeltas = {
  of(item: ItemId): (text: string) => void;
  /** Passes on what comes until this has settled, and all that came before. */
  until<T>(done: Promise<T>): AsyncGenerator<TurnEvent, T>;
};

export function liveDeltas(): LiveDeltas {
  const came: TurnEvent[] = [];
  let wake: (() => void) | undefined;
  return {
    of: (item) => (text) => {
      came.push({ type: "delta", item, of: "output", text });
      wake?.();
    },
    async *until(done) {
      let settled = false;
      const settle = (): void => {
        settled = true;
        wake?.();
      };
      done.then(settle, settle);
      for (;;) {
        while (came.length > 0) yield came.shift() as TurnEvent;
        if (settled) return done;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
