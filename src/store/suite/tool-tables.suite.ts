import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Todo } from "../../core/todo.ts";
import { type Open, admission, done, hold, newSession, nextTurn, startTurn } from "./world.suite.ts";

const todo = (id: string, status: Todo["status"] = "pending"): Todo => ({ id, content: `do ${id}`, status });
const tool = (name: string, hash: string) => ({ name, hash, definition: { name, says: hash } });

export const toolTableTests = (open: Open): void => {
  describe("todos", () => {
    test("a list is kept, changed from what it is, and survives", async () => {
      await using opened = await open();
      const { session, turn } = await startTurn(opened.store);
      assert.deepEqual(await opened.store.todos.get(session), []);
      await opened.store.todos.change(session, turn, () => [todo("a")]);
      const both = await opened.store.todos.change(session, turn, (now) => [...now, todo("b")]);
      assert.deepEqual(both, [todo("a"), todo("b")]);
      assert.deepEqual(await (await opened.reopen()).todos.get(session), [todo("a"), todo("b")]);
    });

    test("two who change it at once lose nothing", async () => {
      await using opened = await open();
      const { session, turn } = await startTurn(opened.store);
      const stores = [opened.store, await opened.another()];
      await Promise.all(
        stores.flatMap(({ todos }, at) =>
          [0, 1, 2].map((n) => todos.change(session, turn, (now) => [...now, todo(`${at}${n}`)])),
        ),
      );
      assert.equal((await opened.store.todos.get(session)).length, 6);
    });

    test("a turn that is taken back takes its list along, and a fork has the list that holds", async () => {
      await using opened = await open();
      const { store } = opened;
      const first = await startTurn(store);
      await store.todos.change(first.session, first.turn, () => [todo("a")]);
      await store.turns.end(first.lease, first.turn, done, 1, { replies: [], tell: false });
      const second = await nextTurn(store, first.lease, "go on", first.session);
      await store.todos.change(first.session, second.turn, () => [todo("a", "completed")]);
      await store.turns.end(first.lease, second.turn, done, 2, { replies: [], tell: false });
      const fork = newSession();
      await store.sessions.fork(first.lease, { id: fork.id, at: 3 });
      await store.turns.undo(first.lease, [second.turn]);
      assert.deepEqual(await store.todos.get(first.session), [todo("a")]);
      assert.deepEqual(await store.todos.get(fork.id), [todo("a", "completed")]);
    });
  });

  describe("sessions that another one began", () => {
    test("are listed under it alone, and go with it", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session: parent } = await startTurn(store);
      const child = newSession({ parent, surface: "delegate" });
      await store.inbox.admit(admission(child));
      await hold(store, child.id);
      const ids = async (filter: { readonly parent?: typeof parent }) =>
        (await store.sessions.list({ limit: 10, ...filter })).map(({ id }) => id);
      assert.deepEqual(await ids({}), [parent]);
      assert.deepEqual(await ids({ parent }), [child.id]);
      assert.equal((await store.sessions.get(child.id))?.parent, parent);
      assert.equal(await store.sessions.delete(parent), true);
      assert.equal(await store.sessions.get(child.id), undefined);
    });

    test("a session can begin without an input", async () => {
      await using opened = await open();
      const session = newSession({ surface: "mcp" });
      await opened.store.sessions.begin(session, 5);
      await opened.store.sessions.begin(session, 6);
      assert.deepEqual(await opened.store.sessions.get(session.id), {
        ...session,
        createdAt: 5,
        updatedAt: 6,
      });
    });
  });

  describe("tools of MCP servers", () => {
    test("the first sight of a tool holds until a change of it is approved, the very one that was seen", async () => {
      await using opened = await open();
      const { mcpTools } = opened.store;
      await mcpTools.see("one", [tool("a", "1"), tool("b", "1")], 1);
      await mcpTools.see("two", [tool("a", "9")], 1);
      const seen = await mcpTools.see("one", [tool("a", "2")], 2);
      const changed = { hash: "2", definition: { name: "a", says: "2" }, at: 2 };
      assert.deepEqual(
        seen.toSorted((x, y) => x.name.localeCompare(y.name)),
        [
          { server: "one", ...tool("a", "1"), changed },
          { server: "one", ...tool("b", "1") },
        ],
      );
      assert.equal(await mcpTools.approve("one", "a", "3", 3), false);
      assert.equal(await mcpTools.approve("one", "a", "2", 3), true);
      const again = await opened.reopen();
      assert.deepEqual(await again.mcpTools.list("one"), [
        { server: "one", ...tool("a", "2") },
        { server: "one", ...tool("b", "1") },
      ]);
      assert.equal((await again.mcpTools.list()).length, 3);
      await again.mcpTools.forget("one");
      assert.deepEqual(await again.mcpTools.list(), [{ server: "two", ...tool("a", "9") }]);
    });
  });
};
