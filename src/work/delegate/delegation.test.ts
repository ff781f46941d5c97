import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Script, done, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { watch } from "../../../test/fakes/test-agent.ts";
import { asId } from "../../core/ids.ts";
import { messageText } from "../../core/messages.ts";
import { type TaskWorld, endless, nobody, taskWorld, wordsOf } from "./delegation.suite.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

const answers =
  (text: string): Script =>
  (turn) =>
    says(text, turn);

const childrenOf = (it: TaskWorld, parent: Awaited<ReturnType<TaskWorld["handOn"]>>["session"]) =>
  it.home.disk.sessions.list({ limit: 10, parent });

describe("a task that is handed on", () => {
  test("is done in a session of its own, of which only the summary comes back", async () => {
    const heard: string[] = [];
    await using it = await taskWorld({
      "count owls": async function* (turn) {
        heard.push(wordsOf(turn), turn.cwd, turn.model ?? "");
        const id = asId<"itm">(`${turn.id}_c`);
        const call = { id, kind: "call", tool: "read_file", args: { path: "src/a.ts" } } as const;
        yield { type: "begin", item: call };
        yield { type: "item", item: { ...call, callId: "c1", ok: true, output: "secret details" } };
        const counts = { input: 1000, cached: 0, output: 234, reasoning: 0, context: { used: 1234 } };
        yield { type: "usage", ...counts };
        yield { ...done("Three owls.", 1), usage: counts };
      },
    });
    const args = { goal: "count owls", context: "They sleep by day.", runtime: "codex" };
    const { session, result, ended } = await it.handOn(args, { model: "big" });
    const { ok, output } = await result;
    const [child] = await childrenOf(it, session);
    assert.equal(ok, true);
    assert.equal(
      output,
      `Task 1 of 1: done (codex, 1 call, 1,234 tokens, session ${child?.id}).\nThree owls.`,
    );
    assert.match(
      heard[0] ?? "",
      /\nThe task:\ncount owls\n\nWhat you need to know:\nThey sleep by day\.\n\n/,
    );
    assert.deepEqual(heard.slice(1), ["/w", "big"]);
    assert.partialDeepStrictEqual(child, {
      surface: "delegate",
      parent: session,
      runtime: "codex",
      title: "count owls",
    });
    assert.deepEqual(it.lines, [
      "1 ▸ codex · count owls\n",
      "1 ▸ codex · read_file src/a.ts\n",
      "1 ✓ codex · 1 call, 1.2k tokens\n",
    ]);
    assert.equal((await ended)?.outcome, "done");
    const rows = await it.home.disk.sessions.messages(session);
    assert.ok(!rows.some(({ message }) => messageText(message).includes("secret details")));
    assert.deepEqual(await it.home.disk.sessions.list({ limit: 9 }).then((all) => all.map(({ id }) => id)), [
      session,
    ]);
    assert.deepEqual(it.tasks.list(), []);
  });

  test("runs where the settings say, else where the session that handed it on does", async () => {
    await using settled = await taskWorld(
      { a: answers("A."), b: answers("B.") },
      { settings: { runtime: "codex", model: "small" } },
    );
    const first = await settled.handOn({ tasks: [{ goal: "a" }, { goal: "b", runtime: "loop" }] });
    await first.result;
    const both = await childrenOf(settled, first.session);
    assert.deepEqual(both.map(({ title, runtime, model }) => [title, runtime, model]).toSorted(), [
      ["a", "codex", "small"],
      ["b", "loop", "small"],
    ]);
    await using plain = await taskWorld({ a: answers("A.") });
    const second = await plain.handOn({ goal: "a" }, { runtime: "loop", effort: "high" });
    await second.result;
    assert.partialDeepStrictEqual(await childrenOf(plain, second.session), [
      { runtime: "loop", effort: "high" },
    ]);
  });

  test("is refused when it is not clear what is to be done", async () => {
    await using it = await taskWorld({});
    for (const args of [
      {},
      { goal: "a", tasks: [{ goal: "b" }] },
      { tasks: [{ goal: "b" }], runtime: "loop" },
    ])
      assert.match((await (await it.handOn(args)).result).output, /^Nothing was handed on\. Give /);
    for (const args of [{ goal: " " }, { tasks: [] }, { goal: "a", runtime: "cloud" }])
      assert.match((await (await it.handOn(args)).result).output, /^delegate_task was not run/);
  });
});

