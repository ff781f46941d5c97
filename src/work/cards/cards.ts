import { type Card, type CardId, type NewCard, defaultBoard } from "../../core/cards/cards.ts";
import type { CardTable } from "../../store/schema/card-table.ts";
import type { NewOutcome } from "../../store/schema/work-tables.ts";
import type { Actor, Command, No } from "./command.ts";
import { decide } from "./decide.ts";
import { newCard } from "./new-card.ts";

/** What can be done with cards. Every word is decided and written in one transaction. */
export type Cards = {
  add(by: Actor & { readonly is: "person" | "orchestrator" }, card: NewCard, at: number): Promise<Card | No>;
  /** `undefined`: there is no such card, or the other one is not on its board. */
  apply(
    actor: Actor,
    id: CardId,
    command: Command,
    at: number,
    /** What the owner is to hear of the card as it is then, written with it. */
    tells?: (next: Card) => NewOutcome | undefined,
  ): Promise<Card | No | undefined>;
};

export const cardsOf = (table: Pick<CardTable, "add" | "change">): Cards => ({
  add(by, card, at) {
    const id = newCardId();
    const { board = defaultBoard, parents = [] } = card;
    return table.add({ board, parents: [...new Set(parents)], at }, (seen) =>
      newCard(seen, by as Extract<Actor, { name: string }>, { ...card, id }),
    );
  },

  apply: (actor, id, command, at, tells) => {
    const other = "parent" in command && command.do !== "unlink" ? command.parent : undefined;
    return table.change({ id, at, ...(other === undefined ? {} : { other }) }, (seen) => {
      const step = decide(seen, actor, command);
      const told = "no" in step ? undefined : tells?.(step.next);
      return told === undefined ? step : { ...step, tells: told };
    });
  },
});

const newCardId = (): CardId => `t_${crypto.randomUUID().replaceAll("-", "").slice(0, 10)}`;
