import { type CardId, type NewCard, defaultBoard } from "../../core/cards/cards.ts";
import type { CardStep, SeenCard } from "../../store/schema/card-table.ts";
import type { No } from "./command.ts";
import { isDone, no, readyOrTodo } from "./steps.ts";

/** Attempts in a row that may fail before a person has to look. */
const failureLimit = 2;

/** A person's new card, or one of a session that hands out work: ready, unless it waits for others or for a person. */
export function newCard(
  { now, parents }: Pick<SeenCard, "now" | "parents">,
  by: { readonly is: "person" | "orchestrator"; readonly name: string },
  wanted: NewCard & { readonly id: CardId },
): CardStep | No {
  const { id, title, board = defaultBoard, triage = false, parents: asked = [], ...rest } = wanted;
  if (title.trim() === "")
    return no("usage", "A card needs a title.", "Say in a few words what is to be done.");
  const missing = asked.filter((each) => !parents.some((parent) => parent.id === each));
  if (missing.length > 0)
    return no("usage", `There is no card ${missing.join(", ")} on the board ${board}.`, "See `kanban list`.");
  const never = parents.find((parent) => parent.state === "archived" && !isDone(parent));
  if (never !== undefined)
    return no("state", `${never.id} is archived and was never done.`, "Reopen it first.");
  const state = triage ? "triage" : readyOrTodo({ parents });
  const counters = { failures: 0, failureLimit, epoch: 0 };
  return {
    mover: by.is,
    by: by.name,
    what: "add",
    linked: parents.map((parent) => parent.id),
    next: {
      priority: 0,
      workspace: "scratch",
      ...rest,
      id,
      board,
      title: title.trim(),
      state,
      ...counters,
      madeBy: by.name,
      createdAt: now,
      changedAt: now,
    },
  };
}
