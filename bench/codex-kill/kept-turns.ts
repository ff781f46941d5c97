import { join } from "node:path";
import { unaskedSurface } from "../../src/agent/news.ts";
import type { Item } from "../../src/core/items.ts";
import type { StoredTurn } from "../../src/core/session.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Place } from "./place.ts";

/** A turn as it is on our disk. */
export type Kept = {
  readonly turn: StoredTurn;
  /** What the person said. */
  readonly words: string;
  readonly items: readonly Item[];
};

/** Without those that codex is the cause of: that something ended with it is nobody's words. */
export async function keptTurns({ job }: Place): Promise<readonly Kept[]> {
  await using store = await openSqliteStore(join(job.home, "talaria.db"));
  const messages = await store.sessions.messages(job.session);
  const found: Kept[] = [];
  for (const turn of await store.sessions.turns(job.session)) {
    if ((await store.inbox.get(turn.inbox))?.key.surface === unaskedSurface) continue;
    const row = messages.find((each) => each.turn === turn.id && each.message.role === "user");
    const words = typeof row?.message.content === "string" ? row.message.content : "";
    found.push({ turn, words, items: await store.turns.items(turn.id) });
  }
  return found;
}

export const itemIds = (turns: readonly Kept[]): readonly string[] =>
  turns.flatMap(({ items }) => items.map(({ id }) => String(id)));
