import type { ItemId } from "../../../core/ids.ts";
import type { Item } from "../../../core/items.ts";
import type { Clock } from "../../../lib/clock.ts";
import { isCall } from "../items/item-mapping.ts";
import { note } from "../items/note-mapping.ts";
import { closeLate, observeStray } from "../items/strays.ts";
import type { TurnOptions } from "../items/turn-machine.ts";
import type { AppServer } from "../process/app-server.ts";
import { readThreadTurns } from "../thread/thread-turns.ts";
import { readItem } from "../wire/item.ts";
import type { WireTurn } from "../wire/turn.ts";
import type { Leftovers } from "./leftovers.ts";
import { goneNote } from "./work-text.ts";

type Unloaded = Omit<TurnOptions, "turnId"> & { readonly server: AppServer; readonly clock: Clock };

/**
 * What has become of all that ran on a thread that is being unloaded. Codex tells nobody of it once it was asked to do that,
 * and goes on for a second; what it did then is in its journal.
 */
export async function unloadedItems(
  thread: Unloaded,
  left: Leftovers,
  isClosed: boolean,
): Promise<readonly Item[]> {
  const { server, clock, ...options } = thread;
  if (left.strays.size === 0) return [];
  // A codex that does not close it does not answer either.
  const turns = isClosed ? await readThreadTurns(server, options.threadId).catch(() => undefined) : undefined;
  const items = turns === undefined ? [unread] : [];
  return [...items, ...missed(turns ?? [], options, left, clock.now()), ...closingItems(left, clock.now())];
}

/** What is still open will not be heard of again. What had begun before the end of its turn is a row there. */
export function closingItems(left: Leftovers, nowMs: number): readonly Item[] {
  const { strays, items } = closeLate(left.strays, nowMs);
  left.strays = strays;
  const ended = left.running().map(({ command }) => command);
  return [...items.map(({ item }) => item), ...(ended.length === 0 ? [] : [goneNote(ended)])];
}

/** What is in the journal of these turns and was never told. */
function missed(
  turns: readonly WireTurn[],
  options: Omit<TurnOptions, "turnId">,
  left: Leftovers,
  nowMs: number,
): readonly Item[] {
  const found: Item[] = [];
  for (const { id: turnId = "", items } of turns) {
    if (!left.strays.has(turnId)) continue;
    for (const item of items.filter(isFinishedCall)) {
      const frame = { method: "item/completed", params: { threadId: options.threadId, turnId, item } };
      const step = observeStray(left.strays, options, frame, nowMs);
      left.strays = step.strays;
      found.push(...step.items.map((event) => event.item));
    }
  }
  return found;
}

/** Words may have another id in the journal than when they were told, and would be told twice. */
function isFinishedCall(item: unknown): boolean {
  const { id, body } = readItem(item);
  return id !== undefined && isCall(body) && body.status !== "inProgress";
}

const unread = note(
  "codex-unread" as ItemId,
  "Codex was told to end what was left running, and did not say whether anything else was done before that. Look at what it may have changed.",
);
