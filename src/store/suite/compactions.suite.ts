import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NewCompaction } from "../../core/compaction.ts";
import { StaleLeaseError } from "../store.ts";
import { type Open, newSession, nobodyIsGone, owner, say, startTurn } from "./world.suite.ts";

export const compaction = (also: Partial<NewCompaction> = {}): NewCompaction => ({
  upTo: 1,
  seen: 2,
  pinned: [],
  at: 5,
  ...also,
});

export const compactionTests = (open: Open): void => {
  describe("compactions", () => {
    test("are listed in the order they were made, as they were made, and the rows stay", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store);
      await say(store, turn, "one", "two");
      const before = await store.sessions.messages(turn.session);
      const first = await store.compactions.add(turn.lease, compaction());
      const whole = compaction({
        summary: "S — 😀",
        pinned: ["never", "a 'quote'"],
        focus: "tests",
        model: "mine/m",
        previous: first.id,
      });
      const second = await store.compactions.add(turn.lease, whole);
      await store.compactions.add((await startTurn(store)).lease, compaction());
      assert.deepEqual(second, { ...whole, id: second.id, session: turn.session });
      const again = await opened.reopen();
      assert.deepEqual(await again.compactions.list(turn.session), [first, second]);
      assert.deepEqual(await again.sessions.messages(turn.session), before);
      assert.deepEqual(await again.compactions.list(newSession().id), []);
    });

    test("can be taken back, once, and only by who has the session", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store);
      const other = await startTurn(store);
      const made = await store.compactions.add(turn.lease, compaction());
      assert.equal(await store.compactions.remove(other.lease, made.id), false);
      assert.equal(await store.compactions.remove(turn.lease, made.id), true);
      assert.equal(await store.compactions.remove(turn.lease, made.id), false);
      const next = await store.compactions.add(turn.lease, compaction());
      assert.ok(next.id > made.id, "the name of one that is gone is not used again");
    });

    test("of somebody who has lost the session are refused", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, session } = await startTurn(store);
      await store.leases.acquire(session, owner(2), 90_000, nobodyIsGone);
      await assert.rejects(store.compactions.add(lease, compaction()), StaleLeaseError);
      await assert.rejects(store.compactions.pin(lease, "a"), StaleLeaseError);
      await assert.rejects(store.compactions.remove(lease, 1), StaleLeaseError);
      await assert.rejects(store.compactions.unpin(lease, "a"), StaleLeaseError);
      assert.deepEqual(await store.compactions.list(session), []);
    });

    test("go with their session, and so do pins", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, session } = await startTurn(store);
      await store.compactions.add(lease, compaction());
      await store.compactions.pin(lease, "a");
      await store.sessions.delete(session);
      assert.deepEqual(await store.compactions.list(session), []);
      assert.deepEqual(await store.compactions.pins(session), []);
    });
  });

  describe("pins", () => {
    test("are kept once each, in their order, until they are taken away", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, session } = await startTurn(store);
      for (const line of ["b", "a", "b"]) await store.compactions.pin(lease, line);
      assert.deepEqual(await store.compactions.pins(session), ["b", "a"]);
      assert.equal(await store.compactions.unpin(lease, "b"), true);
      assert.equal(await store.compactions.unpin(lease, "b"), false);
      assert.deepEqual(await (await opened.reopen()).compactions.pins(session), ["a"]);
    });
  });
};
