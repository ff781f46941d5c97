import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InputPart } from "../../core/messages.ts";
import { type Store, StaleLeaseError } from "../store.ts";
import {
  type Open,
  type OpenedTurn,
  admission,
  done,
  everything,
  hold,
  nextTurn,
  say,
  startTurn,
  text,
} from "./world.suite.ts";

export function steeredTests(open: Open): void {
  describe("what was said into a turn", () => {
    test("becomes a row of the turn, which is found and has the name of its input", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store);
      const inbox = await sent(store, turn, text("be kindly"));
      await say(store, turn, "working");
      assert.equal(await store.turns.steered(turn.lease, turn.turn, inbox, 70), true);
      await say(store, turn, "kindly done");
      const again = await opened.reopen();
      assert.partialDeepStrictEqual(await again.inbox.get(inbox), { state: "steered", turn: turn.turn });
      const rows = await again.sessions.messages(turn.session);
      assert.deepEqual(
        rows.map(({ message }) => message.content),
        ["hello", "working", "be kindly", "kindly done"],
      );
      const { seq: _, ...row } = rows[2] ?? assert.fail();
      const message = { role: "user", content: "be kindly" } as const;
      assert.deepEqual(row, { turn: turn.turn, item: inbox, at: 70, message });
      const hits = await again.search({ text: "be kindly", limit: 5, roles: ["user"] });
      assert.deepEqual(
        hits.map(({ seq }) => seq),
        [rows[2]?.seq],
      );
      assert.equal((await again.sessions.get(turn.session))?.updatedAt, 70);
    });

    test("keeps its pictures", async () => {
      await using opened = await open();
      const turn = await startTurn(opened.store);
      const parts: readonly InputPart[] = [
        { type: "text", text: "like this" },
        { type: "image", name: "cat.png", mediaType: "image/png", base64: "AAEC" },
      ];
      const inbox = await sent(opened.store, turn, parts);
      await opened.store.turns.steered(turn.lease, turn.turn, inbox, 70);
      assert.deepEqual((await opened.store.sessions.messages(turn.session))[1]?.message.content, parts);
    });

    test("is there once, however often and from wherever it is told", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store);
      const inbox = await sent(store, turn, text("be kind"));
      const stores = [store, await opened.another(), store];
      const kept = await Promise.all(
        stores.map((each) => each.turns.steered(turn.lease, turn.turn, inbox, 70)),
      );
      assert.deepEqual(kept.toSorted(), [false, false, true]);
      assert.equal((await store.sessions.messages(turn.session)).length, 2);
    });

    test("is written also when the turn has ended meanwhile", async () => {
      await using opened = await open();
      const turn = await startTurn(opened.store);
      const inbox = await sent(opened.store, turn, text("be kind"));
      await opened.store.turns.end(turn.lease, turn.turn, done, 60, { replies: [], tell: false });
      assert.equal(await opened.store.turns.steered(turn.lease, turn.turn, inbox, 70), true);
      assert.equal((await opened.store.sessions.messages(turn.session)).length, 2);
    });

    test("is no part of a later turn of the session", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store);
      const inbox = await sent(store, turn, text("be kind"));
      await store.turns.end(turn.lease, turn.turn, done, 60, { replies: [], tell: false });
      const later = await nextTurn(store, turn.lease, "next");
      assert.equal(await store.turns.steered(turn.lease, later.turn, inbox, 70), false);
      assert.equal((await store.inbox.get(inbox))?.state, "unconfirmed");
    });

    test("was sent into this turn, by who holds the session; else nothing is written", async () => {
      await using opened = await open();
      const { store } = opened;
      const [turn, other] = [await startTurn(store), await startTurn(store)];
      const inbox = await sent(store, turn, text("be kind"));
      const waiting = (await store.inbox.admit(admission(turn.session))).row.id;
      const elsewhere = await sent(store, other, text("be kind"));
      const before = await everything(store);
      for (const id of [waiting, elsewhere, turn.inbox])
        assert.equal(await store.turns.steered(turn.lease, turn.turn, id, 70), false);
      await assert.rejects(store.turns.steered(other.lease, turn.turn, inbox, 70));
      const stale = { ...turn.lease, epoch: turn.lease.epoch + 1 };
      await assert.rejects(store.turns.steered(stale, turn.turn, inbox, 70), StaleLeaseError);
      assert.deepEqual(await everything(store), before);
      await store.leases.release(turn.lease);
      await assert.rejects(store.turns.steered(turn.lease, turn.turn, inbox, 70), StaleLeaseError);
      const lease = await hold(store, turn.session, 80);
      assert.equal(await store.turns.steered(lease, turn.turn, inbox, 90), true);
    });
  });
}

/** An input on its way into the turn. */
async function sent(store: Store, { session, turn }: OpenedTurn, input: readonly InputPart[]) {
  const { row } = await store.inbox.admit(admission(session, { input }));
  await store.inbox.move(row.id, "waiting", "unconfirmed", turn);
  return row.id;
}
