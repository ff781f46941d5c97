import type { Card, LinkedCard } from "../../core/cards/cards.ts";
import type { CardStep, SeenCard } from "../../store/schema/card-table.ts";
import type { Actor, No } from "./command.ts";

export const no = (kind: No["no"], message: string, next: string): No => ({ no: kind, message, next });

export const isDone = ({ doneAt }: Pick<LinkedCard, "doneAt">): boolean => doneAt !== undefined;

export const open = (cards: readonly LinkedCard[]): readonly LinkedCard[] =>
  cards.filter((card) => !isDone(card));

/** Where a card goes that nothing else stops. */
export const readyOrTodo = ({ parents }: Pick<SeenCard, "parents">): "ready" | "todo" =>
  open(parents).length === 0 ? "ready" : "todo";

export function without(card: Card, ...fields: readonly ("block" | "lastBlock" | "run" | "doneAt")[]): Card {
  const left: Record<string, unknown> = { ...card };
  for (const field of fields) delete left[field];
  return left as Card;
}

/** What is written, with who wrote it. */
export const asStep = (
  { now }: SeenCard,
  actor: Actor,
  what: string,
  next: Card,
  also: Partial<CardStep> = {},
): CardStep => ({
  mover: actor.is,
  ...(actor.is === "worker" ? { run: actor.run } : {}),
  by: nameOf(actor),
  what,
  next: { ...next, changedAt: now },
  ...also,
});

function nameOf(actor: Actor): string {
  switch (actor.is) {
    case "person":
    case "orchestrator":
      return actor.name;
    case "worker":
      return actor.run;
    case "dispatcher":
    case "time":
      return actor.is;
  }
}
