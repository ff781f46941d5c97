import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aborted, done, says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { input, sessionOf, testHome, watch } from "../../test/fakes/test-agent.ts";
import { FaultError } from "../core/faults.ts";
import { Refusal, type Sent } from "../core/host.ts";
import { asId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import type { Turn } from "../runtimes/runtime.ts";
import { stopGraceMs } from "./stoppable.ts";

const echo = scriptedRuntime((turn) => says(`you said ${textOf(turn)}`, turn));
const textOf = (turn: Turn): string =>
  turn.input.map((part) => (part.type === "text" ? part.text : "")).join();

/** Runs until Stop. */
const stuck = scriptedRuntime(async function* (_turn, ports) {
  yield { type: "status", state: "thinking" };
  await aborted(ports.signal);
  yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
});

describe("agent: a turn", () => {
  test("input is durable when send resolves", async () => {
    await using home = await testHome();
    const agent = await home.open(stuck);
    const sent = await agent.send(input("hello"));
    const row = await home.disk.inbox.get(sent.inbox);
    assert.deepEqual(row?.input, [{ type: "text", text: "hello" }]);
  });

  test("an item is on the disk before anybody sees it", async () => {
    await using home = await testHome();
    const agent = await home.open(echo);
    const first = input("hello");
    const onDisk: Promise<number>[] = [];
    agent.subscribe(sessionOf(first), (event) => {
      if (event.type === "item")
        onDisk.push(home.disk.sessions.messages(event.session).then((rows) => rows.length));
    });
    await (
      await agent.send(first)
    ).ended;
    assert.deepEqual(await Promise.all(onDisk), [2]);
  });

  test("its runtime hears of it before its tools are made ready", async () => {
    await using home = await testHome();
    const order: string[] = [];
    const runtime = { ...echo, expect: async () => void order.push("runtime") };
    const toolBox = async () => {
      order.push("tools");
      return { specs: [], enabled: [], call: async () => ({ ok: true, output: "" }) };
    };
    const agent = await home.open(runtime, { toolBox });
    await (
      await agent.send(input("hello"))
    ).ended;
    assert.deepEqual(order, ["runtime", "tools"]);
  });

  test("it ends once, and the next turn knows its history", async () => {
    await using home = await testHome();
    const histories: (readonly Message[])[] = [];
    const agent = await home.open(
      scriptedRuntime(async function* (turn) {
        histories.push((await turn.past()).history);
        yield* says(`you said ${textOf(turn)}`, turn);
      }),
    );
    const first = input("one");
    const { events } = watch(agent, sessionOf(first));
    const sent = await agent.send(first);
    const ended = await sent.ended;
    assert.equal(ended?.outcome, "done");
    await (
      await agent.send(input("two", { session: sent.session }))
    ).ended;
    assert.deepEqual(histories[1], [
      { role: "user", content: "one" },
      { role: "assistant", content: "you said one" },
    ]);
    assert.equal(events.filter((event) => event.type === "ended").length, 2);
    assert.deepEqual(
      events.filter((event) => event.turn === ended?.turn).map((event) => event.seq),
      [1, 2, 3],
    );
    const turns = await home.disk.sessions.turns(sent.session);
    assert.deepEqual(
      turns.map((turn) => [turn.state, turn.model]),
      [
        ["done", "scripted"],
        ["done", "scripted"],
      ],
    );
  });

  test("the same input twice runs once", async () => {
    await using home = await testHome();
    const agent = await home.open(echo);
    const first = input("hello");
    const one = await agent.send(first);
    await one.ended;
    const two = await agent.send({ ...first, session: one.session });
    assert.equal(two.state, "duplicate");
    assert.equal((await home.disk.sessions.turns(one.session)).length, 1);
  });

  test("when its end is told, the session is free for others and takes the next input", async () => {
    await using home = await testHome();
    const [agent, other] = [await home.open(echo), await home.open(echo, { pid: 200 })];
    const first = input("one");
    const session = sessionOf(first);
    const after: Promise<unknown>[] = [];
    agent.subscribe(session, (event) => {
      if (event.type !== "ended" || after.length > 0) return;
      after.push(home.disk.leases.holder(session), agent.send(input("two", { session })));
    });
    await (
      await agent.send(first)
    ).ended;
    const [holder, sent] = await Promise.all(after);
    assert.equal(holder, undefined);
    assert.equal((await (sent as Sent).ended)?.text, "you said two");
    assert.equal((await (await other.send(input("three", { session }))).ended)?.text, "you said three");
  });

  test("a subscriber that throws neither delays nor ends it", async () => {
    await using home = await testHome();
    const agent = await home.open(echo);
    const first = input("hello");
    agent.subscribe(sessionOf(first), () => {
      throw new Error("a broken screen");
    });
    assert.equal((await (await agent.send(first)).ended)?.outcome, "done");
  });

  test("a runtime that throws is a failed turn, kept with its reason", async () => {
    await using home = await testHome();
    const agent = await home.open(
      scriptedRuntime(async function* () {
        yield* [];
        throw new Error("broken on purpose");
      }),
    );
    const sent = await agent.send(input("hello"));
    assert.equal((await sent.ended)?.fault?.code, "bug");
    const [turn] = await home.disk.sessions.turns(sent.session);
    assert.equal(turn?.state, "failed");
    assert.match(turn?.fault?.message ?? "", /broken on purpose/);
  });

  test("a runtime that stops without an end is a failed turn", async () => {
    await using home = await testHome();
    const agent = await home.open(scriptedRuntime(async function* () {}));
    assert.equal((await (await agent.send(input("hello"))).ended)?.fault?.code, "protocol");
  });

  test("an item that cannot be kept is not shown, and the turn says why it ended", async () => {
    await using home = await testHome();
    const fault = { code: "storage", message: "The disk is full.", next: "Free some space." } as const;
    const { disk } = home;
    const agent = await home.open(echo, {
      store: { ...disk, turns: { ...disk.turns, keep: () => Promise.reject(new FaultError(fault)) } },
    });
    const first = input("hello");
    const { events } = watch(agent, sessionOf(first));
    assert.deepEqual((await (await agent.send(first)).ended)?.fault, fault);
    assert.equal(events.filter((event) => event.type === "item").length, 0);
  });

  test("secrets in tool output are masked before they are kept or shown", async () => {
    await using home = await testHome();
    const agent = await home.open(
      scriptedRuntime(async function* () {
        const call = { kind: "call", callId: "c", tool: "t", args: {}, ok: true } as const;
        yield { type: "item", item: { ...call, id: asId<"itm">("i"), output: "the password is hunter2" } };
        yield done("");
      }),
    );
    const sent = await agent.send(input("hello"));
    const { events } = watch(agent, sent.session);
    await sent.ended;
    assert.doesNotMatch(JSON.stringify(events), /hunter2/);
    assert.doesNotMatch(JSON.stringify(await home.disk.sessions.messages(sent.session)), /hunter2/);
  });

  test("an unknown runtime and an unknown session are refused before anything is stored", async () => {
    await using home = await testHome();
    const agent = await home.open(echo);
    const codex = input("hello", { choices: { runtime: "codex" } });
    await assert.rejects(agent.send(codex), (error) => error instanceof Refusal && error.code === "config");
    const nowhere = input("hello", { session: asId<"ses">("ses_none") });
    await assert.rejects(
      agent.send(nowhere),
      (error) => error instanceof Refusal && error.code === "not_found",
    );
    assert.deepEqual(await home.disk.sessions.list({ limit: 10 }), []);
  });

  test("what is chosen for a turn stays with the session", async () => {
    await using home = await testHome();
    const agent = await home.open(echo);
    const sent = await agent.send(input("hello", { choices: { model: "big", cwd: "/elsewhere" } }));
    await sent.ended;
    const session = await home.disk.sessions.get(sent.session);
    assert.deepEqual([session?.model, session?.cwd], ["big", "/elsewhere"]);
  });
});

describe("agent: a busy session", () => {
  test("queued input runs afterwards, in order", async () => {
    await using home = await testHome();
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    const agent = await home.open(
      scriptedRuntime(async function* (turn) {
        await gate.promise;
        order.push(textOf(turn));
        yield* says("ok", turn);
      }),
    );
    const one = await agent.send(input("one"));
    const two = await agent.send(input("two", { session: one.session }));
    const three = await agent.send(input("three", { session: one.session }));
    assert.deepEqual([one.state, two.state, three.state], ["running", "queued", "queued"]);
    gate.resolve();
    await three.ended;
    assert.deepEqual(order, ["one", "two", "three"]);
  });

  test("different sessions run side by side", async () => {
    await using home = await testHome();
    const gate = Promise.withResolvers<void>();
    let running = 0;
    const agent = await home.open(
      scriptedRuntime(async function* (turn) {
        running += 1;
        if (running === 2) gate.resolve();
        await gate.promise;
        yield* says("ok", turn);
      }),
    );
    const [one, two] = await Promise.all([agent.send(input("one")), agent.send(input("two"))]);
    assert.deepEqual([(await one.ended)?.outcome, (await two.ended)?.outcome], ["done", "done"]);
  });

  test("`refuse` refuses and stores nothing", async () => {
    await using home = await testHome();
    const agent = await home.open(stuck);
    const first = input("one");
    const running = watch(agent, sessionOf(first)).next("status");
    const one = await agent.send(first);
    await running;
    const two = input("two", { session: one.session, whenBusy: "refuse" });
    await assert.rejects(agent.send(two), (error) => error instanceof Refusal && error.code === "busy");
    assert.deepEqual(await home.disk.inbox.inState("waiting", one.session), []);
  });

  for (const [answer, state, stored] of [
    ["taken", "steered", "steered"],
    ["indeterminate", "unconfirmed", "unconfirmed"],
    ["refused", "queued", "waiting"],
  ] as const) {
    test(`a steer that is ${answer} is ${state}`, async () => {
      await using home = await testHome();
      const runtime = scriptedRuntime((turn, ports) => stuck.run(turn, ports), { steer: async () => answer });
      const agent = await home.open(runtime);
      const first = input("one");
      const seen = watch(agent, sessionOf(first));
      const running = seen.next("status");
      const one = await agent.send(first);
      await running;
      const two = await agent.send(input("two", { session: one.session, whenBusy: "steer" }));
      assert.equal(two.state, state);
      assert.equal((await home.disk.inbox.get(two.inbox))?.state, stored);
      assert.equal(
        seen.events.some((event) => event.type === "notice"),
        answer === "indeterminate",
      );
    });
  }

  test("Stop interrupts the turn and sets queued input aside; the next turn says so, once", async () => {
    await using home = await testHome();
    let stops = 0;
    const runtime = scriptedRuntime((turn, ports) =>
      stops++ === 0 ? stuck.run(turn, ports) : says("ok", turn),
    );
    const agent = await home.open(runtime);
    const first = input("one");
    const seen = watch(agent, sessionOf(first));
    const running = seen.next("status");
    const one = await agent.send(first);
    await running;
    const two = await agent.send(input("two", { session: one.session }));
    assert.deepEqual(await agent.stop(one.session), { interrupted: true, setAside: 1, ended: [] });
    assert.equal((await one.ended)?.outcome, "interrupted");
    assert.equal(await two.ended, undefined);
    assert.equal((await home.disk.inbox.get(two.inbox))?.state, "kept");
    await (
      await agent.send(input("three", { session: one.session }))
    ).ended;
    await (
      await agent.send(input("four", { session: one.session }))
    ).ended;
    const notices = seen.events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    assert.equal(notices.length, 1);
    assert.match(notices[0] ?? "", /kept but not run: "two"/);
  });

  test("Stop on an idle session does nothing", async () => {
    await using home = await testHome();
    const agent = await home.open(echo);
    const sent = await agent.send(input("one"));
    await sent.ended;
    assert.deepEqual(await agent.stop(sent.session), { interrupted: false, setAside: 0, ended: [] });
  });

  test("a runtime that does not answer Stop is left behind after a grace", async () => {
    await using home = await testHome();
    const agent = await home.open(
      scriptedRuntime(async function* () {
        yield { type: "status", state: "thinking" };
        await new Promise(() => {});
      }),
    );
    const first = input("one");
    const running = watch(agent, sessionOf(first)).next("status");
    const sent = await agent.send(first);
    await running;
    const stopped = agent.stop(sent.session);
    await untilTrue(() => home.clock.pending() > 1);
    await home.clock.advance(stopGraceMs);
    assert.deepEqual(await stopped, { interrupted: true, setAside: 0, ended: [] });
    assert.equal((await home.disk.sessions.turns(sent.session))[0]?.state, "interrupted");
  });

  test("closing interrupts and commits the turn; queued input waits for the next start", async () => {
    await using home = await testHome();
    const agent = await home.open(stuck);
    const one = await agent.send(input("one"));
    const two = await agent.send(input("two", { session: one.session }));
    await agent[Symbol.asyncDispose]();
    assert.equal((await home.disk.sessions.turns(one.session))[0]?.state, "interrupted");
    assert.equal((await home.disk.inbox.get(two.inbox))?.state, "waiting");
    await assert.rejects(agent.send(input("three")), /shutting down/);
  });
});

/** Lets the event loop go on until something has happened that raises no event. */
async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
