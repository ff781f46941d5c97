import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scriptedRuntime, says } from "../../../test/fakes/scripted-runtime.ts";
import { input, sessionOf, testHome, watch } from "../../../test/fakes/test-agent.ts";
import type { Question } from "../../core/asking.ts";
import { asId } from "../../core/ids.ts";
import type { Message } from "../../core/messages.ts";
import type { Running } from "../../core/events.ts";
import type { Runtime, UnaskedWork } from "../../runtimes/runtime.ts";

type Told = {
  unasked(work: UnaskedWork): void;
  readonly known: (readonly Message[])[];
  running: Running[];
  /** The program is about to end. */
  settling?: () => void;
};

/** A runtime that a test can let do something by itself. */
function willful(): { readonly runtime: Runtime; readonly told: Told } {
  const told: Told = { unasked: () => {}, known: [], running: [] };
  const runtime: Runtime = {
    ...scriptedRuntime((turn) => says("Fine.", turn)),
    onUnasked: (take) => void (told.unasked = take),
    markKnown: async (_binding, _thread, before, after) =>
      void told.known.push(before.history, after.history),
    flushUnasked: async () => told.settling?.(),
    running: () => told.running,
    async endRunning(_session, id) {
      const ended = told.running.filter((one) => id === undefined || one.id === id);
      told.running = told.running.filter((one) => !ended.includes(one));
      return ended;
    },
  };
  return { runtime, told };
}

const question: Question = {
  tool: "exec_command",
  args: { command: "rm -f precious" },
  cwd: "/w",
  effect: "local",
  action: { kind: "command", command: "rm -f precious", fence: "unknown" },
  summary: "rm -f precious",
  refused: "not allowed: nobody asked for it",
};

const workIn = (session: UnaskedWork["session"]): UnaskedWork => ({
  session,
  cwd: "/w",
  text: "It started a turn of its own.",
  model: "big",
  items: [
    {
      id: asId<"itm">("itm_1"),
      kind: "call",
      callId: "c1",
      tool: "exec_command",
      args: { command: "ls" },
      output: "hunter2",
      ok: true,
    },
  ],
  refused: [question],
  ended: {
    type: "ended",
    outcome: "interrupted",
    text: "",
    calls: 0,
    side: { thread: "thread_1" },
    usage: { input: 12, cached: 0, output: 3, reasoning: 0, context: { used: 15 } },
  },
});

describe("what a runtime does by itself", () => {
  test("is a turn with its items and usage, says so, and the runtime hears that it is kept", async () => {
    await using home = await testHome();
    const { runtime, told } = willful();
    const asked: Question[] = [];
    const agent = await home.open(runtime, {
      asking: () => ({
        ask: async (each) => {
          asked.push(each);
          return { choice: "deny", why: "policy" };
        },
        inquire: async () => undefined,
      }),
    });
    const first = input("hello");
    const session = sessionOf(first);
    await (
      await agent.send(first)
    ).ended;
    const heard = watch(agent, session);
    told.unasked(workIn(session));
    const ended = await heard.next("ended");
    assert.deepEqual(
      heard.events.map(({ type }) => type),
      ["started", "notice", "item", "ended"],
    );
    const [, kept] = await home.disk.sessions.turns(session);
    assert.deepEqual([kept?.id, kept?.state, kept?.model], [ended.turn, "interrupted", "big"]);
    const row = kept && (await home.disk.inbox.get(kept.inbox));
    assert.deepEqual(
      [row?.key.surface, row?.input],
      ["codex", [{ type: "text", text: "It started a turn of its own." }]],
    );
    const rows = (await home.disk.sessions.messages(session)).filter(({ turn }) => turn === ended.turn);
    assert.deepEqual(
      rows.map(({ message }) => message.role),
      ["user", "assistant", "tool"],
    );
    assert.equal(rows.at(-1)?.message.content, "•••", "secrets are masked as in any turn");
    const total = await home.disk.usage.sum({ session });
    assert.deepEqual([total.input, total.output], [12, 3]);
    assert.deepEqual(asked, [question], "what was refused is written down by whoever keeps the ledger");
    assert.deepEqual(
      told.known.map(({ length }) => length),
      [2, 6],
    );
  });

  test("is kept, too, when it becomes known while the program ends", async () => {
    await using home = await testHome();
    const { runtime, told } = willful();
    const agent = await home.open(runtime);
    const first = input("hello");
    const session = sessionOf(first);
    await (
      await agent.send(first)
    ).ended;
    told.settling = () => told.unasked(workIn(session));
    await agent[Symbol.asyncDispose]();
    assert.equal((await home.disk.sessions.turns(session)).length, 2);
  });

  test("is said with the next turn when nobody was there to hear it", async () => {
    await using home = await testHome();
    const { runtime, told } = willful();
    const agent = await home.open(runtime);
    const first = input("hello");
    const session = sessionOf(first);
    await (
      await agent.send(first)
    ).ended;
    told.unasked(workIn(session));
    await agent.drain();
    const heard = watch(agent, session);
    await (
      await agent.send(input("again", { session }))
    ).ended;
    const notices = heard.events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    assert.deepEqual(notices, ["It started a turn of its own."]);
  });
});

describe("what a turn leaves running", () => {
  const server = { id: "p1", command: "npm run dev", since: 1 };

  test("is said with its end, and by another process after ours has ended, once", async () => {
    await using home = await testHome();
    const { runtime, told } = willful();
    told.running = [server];
    const agent = await home.open(runtime);
    const first = input("hello");
    const session = sessionOf(first);
    const heard = watch(agent, session);
    const ended = await (await agent.send(first)).ended;
    assert.deepEqual(ended?.running, [server]);
    const said = heard.events.findLast(({ type }) => type === "notice");
    assert.ok(said?.type === "notice" && said.code === "still_running");
    assert.equal(said.text, "Still running: `npm run dev`. /ps lists it, /ps stop ends it.");

    const next = await home.open(willful().runtime, { pid: 200, isGone: ({ pid }) => pid === 100 });
    const later = watch(next, session);
    for (const text of ["again", "and again"]) await (await next.send(input(text, { session }))).ended;
    assert.deepEqual(
      later.events.flatMap((event) => (event.type === "notice" ? [event.text] : [])),
      ["Was still running when Talaria was ended, and ended with it: `npm run dev`."],
    );
  });

  test("is ended by Stop, also when no turn runs, and is then no news for anybody", async () => {
    await using home = await testHome();
    const { runtime, told } = willful();
    told.running = [server, { ...server, id: "p2" }];
    const agent = await home.open(runtime);
    const first = input("hello");
    const session = sessionOf(first);
    await (
      await agent.send(first)
    ).ended;
    assert.deepEqual(await agent.endRunning(session, "p2"), [{ ...server, id: "p2" }]);
    assert.deepEqual(await agent.stop(session), { interrupted: false, setAside: 0, ended: [server] });
    assert.deepEqual(await home.disk.leftRunning.takeLeft(session, () => true), []);
  });
});
