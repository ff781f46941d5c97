import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { done, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import {
  type TestAgent,
  type TestHome,
  input,
  sessionOf,
  testHome,
  watch,
} from "../../../test/fakes/test-agent.ts";
import { makeBroker } from "../../approvals/broker.ts";
import type { Attended } from "../../core/host.ts";
import { type SessionId, asId } from "../../core/ids.ts";
import type { Message } from "../../core/messages.ts";
import type { ConverseEvent } from "../../models/converse.ts";
import { loopRuntime } from "../../runtimes/loop/loop.ts";
import type { Store } from "../../store/store.ts";
import { leaseExpiryMs } from "../../store/store.ts";
import { toolBox } from "../../tools/registry.ts";
import type { Tool } from "../../tools/tool.ts";
import { history } from "../../transcript/history.ts";
import { validHistory } from "../../../test/valid-history.ts";
import type { AgentDeps } from "../index.ts";
import { stopGraceMs } from "../stoppable.ts";

const route = { name: "r", protocol: "chat", url: "", headers: {}, model: "m" } as const;
const completed: ConverseEvent = { type: "completed", skipped: 0 };
const unknown = /^\[interrupted, outcome unknown\]/;

/** Everything that a turn with tools needs, as another process would have it. */
type World = {
  readonly tool: Pick<Tool, "effect"> & Partial<Tool>;
  readonly pid?: number;
  readonly store?: Store;
};

/** A loop whose model calls `touch` twice in its first answer; the tool has its effect, and never comes back. */
async function running(home: TestHome, { tool, pid = 1, store }: World, attended: Attended = "none") {
  const effects: string[] = [];
  const hangs = { ...touch, ...tool, run: (args: unknown) => (effects.push(JSON.stringify(args)), never()) };
  const { deps, broker } = await parts(home, pid, store, [hangs]);
  const agent = await home.open(loopThat("calls"), { pid, ...deps });
  const first = input("go", { attended });
  const session = sessionOf(first);
  const { events } = watch(agent, session);
  const sent = await agent.send(first);
  return { agent, broker, session, effects, events, sent };
}

async function parts(home: TestHome, pid: number, given: Store | undefined, tools: readonly Tool[]) {
  const store = given ?? (await home.store());
  const broker = makeBroker({
    store,
    owner: { host: "here", pid, startTime: String(pid) },
    isGone: (owner) => owner.pid === 1,
    clock: home.clock,
    settings: { mode: "manual", securityMode: "auto", deny: [], guarded: [], home: "/home/me" },
    timeoutMs: 60_000,
    isFollowed: () => false,
    folderId: async () => "folder",
    tieOf: async () => undefined,
    log: () => {},
  });
  const deps: Partial<AgentDeps> & { readonly store: Store } = {
    store,
    asking: (turn) => broker.asking(turn),
    toolBox: async (context) => toolBox(tools, context),
  };
  return { deps, broker };
}

const touch: Tool = {
  name: "touch",
  toolset: "t",
  description: "Leaves something behind.",
  schema: z.object({ n: z.number() }),
  effect: "local",
  timeoutMs: 2 ** 31 - 1,
  maxOutputChars: 1000,
  run: async () => ({ ok: true, output: "touched" }),
};

const never = (): Promise<never> => new Promise(() => {});

function loopThat(does: "calls" | "answers", asked: (readonly Message[])[] = []) {
  return loopRuntime({
    routes: async () => [route],
    async *stream(_route, { messages }) {
      asked.push([...messages]);
      if (does === "calls" && asked.length === 1) {
        yield {
          type: "item",
          item: { kind: "call", item: 0, callId: "a", name: "touch", arguments: '{"n":1}' },
        };
        yield {
          type: "item",
          item: { kind: "call", item: 1, callId: "b", name: "touch", arguments: '{"n":2}' },
        };
      }
      if (does === "answers" || asked.length > 1)
        yield { type: "item", item: { kind: "text", item: 0, text: "ok" } };
      yield completed;
    },
  });
}

/** Until something is so; nothing but what is ready is waited for. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

const results = async (home: TestHome, session: SessionId): Promise<readonly string[]> =>
  (await home.disk.sessions.messages(session)).flatMap(({ message }) =>
    message.role === "tool" ? [message.content] : [],
  );

async function restarted(
  home: TestHome,
  runtime = scriptedRuntime((turn) => says("back", turn)),
): Promise<TestAgent> {
  const next = await home.open(runtime, { pid: 2, isGone: ({ pid }) => pid === 1 });
  await next.reconcile();
  return next;
}

describe("a call that runs when its process is killed", () => {
  for (const [which, tool] of [
    ["that the policy allows", { effect: "local" }],
    ["that needs no permission but stays", { effect: "none", lasting: true }],
  ] as const) {
    test(`is in the session afterwards, once, with an unknown outcome: one ${which}`, async () => {
      await using home = await testHome();
      const { session, effects } = await running(home, { tool });
      await until(() => effects.length === 2);
      assert.deepEqual(await results(home, session), [], "it has no result yet");
      await restarted(home);
      await restarted(home);
      const rows = await home.disk.sessions.messages(session);
      const called = rows.flatMap(({ message }) =>
        message.role === "assistant" ? (message.toolCalls ?? []) : [],
      );
      assert.deepEqual(
        called.map(({ id, name, arguments: args }) => [id, name, args]),
        [
          ["a", "touch", '{"n":1}'],
          ["b", "touch", '{"n":2}'],
        ],
      );
      const told = await results(home, session);
      assert.deepEqual(
        told.map((text) => unknown.test(text)),
        [true, true],
      );
      const [turn] = await home.disk.sessions.turns(session);
      assert.equal(turn?.state, "interrupted");
      const messages = rows.map(({ message }) => message);
      const prefix = history([{ turn: { id: turn!.id, state: "interrupted" }, messages }]);
      assert.equal(validHistory([...prefix, { role: "user", content: "next" }]), undefined);
      assert.equal((await home.disk.search({ text: "outcome unknown", limit: 9 })).length, 2);
    });
  }

  test("is told to the model with the next request, and to the person", async () => {
    await using home = await testHome();
    const { session, effects } = await running(home, { tool: { effect: "local" } });
    await until(() => effects.length === 2);
    const asked: (readonly Message[])[] = [];
    const next = await restarted(home, loopThat("answers", asked));
    const { events } = watch(next, session);
    await (
      await next.send(input("and now?", { session }))
    ).ended;
    const heard = asked[0]?.flatMap((message) => (message.role === "tool" ? [message.content] : []));
    assert.equal(heard?.length, 2);
    assert.match(heard?.[0] ?? "", unknown);
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    assert.match(notices.join("\n"), /how this ended: touch \{"n":1\}; touch \{"n":2\}\./);
  });

  test("is not closed by another process while the first one lives", async () => {
    await using home = await testHome();
    const { session, effects } = await running(home, { tool: { effect: "local" }, pid: 3 });
    await until(() => effects.length === 2);
    await restarted(home);
    assert.deepEqual(await results(home, session), []);
  });

  test("is not there when it leaves nothing behind", async () => {
    await using home = await testHome();
    const { session, effects } = await running(home, { tool: { effect: "none" } });
    await until(() => effects.length === 2);
    await restarted(home);
    assert.deepEqual(await results(home, session), []);
  });
});

describe("a call that waits for a person when its process is killed", () => {
  test("is kept as not run", async () => {
    await using home = await testHome();
    const { session, effects, events } = await running(home, { tool: { effect: "external" } }, "ask");
    await until(() => events.filter(({ type }) => type === "approval").length === 2);
    await restarted(home);
    const told = await results(home, session);
    assert.deepEqual(
      told.map((text) => text.startsWith("[not run]")),
      [true, true],
    );
    assert.deepEqual(effects, []);
  });

  test("has begun with the very commit of the yes, also of one that another process wrote", async () => {
    await using home = await testHome();
    const { session, events } = await running(home, { tool: { effect: "external" } }, "ask");
    await until(() => events.filter(({ type }) => type === "approval").length === 2);
    const [row] = await home.disk.approvals.list({ limit: 9, state: "pending" });
    await home.disk.approvals.resolve(row!.id, { state: "once", why: "person", by: "ann", at: 9 });
    await restarted(home);
    const told = await results(home, session);
    assert.equal(told.filter((text) => unknown.test(text)).length, 1);
    assert.equal(told.filter((text) => text.startsWith("[not run]")).length, 1);
  });
});

describe("a call whose turn ends without it", () => {
  test("is shown and kept with an unknown outcome when its runtime was left behind", async () => {
    await using home = await testHome();
    const { agent, session, events, sent } = await abandoned(home);
    const stopped = agent.stop(session);
    await home.clock.advance(stopGraceMs + 1);
    await stopped;
    assert.equal((await sent.ended)?.outcome, "interrupted");
    assert.match((await results(home, session)).join("\n"), unknown);
    const shown = events.flatMap((event) =>
      event.type === "item" && event.item.kind === "call" ? [event.item] : [],
    );
    assert.deepEqual(
      shown.map(({ tool }) => tool),
      ["touch"],
    );
    await restarted(home);
    assert.equal((await results(home, session)).length, 1);
  });

  test("does not begin in a session that another process has taken over", async () => {
    await using home = await testHome();
    const gate = Promise.withResolvers<void>();
    const { session, effects, sent } = await running(home, {
      tool: { effect: "local", asks: async () => (await gate.promise, localQuestion) },
      pid: 3,
    });
    const taker = { host: "here", pid: 2, startTime: "2" };
    const later = home.clock.now() + leaseExpiryMs + 1;
    assert.ok("lease" in (await home.disk.leases.acquire(session, taker, later, () => false)));
    gate.resolve();
    let isOver = false;
    void sent.ended.then(() => (isOver = true));
    await until(() => isOver || effects.length > 0);
    assert.deepEqual(effects, []);
    assert.equal((await sent.ended)?.fault?.code, "lost");
  });
});

const localQuestion = { effect: "local", action: { kind: "tool" }, summary: "touch", cwd: "/w" } as const;

/** A runtime that does not hear the Stop, in the middle of a call. */
async function abandoned(home: TestHome) {
  const begun = Promise.withResolvers<void>();
  const hangs = { ...touch, run: () => (begun.resolve(), never()) };
  const { deps } = await parts(home, 3, undefined, [hangs]);
  const head = { id: asId<"itm">("one"), callId: "c", tool: "touch", args: { n: 1 } };
  const deaf = scriptedRuntime(async function* (_turn, { tools }) {
    await tools.call("touch", { n: 1 }, new AbortController().signal, undefined, head);
    yield done("never");
  });
  const agent = await home.open(deaf, { pid: 3, ...deps });
  const first = input("go");
  const session = sessionOf(first);
  const { events } = watch(agent, session);
  const sent = await agent.send(first);
  await begun.promise;
  return { agent, session, events, sent };
}
