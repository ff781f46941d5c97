import type { OutboxTable, ReceivedTable } from "../../src/core/gateway/tables.ts";
import { newId } from "../../src/core/ids.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Store } from "../../src/store/store.ts";

/** Deliberate mistakes in what the tables promise. Each must be noticed. */
export const mutants = {
  "acknowledged before it is stored": (store: Store) => ({ ...store, received: storedLater(store.received) }),
  "sent before its row says so": (store: Store) => ({ ...store, outbox: markedLater(store.outbox) }),
  "sent again without asking": (store: Store) => ({ ...store, outbox: forgetful(store.outbox) }),
} as const satisfies Readonly<Record<string, (store: Store) => Store>>;

export type MutantName = keyof typeof mutants;

/** Long enough for the platform to hear that it was taken. */
const laterMs = 400;

/** Says that it is there, and puts it there a little later; what it is made of is taken up at the next start. */
const storedLater = (received: ReceivedTable): ReceivedTable => ({
  ...received,
  async add(message, at) {
    void systemClock
      .sleep(laterMs, undefined, { hold: true })
      .then(() => received.add(message, at))
      .catch(() => {});
    return { row: { id: newId("rcv", at), message, receivedAt: at, state: "received" }, fresh: false };
  },
});

/** What is being sent looks as if it waited. */
const markedLater = (outbox: OutboxTable): OutboxTable => ({
  ...outbox,
  async move(id, from, to, also, lease) {
    if (to === "sending") return true;
    await outbox.move(id, ["pending", "refused"], "sending", also, lease);
    return outbox.move(id, from, to, also, lease);
  },
});

/** Takes everything for unsent that was being sent when the process before ended. */
function forgetful(outbox: OutboxTable): OutboxTable {
  const own = new Set<string>();
  return {
    ...outbox,
    async due(surface, account) {
      const rows = await outbox.due(surface, account);
      const left = rows.filter(({ id, state }) => state === "sending" && !own.has(id));
      for (const { id, at } of left) await outbox.move(id, ["sending"], "pending", { at });
      return left.length === 0 ? rows : outbox.due(surface, account);
    },
    async move(id, from, to, also, lease) {
      if (to === "sending") own.add(id);
      return outbox.move(id, from, to, also, lease);
    },
  };
}
