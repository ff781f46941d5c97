import { z } from "zod";
import type { CardCalls } from "../core/cards/card-calls.ts";
import type { InputOf } from "../core/calls.ts";

const noCard = () => ({ card: "t_nothing" });

export const kanbanSamples: { readonly [Name in keyof CardCalls]: () => InputOf<Name> } = {
  "kanban.add": () => ({ title: "Mend the roof" }),
  "kanban.list": () => ({ limit: 5 }),
  "kanban.show": noCard,
  "kanban.comment": () => ({ card: "t_nothing", text: "hello" }),
  "kanban.link": () => ({ card: "t_nothing", parent: "t_none" }),
  "kanban.unlink": () => ({ card: "t_nothing", parent: "t_none" }),
  "kanban.ready": noCard,
  "kanban.block": () => ({ card: "t_nothing", kind: "needs_input", reason: "which?" }),
  "kanban.unblock": noCard,
  "kanban.complete": () => ({ card: "t_nothing", summary: "done" }),
  "kanban.archive": noCard,
  "kanban.reopen": noCard,
  "kanban.workspaces": () => ({}),
  "kanban.boards": () => ({}),
  "kanban.runs": () => ({ limit: 5 }),
};

/** Here nothing is there for these. */
export const noSuchCard: readonly (keyof CardCalls)[] = [
  "kanban.show",
  "kanban.comment",
  "kanban.link",
  "kanban.unlink",
  "kanban.ready",
  "kanban.block",
  "kanban.unblock",
  "kanban.complete",
  "kanban.archive",
  "kanban.reopen",
];

const text = z.string();
const number = z.number();
const row = (fields: z.core.$ZodLooseShape) => z.looseObject(fields);
const rows = (fields: z.core.$ZodLooseShape) => z.array(row(fields));
const cardRow = { id: text, board: text, title: text, state: text, priority: number, workspace: text };

export const kanbanOutputs: Readonly<Record<keyof CardCalls, z.ZodType>> = {
  "kanban.add": row(cardRow),
  "kanban.list": rows(cardRow),
  "kanban.show": row({ ...cardRow, events: rows({ at: number, what: text }) }),
  "kanban.comment": row(cardRow),
  "kanban.link": row(cardRow),
  "kanban.unlink": row(cardRow),
  "kanban.ready": row(cardRow),
  "kanban.block": row(cardRow),
  "kanban.unblock": row(cardRow),
  "kanban.complete": row(cardRow),
  "kanban.archive": row(cardRow),
  "kanban.reopen": row(cardRow),
  "kanban.workspaces": rows({ card: text, path: text, removed: z.boolean() }),
  "kanban.boards": rows({ name: text, createdAt: number, cards: z.record(text, number) }),
  "kanban.runs": rows({ id: text, card: text, epoch: number, claimedAt: number }),
};
