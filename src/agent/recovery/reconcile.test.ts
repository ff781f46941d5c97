import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aborted, done, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestHome, input, sessionOf, testHome, watch } from "../../../test/fakes/test-agent.ts";
import { Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { leaseExpiryMs, leaseHeartbeatMs } from "../../store/store.ts";

const text = (id: string, words: string) => ({ id: asId<"itm">(id), kind: "text", text: words }) as const;

/** Says one thing, then goes on for ever. */
const halfway = scriptedRuntime(async function* (_turn, ports) {
  yield { type: "item", item: text("one", "the first half") };
  yield { type: "status", state: "thinking" };
  await aborted(ports.signal);
  yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
});

/** A turn left in the middle by a process that is then dead: nothing of it is closed. */
async function crash(home: TestHome, surface = "cli"): Promise<ReturnType<typeof sessionOf>> {
  const agent = await home.open(halfway, { pid: 1 });
  const first = input("hello", { surface });
  const running = watch(agent, sessionOf(first)).next("status");
  await agent.send(first);
  await running;
  return sessionOf(first);
}

const pidIsGone = { isGone: ({ pid }: { pid: number }) => pid === 1 };

describe("agent: after a crash", () => {
  test("an open turn is closed as interrupted, keeps what was finished, and is told once", async () => {
    await using home = await testHome();
    const session = await crash(home);
    const next = await home.open(
      scriptedRuntime((turn) => says("back again", turn)),
      { pid: 2, ...pidIsGone },
    );
    assert.deepEqual(await next.reconcile(), { turns: 1, setAside: 0 });
    assert.deepEqual(await next.reconcile(), { turns: 0, setAside: 0 });
    const [turn] = await home.disk.sessions.turns(session);
    assert.equal(turn?.state, "interrupted");
    assert.partialDeepStrictEqual(await home.disk.usage.sum({}), { rows: 1, uncounted: 1 });
    const rows = await home.disk.sessions.messages(session);
    assert.deepEqual(
      rows.map((row) => row.message.content),
      ["hello", "the first half"],
    );
    const { events } = watch(next, session);
    await (
      await next.send(input("again", { session }))
    ).ended;
    await (
      await next.send(input("and again", { session }))
    ).ended;
    assert.equal(
      events.filter((event) => event.type === "notice" && event.code === "turn_recovered").length,
      1,
    );
  });

  test("is closed with what was noted of it until its process was gone", async () => {
    await using home = await testHome();
    const session = await crash(home);
    const [open] = await home.disk.turns.listOpen();
    const held = await home.disk.leases.holder(session);
    assert.ok(open !== undefined && held !== undefined);
    const store = await home.store();
    const { turns } = store;
    let looks = 0;
    const listOpen = async () => {
      const found = await turns.listOpen();
      looks += 1;
      const lease = { session, epoch: open.epoch };
      const usage = { input: 7, cached: 0, output: 3, reasoning: 0, context: { used: 10 } };
      if (looks === 1) await turns.describe(lease, open.id, { side: "its place", usage });
      return found;
    };
    const sides: unknown[] = [];
    const runtime = scriptedRuntime((turn) => says("", turn), {
      recover: async ({ side }) => {
        sides.push(side);
        return [];
      },
    });
    const next = await home.open(runtime, {
      pid: 2,
      ...pidIsGone,
      store: { ...store, turns: { ...turns, listOpen } },
    });
    await next.reconcile();
    assert.deepEqual(sides, ["its place"]);
    assert.partialDeepStrictEqual((await home.disk.sessions.turns(session))[0], {
      usage: { input: 7, output: 3 },
    });
  });

  test("what the runtime still knows is added once, and its word on the end counts", async () => {
    await using home = await testHome();
    const session = await crash(home);
    const runtime = scriptedRuntime((turn) => says("", turn), {
      recover: async (turn) => {
        assert.deepEqual(
          turn.items.map((item) => item.id),
          ["one"],
        );
        return [
          { type: "item", item: text("one", "the first half") },
          { type: "item", item: text("two", "the second half") },
          done("the second half"),
        ];
      },
    });
    const next = await home.open(runtime, { pid: 2, ...pidIsGone });
    await next.reconcile();
    assert.equal((await home.disk.sessions.turns(session))[0]?.state, "done");
    assert.deepEqual(
      (await home.disk.sessions.messages(session)).map((row) => row.message.content),
      ["hello", "the first half", "the second half"],
    );
  });

  test("a runtime that cannot say what happened does not keep the turn open", async () => {
    await using home = await testHome();
    const session = await crash(home);
    const runtime = scriptedRuntime((turn) => says("", turn), {
      recover: () => Promise.reject(new Error("no idea")),
    });
    await (await home.open(runtime, { pid: 2, ...pidIsGone })).reconcile();
    assert.equal((await home.disk.sessions.turns(session))[0]?.state, "interrupted");
  });

  test("a session of a living process is left alone, and refuses input from others", async () => {
    await using home = await testHome();
    const session = await crash(home);
    const other = await home.open(halfway, { pid: 2 });
    assert.deepEqual(await other.reconcile(), { turns: 0, setAside: 0 });
    await assert.rejects(
      other.send(input("me too", { session })),
      (error) => error instanceof Refusal && error.code === "busy" && /pid 1 /.test(error.message),
    );
    assert.equal((await home.disk.sessions.messages(session)).length, 2);
  });

  test("the heartbeat keeps a lease beyond its expiry", async () => {
    await using home = await testHome();
    const session = await crash(home);
    for (let beats = 0; beats < 5; beats += 1) {
      const before = (await home.disk.leases.holder(session))?.heartbeat;
      await home.clock.advance(leaseHeartbeatMs);
      while ((await home.disk.leases.holder(session))?.heartbeat === before) await new Promise(setImmediate);
    }
    const other = await home.open(halfway, { pid: 2 });
    await assert.rejects(other.send(input("me too", { session })), Refusal);
  });

  test("whoever lost its lease can write nothing more, and says so", async () => {
    await using home = await testHome();
    const gate = Promise.withResolvers<void>();
    const agent = await home.open(
      scriptedRuntime(async function* (turn) {
        yield { type: "status", state: "thinking" };
        await gate.promise;
        yield* says("too late", turn);
      }),
      { pid: 1 },
    );
    const first = input("hello");
    const session = sessionOf(first);
    const running = watch(agent, session).next("status");
    const sent = await agent.send(first);
    await running;
    const owner = { host: "here", pid: 2, startTime: "2" };
    const taken = await home.disk.leases.acquire(
      session,
      owner,
      home.clock.now() + leaseExpiryMs + 1,
      () => false,
    );
    assert.ok("lease" in taken);
    gate.resolve();
    const ended = await sent.ended;
    assert.equal(ended?.fault?.code, "lost");
    assert.equal((await home.disk.sessions.messages(session)).length, 1);
    assert.equal((await home.disk.sessions.turns(session))[0]?.state, "open");
  });

  test(
    "a turn whose session was taken over is ended by the next heartbeat",
    { timeout: 20_000 },
    async () => {
      await using home = await testHome();
      const agent = await home.open(
        scriptedRuntime(async function* (_turn, { signal }) {
          yield { type: "status", state: "thinking" };
          await aborted(signal);
          yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
        }),
        { pid: 1 },
      );
      const first = input("hello");
      const running = watch(agent, sessionOf(first)).next("status");
      const sent = await agent.send(first);
      await running;
      const later = home.clock.now() + leaseExpiryMs + 1;
      await home.disk.leases.acquire(
        sessionOf(first),
        { host: "here", pid: 2, startTime: "2" },
        later,
        () => false,
      );
      await home.clock.advance(leaseHeartbeatMs);
      assert.equal((await sent.ended)?.fault?.code, "lost");
    },
  );

  test("input that never started is set aside when it came from a terminal", async () => {
    await using home = await testHome();
    const session = await crash(home);
    const queued = input("later", { session });
    await home.disk.inbox.admit({ ...queued, id: asId<"inb">("inb_later"), at: 1 });
    const next = await home.open(halfway, { pid: 2, ...pidIsGone });
    assert.deepEqual(await next.reconcile(), { turns: 1, setAside: 1 });
    assert.equal((await home.disk.inbox.get(asId<"inb">("inb_later")))?.state, "kept");
  });

  test("input of a chat that never started waits for the executor, and its answer goes to the outbox", async () => {
    await using home = await testHome();
    const session = await crash(home, "telegram");
    await home.disk.inbox.admit({
      ...input("later", { session, surface: "telegram" }),
      id: asId<"inb">("inb_later"),
      at: 1,
    });
    const next = await home.open(
      scriptedRuntime((turn) => says("late but here", turn)),
      { pid: 2, ...pidIsGone },
    );
    assert.deepEqual(await next.reconcile(), { turns: 1, setAside: 0 });
    assert.equal((await home.disk.inbox.get(asId<"inb">("inb_later")))?.state, "waiting");
    assert.equal(await next.runWaiting(), 1);
    await next.drain();
    const bodies = (await home.disk.outbox.inState("pending", "telegram")).map(({ body }) =>
      body.kind === "answer" ? body.markdown : "",
    );
    assert.equal(bodies.length, 2);
    assert.match(bodies[0] ?? "", /interrupted/);
    assert.equal(bodies[1], "late but here");
  });

  test("input of a program waits for the executor, too, and its answer is there to be read", async () => {
    await using home = await testHome();
    const sent = { ...input("later", { surface: "api" }), id: asId<"inb">("inb_later"), at: 1 };
    await home.disk.inbox.admit(sent);
    const next = await home.open(
      scriptedRuntime((turn) => says("late but here", turn)),
      { pid: 2, ...pidIsGone },
    );
    assert.deepEqual(await next.reconcile(), { turns: 0, setAside: 0 });
    assert.equal(await next.runWaiting(), 1);
    await next.drain();
    const { turn = asId<"trn">("none") } = (await home.disk.inbox.get(sent.id)) ?? {};
    assert.equal((await home.disk.turns.get(turn))?.state, "done");
    assert.deepEqual(await home.disk.outbox.inState("pending"), []);
  });
});
