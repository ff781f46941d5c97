import type { CardRun } from "../../core/cards/cards.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { cardsOf } from "../cards/cards.ts";
import { beatMs, claimMs } from "./claim-time.ts";
import type { CardRunDeps, Holding } from "./parts.ts";

/** The claims of this process, which are renewed while it lives. A worker whose claim somebody else has is stopped. */
export function holding({ store, agent, clock, log }: CardRunDeps): Holding {
  const held = new Map<CardRun["id"], AbortController>();
  const cards = cardsOf(store.cards);

  async function keepUp(
    { id, card, session }: Parameters<Holding["hold"]>[0],
    over: AbortSignal,
  ): Promise<void> {
    for (;;) {
      const slept = await clock.sleep(beatMs, over).then(
        () => true,
        () => false,
      );
      if (!slept) return;
      // A store that cannot write just now says nothing about who has the card.
      const said = await cards
        .apply({ is: "worker", run: id }, card, { do: "heartbeat", ttlMs: claimMs }, clock.now())
        .catch((error: unknown) => void log(`the claim of ${id}: ${String(error)}`));
      if (said === undefined || !("no" in said)) continue;
      log(`${id} has lost its card: ${said.message}`);
      held.delete(id);
      await agent.stop(session).catch((error: unknown) => log(`stopping ${session}: ${String(error)}`));
      return;
    }
  }

  return {
    hold(attempt) {
      if (held.has(attempt.id)) return;
      const over = new AbortController();
      held.set(attempt.id, over);
      void keepUp(attempt, over.signal);
    },
    has: (run) => held.has(run),
    letGo(run) {
      held.get(run)?.abort(noLongerNeeded);
      held.delete(run);
    },
    held: () => [...held.keys()],
  };
}
