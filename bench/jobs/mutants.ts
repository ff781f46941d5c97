import type { Store } from "../../src/store/store.ts";
import type { Cards } from "../../src/work/index.ts";
import { person } from "./words.ts";

/** What is wrong on purpose, to see that it is noticed. */
export type Faulty = {
  /** A worker is started, and then its card is claimed. */
  readonly claimsLate?: true;
  readonly cards?: (cards: Cards, table: Store["cards"]) => Cards;
};

export const mutants: Readonly<Record<string, Faulty>> = {
  "claim after dispatch": { claimsLate: true },
  /** Whoever writes as a worker writes for whoever has the card now. */
  "no epoch": {
    cards: (cards, table) => ({
      ...cards,
      async apply(actor, id, command, at) {
        const run = actor.is === "worker" ? (await table.get(id))?.run : undefined;
        return cards.apply(run === undefined ? actor : { is: "worker", run }, id, command, at);
      },
    }),
  },
  "a worker may release its own block": {
    cards: (cards) => ({
      ...cards,
      apply: (actor, id, command, at) =>
        cards.apply(actor.is === "worker" && command.do === "unblock" ? person : actor, id, command, at),
    }),
  },
};
