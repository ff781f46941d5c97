import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Open, done, owner, startTurn } from "./world.suite.ts";

export const smallTableTests = (open: Open): void => {
  describe("outbox", () => {
    test("a reply moves only from the state it is in, and each sending is counted", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn } = await startTurn(store);
      const replies = [
        { part: 0, surface: "telegram", chat: "1", body: "a" },
        { part: 1, surface: "slack", chat: "2", body: "b" },
      ];
      await store.turns.end(lease, turn, done, 1, { replies, tell: false });
      const parts = async (...asked: Parameters<typeof store.outbox.inState>) =>
        (await store.outbox.inState(...asked)).map(({ part }) => part);
      assert.deepEqual(await parts("pending"), [0, 1]);
      assert.deepEqual(await parts("pending", "slack"), [1]);

      const first = { turn, part: 0 };
      assert.equal(await store.outbox.move(first, "sending", "sent"), false);
      assert.equal(await store.outbox.move(first, "pending", "sending"), true);
      assert.equal(await store.outbox.move(first, "pending", "sending"), false);
      assert.equal(await store.outbox.move(first, "sending", "pending"), true);
      assert.equal(await store.outbox.move(first, "pending", "sending"), true);
      assert.equal(await store.outbox.move(first, "sending", "sent", "msg-9"), true);
      assert.deepEqual(await store.outbox.inState("sent"), [
        { ...replies[0], turn, state: "sent", attempts: 2, platformId: "msg-9" },
      ]);
      assert.deepEqual(await parts("pending"), [1]);
      assert.equal(await store.outbox.move({ turn, part: 5 }, "pending", "sending"), false);
    });

    test("of two who take a reply at once, one sends it", async () => {
      await using opened = await open();
      const { lease, turn } = await startTurn(opened.store);
      const replies = [{ part: 0, surface: "telegram", chat: "1", body: "a" }];
      await opened.store.turns.end(lease, turn, done, 1, { replies, tell: false });
      const stores = [opened.store, await opened.another()];
      const took = await Promise.all(
        stores.map((store) => store.outbox.move({ turn, part: 0 }, "pending", "sending")),
      );
      assert.deepEqual(took.toSorted(), [false, true]);
    });
  });

  describe("bindings", () => {
    test("a binding belongs to a session, a runtime and a folder, and can be forgotten", async () => {
      await using opened = await open();
      const { bindings } = opened.store;
      const { lease, session } = await startTurn(opened.store);
      assert.equal(await bindings.load(session, "codex", "/a"), undefined);
      await bindings.save(lease, "codex", "/a", { thread: "old" });
      await bindings.save(lease, "codex", "/a", { thread: "t-1", n: [1, null] });
      await bindings.save(lease, "codex", "/b", "t-2");
      await bindings.save(lease, "loop", "/a", null);
      assert.deepEqual(await bindings.load(session, "codex", "/a"), { thread: "t-1", n: [1, null] });
      assert.equal(await bindings.load(session, "codex", "/b"), "t-2");
      assert.equal(await bindings.load(session, "loop", "/a"), null);
      await bindings.save(lease, "codex", "/a", undefined);
      const again = await opened.reopen();
      assert.equal(await again.bindings.load(session, "codex", "/a"), undefined);
      assert.equal(await again.bindings.load(session, "codex", "/b"), "t-2");
    });
  });

  describe("processes", () => {
    test("a child is remembered until it is removed, told apart by its start time and its machine", async () => {
      await using opened = await open();
      const child = { pid: 7, startTime: "a", kind: "codex", owner: owner() };
      await opened.store.processes.add(child);
      await opened.store.processes.add(child);
      await opened.store.processes.add({ ...child, startTime: "b", owner: owner(2) });
      const elsewhere = { ...child, owner: { ...owner(), host: "elsewhere" } };
      await opened.store.processes.add(elsewhere);
      await opened.store.processes.remove(child);
      await opened.store.processes.remove({ ...child, pid: 8, startTime: "b" });
      assert.deepEqual(await (await opened.reopen()).processes.list(), [
        elsewhere,
        { ...child, startTime: "b", owner: owner(2) },
      ]);
    });
  });

  describe("meta", () => {
    test("a value is kept under its key until another one takes its place", async () => {
      await using opened = await open();
      assert.equal(await opened.store.meta.get("k"), undefined);
      await opened.store.meta.set("k", "1");
      await opened.store.meta.set("k", "2");
      assert.equal(await (await opened.reopen()).meta.get("k"), "2");
    });
  });

  describe("closing", () => {
    test("lets the writes that are under way end, and takes no more", async () => {
      await using opened = await open();
      const writes = ["a", "b", "c"].map((key) => opened.store.meta.set(key, "v"));
      await opened.store[Symbol.asyncDispose]();
      await Promise.all(writes);
      await assert.rejects(opened.store.meta.set("d", "v"));
      await opened.store[Symbol.asyncDispose]();
      const again = await opened.reopen();
      assert.deepEqual(await Promise.all(["a", "b", "c", "d"].map(again.meta.get)), [
        "v",
        "v",
        "v",
        undefined,
      ]);
    });
  });
};