describe("several tasks", () => {
  test("run side by side, the rest waits in line, and one that fails does not disturb the others", async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const begun: string[] = [];
    const slow = (name: string, gate: Promise<void>): Script =>
      async function* (turn) {
        begun.push(name);
        await gate;
        yield* says(`${name} is done.`, turn);
      };
    await using it = await taskWorld(
      {
        a: slow("a", first.promise),
        b: slow("b", second.promise),
        c: async function* () {
          begun.push("c");
          const fault = { code: "lost", message: "It died.", next: "Try again." } as const;
          yield { type: "ended", outcome: "failed", fault, text: "half a word", calls: 0 };
        },
      },
      { settings: { maxConcurrent: 2 } },
    );
    const goals = ["a", "b", "c"].map((goal) => ({ goal }));
    const { result, session } = await it.handOn({ tasks: goals });
    await until(() => begun.length === 2);
    assert.deepEqual(
      it.tasks.list(session).map(({ number, goal, now }) => [number, goal, now]),
      [
        [1, "a", "a"],
        [2, "b", "b"],
        [3, "c", "waits for a free place"],
      ],
    );
    assert.deepEqual(it.tasks.list(asId<"ses">("ses_other")), []);
    first.resolve();
    await until(() => begun.length === 3);
    second.resolve();
    const { ok, output } = await result;
    assert.deepEqual([ok, begun.slice(0, 2).toSorted(), begun[2]], [true, ["a", "b"], "c"]);
    assert.match(
      output,
      /^Task 1 of 3: done \(.*\)\.\na is done\.\n\nTask 2 of 3: done \(.*\)\.\nb is done\./,
    );
    assert.match(output, /Task 3 of 3: failed \(.*\)\. It died\. Try again\. .*so far:\nhalf a word$/);
    assert.ok(it.lines.includes("3 ✗ scripted · 0 calls, 0 tokens, It died. Try again.\n"));
  });

  test("that all fail are a failed call", async () => {
    await using it = await taskWorld({});
    const { ok, output } = await (await it.handOn({ goal: "nobody plays this", runtime: "loop" })).result;
    assert.deepEqual([ok, output.startsWith("Task 1 of 1: failed")], [false, true]);
  });
});

