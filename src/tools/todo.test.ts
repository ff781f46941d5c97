import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { asId } from "../core/ids.ts";
import type { Todo } from "../core/todo.ts";
import { toolBox } from "./registry.ts";
import { type TodoSource, todoTool } from "./todo.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

/** The tool over a list in memory, with how often it was written. */
function lists() {
  let todos: readonly Todo[] = [];
  let writes = 0;
  const source: TodoSource = {
    get: async () => todos,
    async change(_session, _turn, next) {
      writes += 1;
      todos = next(todos);
      return todos;
    },
  };
  const box = toolBox([todoTool(source)], {
    session: asId<"ses">("ses_1"),
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
    cwd: "/repo",
    clock: fakeClock(),
    ask: () => assert.fail("a list asked for permission"),
    inquire: async () => undefined,
  });
  return {
    todo: (args: unknown) => box.call("todo", args, new AbortController().signal),
    now: () => todos,
    writes: () => writes,
  };
}

describe("todo", () => {
  test("nothing reads the list and writes nothing", async () => {
    const { todo, writes } = lists();
    assert.deepEqual(await todo({}), { ok: true, output: "The list is empty." });
    assert.equal(writes(), 0);
  });

  test("a list takes the place of the old one, and is told back with marks", async () => {
    const { todo, now } = lists();
    await todo({ todos: [{ id: "old", content: "goes" }] });
    const { output } = await todo({
      todos: [
        { id: "a", content: "read", status: "completed" },
        { id: "b", content: "write", status: "in_progress" },
        { id: "c", content: "test" },
        { id: "d", content: "skip", status: "cancelled" },
      ],
    });
    assert.equal(output, "1 of 4 done\n[x] a: read\n[>] b: write\n[ ] c: test\n[-] d: skip");
    assert.deepEqual(
      now().map(({ id }) => id),
      ["a", "b", "c", "d"],
    );
  });

  test("merge changes what it names in its place, and adds the rest", async () => {
    const { todo } = lists();
    await todo({ todos: ["a", "b"].map((id) => ({ id, content: `do ${id}` })) });
    const { output } = await todo({
      todos: [
        { id: "c", content: "do c" },
        { id: "a", content: "do a", status: "completed" },
      ],
      merge: true,
    });
    assert.equal(output, "1 of 3 done\n[x] a: do a\n[ ] b: do b\n[ ] c: do c");
  });

  test("changes sent together build on each other", async () => {
    const { todo, now } = lists();
    const ids = Array.from({ length: 20 }, (_, n) => `t${n}`);
    await Promise.all(ids.map((id) => todo({ todos: [{ id, content: id }], merge: true })));
    assert.deepEqual(
      now().map(({ id }) => id),
      ids,
    );
  });

  test("the same id twice, too many, and unknown states change nothing", async () => {
    const { todo, writes } = lists();
    const item = { id: "a", content: "x" };
    const twice = await todo({ todos: [item, item] });
    assert.match(twice.output, /two items have the id "a"/);
    const full = Array.from({ length: 100 }, (_, n) => ({ ...item, id: `n${n}` }));
    await todo({ todos: full });
    assert.match((await todo({ todos: [item], merge: true })).output, /at most 100/);
    assert.equal((await todo({ todos: [{ ...item, status: "paused" }] })).ok, false);
    assert.equal(writes(), 1);
  });
});
