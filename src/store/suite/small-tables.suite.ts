import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Open, owner, startTurn } from "./world.suite.ts";

export const smallTableTests = (open: Open): void => {
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
