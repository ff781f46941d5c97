import type { Item } from "../../core/items.ts";
import type { Attempt, CardRunDeps } from "./parts.ts";

/** Turns of an attempt that are looked at. */
const mostTurns = 50;

/** All that was done in an attempt, oldest first. */
export async function itemsOf(
  { store }: Pick<CardRunDeps, "store">,
  { run }: Attempt,
): Promise<readonly Item[]> {
  const turns = await store.sessions.lastTurns(run.session, mostTurns);
  const inOrder = turns.toSorted((one, other) => one.startedAt - other.startedAt);
  return (await Promise.all(inOrder.map(({ id }) => store.turns.items(id)))).flat();
}
