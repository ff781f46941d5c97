import type { SaidBy } from "../../agent/index.ts";
import { addressOf, isPlatform } from "../../core/gateway/chat.ts";
import type { PeopleTable, StoredPerson } from "../../core/gateway/tables.ts";

/**
 * Somebody's own row counts first, also when it says that they were put out; whoever has none was let in with their group, which makes
 * nobody an owner.
 */
const ranks: Readonly<Record<StoredPerson["role"], number>> = { guest: 0, member: 1, owner: 2 };

/** Is whoever said this in a chat still let in, with the rights that it was said with? True of whom no chat has let in. */
export async function isStillLetIn(people: Pick<PeopleTable, "get">, said: SaidBy): Promise<boolean> {
  const { from, key } = said;
  if (!isPlatform(from.surface) || from.local || from.role === "program") return true;
  const own = await people.get(from.surface, from.id);
  if (own !== undefined) return own.revokedAt === undefined && ranks[own.role] >= ranks[from.role];
  if (from.role === "owner") return false;
  // A part of a turn goes with the turn.
  if (key.surface !== from.surface) return key.surface === "delegate";
  const { chat } = addressOf({ ...key, surface: from.surface });
  const group = await people.get(from.surface, chat);
  return group !== undefined && group.revokedAt === undefined && ranks[group.role] >= ranks[from.role];
}