describe("stopping", () => {
  test("the turn stops its tasks, those in line too, and they have ended when it has", async () => {
    const [one, two] = [endless(), endless()];
    await using it = await taskWorld(
      { one: one.script, two: two.script, three: answers("never") },
      { settings: { maxConcurrent: 2 } },
    );
    const goals = ["one", "two", "three"].map((goal) => ({ goal }));
    const { session, ended } = await it.handOn({ tasks: goals });
    await Promise.all([one.begun, two.begun]);
    assert.deepEqual(await it.agent.stop(session), { interrupted: true, setAside: 0, ended: [] });
    assert.equal((await ended)?.outcome, "interrupted");
    assert.deepEqual(it.tasks.list(), []);
    assert.deepEqual(await it.home.disk.turns.listOpen(), []);
    const children = await childrenOf(it, session);
    assert.deepEqual(children.map(({ title }) => title).toSorted(), ["one", "two"], "the third never began");
    for (const { id } of children)
      assert.deepEqual(
        (await it.home.disk.sessions.turns(id)).map(({ state }) => state),
        ["interrupted"],
      );
  });

  test("a call outside of any turn ends its tasks", async () => {
    const one = endless();
    await using it = await taskWorld({ one: one.script });
    const session = asId<"ses">("ses_0123456789");
    await it.home.disk.sessions.begin({ id: session, cwd: "/w", surface: "mcp", audience: "owner" }, 1);
    const call = new AbortController();
    const context = { session, turn: asId<"trn">("trn_1"), ...ownersTurn, cwd: "/w", signal: call.signal };
    const results = it.run([{ goal: "one" }], {
      ...context,
      ...nobody,
      clock: it.home.clock,
      mask: (text) => text,
    });
    await one.begun;
    call.abort(new Error("the caller has gone"));
    assert.partialDeepStrictEqual(await results, [
      { end: "stopped", why: "stopped with the turn that handed it on", text: "So far." },
    ]);
  });

  test("a task that does not end holds the turn for 5 s and no longer", async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await using it = await taskWorld({
      deaf: async function* () {
        begun.resolve();
        await release.promise;
        yield done("late");
      },
    });
    const { session, ended } = await it.handOn({ goal: "deaf" });
    await begun.promise;
    const stopping = it.agent.stop(session);
    let isOver = false;
    void stopping.then(() => (isOver = true));
    await it.home.clock.advance(4999);
    assert.equal(isOver, false);
    await it.home.clock.advance(1);
    assert.deepEqual(await stopping, { interrupted: true, setAside: 0, ended: [] });
    assert.equal((await ended)?.outcome, "interrupted");
    release.resolve();
  });

  test("one task by the person leaves the others, and the turn is told", async () => {
    const one = endless("I saw two.");
    const gate = Promise.withResolvers<void>();
    await using it = await taskWorld({
      one: one.script,
      two: async function* (turn) {
        await gate.promise;
        yield* says("Two.", turn);
      },
    });
    const { session, result } = await it.handOn({ tasks: [{ goal: "one" }, { goal: "two" }] });
    await one.begun;
    const [first] = it.tasks.list(session);
    assert.ok(first !== undefined);
    assert.deepEqual(await it.tasks.stop(first.session), { interrupted: true, setAside: 0, ended: [] });
    gate.resolve();
    const { ok, output } = await result;
    assert.equal(ok, true);
    assert.match(output, /^Task 1 of 2: stopped by the person \(.*\)\..*so far:\nI saw two\.\n\n/);
    assert.match(output, /Task 2 of 2: done \(.*\)\.\nTwo\.$/);
    assert.equal(it.tasks.stop(first.session), undefined, "it is over");
  });

  test("one that waits in line takes it out of the line", async () => {
    const one = endless();
    await using it = await taskWorld({ one: one.script }, { settings: { maxConcurrent: 1 } });
    const { session, result } = await it.handOn({ tasks: [{ goal: "one" }, { goal: "two" }] });
    await one.begun;
    const [first, second] = it.tasks.list(session);
    assert.ok(first !== undefined && second !== undefined);
    await it.tasks.stop(second.session);
    assert.equal((await childrenOf(it, session)).length, 1);
    await it.tasks.stop(first.session);
    const { ok, output } = await result;
    assert.equal(ok, false);
    assert.match(output, /Task 2 of 2: stopped by the person \(scripted, 0 calls, 0 tokens, never begun\)/);
  });
});

test("what a task does is shown without secrets, and its number of lines is bounded", async () => {
  await using it = await taskWorld({
    busy: async function* (turn) {
      for (let n = 0; n < 500; n += 1) {
        const id = asId<"itm">(`${turn.id}_${n}`);
        yield {
          type: "begin",
          item: { id, kind: "call", tool: "terminal", args: { command: `hunter2 ${n}` } },
        };
      }
      yield* says("Phew.", turn);
    },
  });
  await (
    await it.handOn({ goal: "busy" })
  ).result;
  assert.equal(it.lines.length, 201);
  assert.ok(!it.lines.join("").includes("hunter2"));
  assert.match(it.lines.at(-1) ?? "", /^1 ✓ /);
});

test("death of the process closes the turn and its task once, and starts neither again", async () => {
  const one = endless("Half.");
  await using it = await taskWorld({ one: one.script });
  const { session } = await it.handOn({ goal: "one" });
  await one.begun;
  const [child] = await childrenOf(it, session);
  assert.ok(child !== undefined);
  let started = 0;
  const never = scriptedRuntime(async function* () {
    started += 1;
    yield done("again");
  });
  const after = await it.home.open(never, { pid: 2, isGone: () => true });
  const seen = watch(after, child.id);
  assert.deepEqual(await after.reconcile(), { turns: 2, setAside: 0 });
  assert.deepEqual(await after.reconcile(), { turns: 0, setAside: 0 });
  for (const id of [session, child.id])
    assert.deepEqual(
      (await it.home.disk.sessions.turns(id)).map(({ state }) => state),
      ["interrupted"],
    );
  assert.deepEqual([started, seen.events.length], [0, 0]);
});

/** Lets everything run that can, until it is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
