import type { TurnId } from "../core/ids.ts";
import type { StoredTurn } from "../core/session.ts";

/** The turns that the person took back. */
export const undoneTurns = (turns: readonly Pick<StoredTurn, "id" | "undone">[]): ReadonlySet<TurnId> =>
  new Set(turns.filter(({ undone }) => undone === true).map(({ id }) => id));
