import assert from "node:assert/strict";
import { test } from "node:test";
import type { ByCall, NewOutbox } from "../../core/gateway/tables.ts";
import { StaleLeaseError } from "../store.ts";
import { answer } from "./gateway-world.suite.ts";
import { type Open, type OpenedTurn, done, everything, owner, reply, startTurn } from "./world.suite.ts";

const file = { path: "/copies/a.pdf", name: "a.pdf", mediaType: "application/pdf", bytes: 3 };

export const sendsFile = (
  { turn, session, lease }: OpenedTurn,
  caption = "Here it is.",
): NewOutbox & { readonly byCall: ByCall } => ({
  ...answer(""),
  body: { kind: "file", file, caption },
  turn,
  byCall: { id: "obx_of_the_call", session, epoch: lease.epoch },
});

/** What a call of a turn sends. */
export function outboxByCallTests(open: Open): void {
  test("what a call sends is there once, however often the call is run, and goes out before the answer", async () => {
    await using opened = await open();
    const turn = await startTurn(opened.store);
    const added = await opened.store.outbox.add(sendsFile(turn), 5);
    const { byCall, ...row } = sendsFile(turn);
    assert.deepEqual(added, {
      ...row,
      id: byCall.id,
      at: 5,
      part: 0,
      state: "pending",
      attempts: 0,
      isOpen: false,
    });
    const { outbox, turns } = await opened.reopen();
    assert.deepEqual(await outbox.add(sendsFile(turn, "Said again."), 6), added);
    await turns.end(turn.lease, turn.turn, done, 7, {
      replies: [reply("Done.", { chat: row.chat })],
      tell: false,
    });
    assert.deepEqual(await outbox.add(sendsFile(turn), 8), added);
    const due = await outbox.due(row.surface, row.account);
    assert.deepEqual(
      due.map(({ body }) => body.kind),
      ["file", "answer"],
    );
  });

  test("of a call that is run many times at once, one row comes", async () => {
    await using opened = await open();
    const stores = [opened.store, await opened.another()];
    const turn = await startTurn(opened.store);
    const rows = await Promise.all(
      Array.from({ length: 6 }, (_, at) => stores[at % 2]!.outbox.add(sendsFile(turn, `${at}`), at)),
    );
    assert.equal(new Set(rows.map(({ at }) => at)).size, 1);
    assert.equal((await opened.store.outbox.inState("pending")).length, 1);
  });

  test("nothing is sent by a turn that has ended, or whose session is another one's now", async () => {
    await using opened = await open();
    const { store } = opened;
    const [ended, lost] = [await startTurn(store), await startTurn(store)];
    await store.turns.end(ended.lease, ended.turn, done, 3, { replies: [], tell: false });
    await store.leases.acquire(lost.session, owner(2), 1, () => true);
    const before = await everything(store);
    await assert.rejects(store.outbox.add(sendsFile(ended), 5), /the turn has ended/);
    await assert.rejects(store.outbox.add(sendsFile(lost), 5), StaleLeaseError);
    assert.deepEqual(await everything(store), before);
    assert.deepEqual(await store.outbox.inState("pending"), []);
  });
}
