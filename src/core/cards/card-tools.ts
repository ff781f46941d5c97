import type { BlockKind, CardState } from "./cards.ts";

/** What models say with the tools of a board, as their arguments come. */
export type CardsWanted = {
  readonly board?: string | undefined;
  readonly states?: readonly CardState[] | undefined;
  readonly limit?: number | undefined;
};

export type SaidBlock = {
  readonly kind: BlockKind;
  readonly reason: string;
  readonly minutes?: number | undefined;
  readonly card?: string | undefined;
};

export type WantedCard = {
  readonly title: string;
  readonly body?: string | undefined;
  readonly parents?: readonly string[] | undefined;
  readonly workspace?: string | undefined;
  readonly priority?: number | undefined;
};

/** Those of a worker are for reporting on its own card. */
export const workersTools: ReadonlySet<string> = new Set([
  "kanban_show",
  "kanban_complete",
  "kanban_block",
  "kanban_heartbeat",
  "kanban_comment",
  "kanban_create",
]);

/** A session that hands out work looks, makes and links; what only a worker may say is not its to say. */
export const orchestratorsTools: ReadonlySet<string> = new Set([
  "kanban_show",
  "kanban_list",
  "kanban_comment",
  "kanban_create",
  "kanban_link",
  "kanban_unblock",
]);
