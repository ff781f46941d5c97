import type { Card } from "../../core/cards/cards.ts";
import type { Explanation, Runner } from "../../core/work/work.ts";
import { oneLine, short } from "../../core/plain-text.ts";
import { localMinute } from "../../lib/time-zone.ts";
import type { Store } from "../../store/store.ts";
import { workPause } from "../pause.ts";

type Deps = { readonly store: Store; readonly zone: string; readonly runner: Runner };

/** Why a card is where it is, and what would move it. */
export async function whyCard(deps: Deps, typed: string): Promise<Explanation | undefined> {
  const { store } = deps;
  const [card, ...more] = await store.cards.find(typed.toLowerCase());
  if (card === undefined || more.length > 0) return undefined;
  const what = `the card “${short(oneLine(card.title), 80)}”`;
  return { id: card.id, what, state: card.state, ...(await words(deps, card)) };
}

type Words = Pick<Explanation, "why" | "next">;

async function words(deps: Deps, card: Card): Promise<Words> {
  const { store, zone } = deps;
  const show = `\`talaria kanban show ${card.id}\` has all of it.`;
  const [last] = await store.cards.runs({ card: card.id, limit: 1 });
  switch (card.state) {
    case "triage":
      return { why: "a person looks at it first", next: `\`talaria kanban ready ${card.id}\`` };
    case "todo": {
      const parents = (await store.cards.details(card.id))?.parents.filter(
        ({ doneAt }) => doneAt === undefined,
      );
      return { why: `it waits for ${(parents ?? []).map(({ id }) => id).join(", ")}`, next: show };
    }
    case "ready":
      return readyWords(deps);
    case "running":
      return { why: `${card.run} works on it since ${localMinute(zone, last?.claimedAt ?? 0)}`, next: show };
    case "blocked": {
      const { kind = "needs_input", reason = "", until } = card.block ?? {};
      const time = until === undefined ? "" : ` It goes on by itself ${localMinute(zone, until)}.`;
      return { why: `${kind}: ${reason}`, next: `\`talaria kanban unblock ${card.id}\`${time}` };
    }
    case "review":
      return {
        why: "its last attempt has ended without a word that counts, and left its evidence",
        next: `${show} Then \`kanban complete\` or \`kanban reopen\`.`,
      };
    case "done":
    case "archived":
      return { why: last?.summary ?? "a person has said so", next: show };
  }
}

async function readyWords({ store, runner }: Deps): Promise<Words> {
  if ((await workPause(store)) !== undefined)
    return { why: "all work is paused", next: "`talaria work resume` goes on with it." };
  if (runner === "none")
    return {
      why: "no host is running that would work on it",
      next: "`talaria service install`, or `talaria serve`.",
    };
  return {
    why: "it waits for a free worker (work.cards.workers), for its folder, or for the budget of the day",
    next: "`talaria work status` says what of the budgets is left.",
  };
}
