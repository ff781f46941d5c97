import type { CardRun } from "../../core/cards/cards.ts";
import type { CardRunDeps } from "./parts.ts";

/** How long to wait when something could not be written. */
const troubleMs = 30_000;

/** Steps of attempts that have to be written, whatever is wrong with the store meanwhile: nobody else would bring them again. */
export type Owed = {
  /** Does it now, or as soon as it can be done. Never rejects. */
  settle(run: CardRun["id"], step: () => Promise<void>): Promise<void>;
  /** Tries what is left. Gives when that has to be done again. */
  again(): Promise<number | undefined>;
};

export function owing({ clock, log }: Pick<CardRunDeps, "clock" | "log">): Owed {
  const left = new Map<CardRun["id"], () => Promise<void>>();
  const settle: Owed["settle"] = async (run, step) => {
    try {
      await step();
      left.delete(run);
    } catch (error) {
      left.set(run, step);
      log(`what became of ${run} could not be written yet: ${String(error)}`);
    }
  };
  return {
    settle,
    async again() {
      for (const [run, step] of left) await settle(run, step);
      return left.size === 0 ? undefined : clock.now() + troubleMs;
    },
  };
}
