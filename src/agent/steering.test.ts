import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aborted, done, says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { type TestHome, input, sessionOf, testHome, watch } from "../../test/fakes/test-agent.ts";
import type { Envelope } from "../core/events.ts";
import type { Sent } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import type { ConverseEvent } from "../models/converse.ts";
import { loopRuntime } from "../runtimes/loop/loop.ts";
import type { Runtime, Steered } from "../runtimes/runtime.ts";
import type { TurnTable } from "../store/store.ts";

const route = { name: "r", protocol: "chat", url: "", headers: {}, model: "m" } as const;
const completed: ConverseEvent = { type: "completed", skipped: 0 };
const times = (value: unknown, words: string): number => JSON.stringify(value).split(words).length - 1;

/** A loop whose model calls a tool first; while it runs, the person speaks. */
async function spokenInto(home: TestHome, words: string) {
  const asked: (readonly Message[])[] = [];
  const loop = loopRuntime({
    routes: async () => [route],
    async *stream(_route, { messages }) {
      asked.push([...messages]);
      yield asked.length === 1
        ? { type: "item", item: { kind: "call", item: 0, callId: "c", name: "t", arguments: "{}" } }
        : { type: "item", item: { kind: "text", item: 0, text: `answer ${asked.length}` } };
      yield completed;
    },
  });
  const first = input("go");
  const session = sessionOf(first);
  const sent: Sent[] = [];
  const agent = await home.open(loop, {
    toolBox: async () => ({
      specs: [],
      enabled: [],
      async call() {
        sent.push(await agent.send(input(words, { session, whenBusy: "steer" })));
        return { ok: true, output: "done" };
      },
    }),
  });
  const ended = await (await agent.send(first)).ended;
  return { agent, session, asked, sent, ended };
}

describe("what is said into a turn on the loop", () => {
  test("reaches the model below the result, and is a row of its own", async () => {
    await using home = await testHome();
    const { session, asked, sent, ended } = await spokenInto(home, "be kind");
    assert.equal(ended?.text, "answer 2");
    assert.deepEqual([sent[0]?.state, (await sent[0]?.ended)?.turn], ["steered", ended?.turn]);
    assert.match(String(asked[1]?.at(-1)?.content), /^done\n\n\[.*\]\nbe kind$/);
    const rows = await home.disk.sessions.messages(session);
    assert.deepEqual(
      rows.map(({ message }) => `${message.role} ${String(message.content)}`),
      ["user go", "user be kind", "assistant ", "tool done", "assistant answer 2"],
    );
    assert.equal(rows[1]?.item, sent[0]?.inbox);
    assert.equal((await home.disk.search({ text: "be kind", limit: 9 })).length, 1);
    assert.equal(asked.length, 2, "it is not run as a turn of its own");
  });

  test("is in every later request once, at the same place, so that prompt caches hold", async () => {
    await using home = await testHome();
    const { agent, session, asked } = await spokenInto(home, "be kind");
    await (
      await agent.send(input("next", { session }))
    ).ended;
    assert.deepEqual(asked[2]?.slice(0, asked[1]?.length), asked[1]);
    assert.equal(times(asked[2], "be kind"), 1);
    assert.deepEqual(
      asked[2]?.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user"],
    );
  });
});

/** Takes whatever is said into its turns, and never ends them. */
const listener = (): Runtime =>
  scriptedRuntime(
    async function* (_turn, ports) {
      yield { type: "status", state: "thinking" };
      await aborted(ports.signal);
      yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
    },
    { steer: async () => "taken" },
  );

/** An agent with a running turn, whose store keeps what was said into it in this way. */
async function running(home: TestHome, steered: TurnTable["steered"]) {
  const probe = await home.open(listener(), { pid: 1 });
  const store = { ...probe.store, turns: { ...probe.store.turns, steered } };
  const agent = await home.open(listener(), { pid: 1, store });
  const first = input("go");
  const session = sessionOf(first);
  const seen = watch(agent, session);
  const busy = seen.next("status");
  await agent.send(first);
  await busy;
  return { agent, session, events: seen.events };
}

const contents = async (home: TestHome, session: SessionId) =>
  (await home.disk.sessions.messages(session)).map(({ message }) => message.content);

describe("what a turn has taken and nobody has written down yet", () => {
  test("is kept after a death in between, the person is told once, and it is no part of the turn", async () => {
    await using home = await testHome();
    const reached = Promise.withResolvers<void>();
    const { agent, session } = await running(home, () => {
      reached.resolve();
      return new Promise(() => {});
    });
    const said = input("be kind", { session, whenBusy: "steer" });
    void agent.send(said);
    await reached.promise;
    const [lost] = await home.disk.inbox.inState("unconfirmed", session);
    assert.ok(lost);

    const next = await home.open(
      scriptedRuntime((turn) => says("back", turn)),
      { pid: 2, isGone: ({ pid }) => pid === 1 },
    );
    await next.reconcile();
    assert.equal((await home.disk.inbox.get(lost.id))?.state, "kept");
    assert.deepEqual(await contents(home, session), ["go"]);
    const { events } = watch(next, session);
    for (const words of ["again", "and again"]) await (await next.send(input(words, { session }))).ended;
    const told = events.filter((event) => event.type === "notice" && event.code === "input_kept");
    assert.deepEqual(
      told.map((event) => event.type === "notice" && event.text.includes('"be kind"')),
      [true],
    );
    assert.equal((await next.send(said)).state, "duplicate");
  });

  test("is unconfirmed when it cannot be written, and the person hears of it instead of an error", async () => {
    await using home = await testHome();
    const { agent, session, events } = await running(home, () => Promise.reject(new Error("disk full")));
    const sent = await agent.send(input("be kind", { session, whenBusy: "steer" }));
    assert.equal(sent.state, "unconfirmed");
    assert.equal((await home.disk.inbox.get(sent.inbox))?.state, "unconfirmed");
    assert.deepEqual(
      events.flatMap((event) => (event.type === "notice" ? [event.code] : [])),
      ["steer_unconfirmed"],
    );
  });

  test("becomes part of the turn after a death when the runtime has seen it arrive", async () => {
    await using home = await testHome();
    const reached = Promise.withResolvers<void>();
    const { agent, session } = await running(home, () => {
      reached.resolve();
      return new Promise(() => {});
    });
    void agent.send(input("be kind", { session, whenBusy: "steer" }));
    await reached.promise;
    const [sent] = await home.disk.inbox.inState("unconfirmed", session);
    const runtime: Runtime = {
      ...scriptedRuntime((turn) => says("back", turn)),
      arrivedInputs: async () => new Set(sent && [sent.id]),
    };
    const next = await home.open(runtime, { pid: 2, isGone: ({ pid }) => pid === 1 });
    await next.reconcile();
    assert.deepEqual(await contents(home, session), ["go", "be kind"]);
    assert.deepEqual(await home.disk.inbox.inState("kept", session), []);
  });
});

/**
 * A runtime that is stuck when something is said into its turn, and says what has arrived when it is asked. `goOn`: it answers, or
 * ends otherwise.
 */
async function stuck(home: TestHome, arrivedInputs: NonNullable<Runtime["arrivedInputs"]>) {
  const goOn = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Steered>();
  const reached = Promise.withResolvers<void>();
  const runtime: Runtime = {
    ...scriptedRuntime(
      async function* (turn, ports) {
        yield { type: "status", state: "thinking" };
        if (turn.input.some((part) => part.type === "text" && part.text === "next"))
          return yield done("Next.");
        await Promise.race([goOn.promise, aborted(ports.signal)]);
        if (ports.signal.aborted) return yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
        yield* says("Kindly.", turn);
      },
      {
        steer: () => {
          reached.resolve();
          return answer.promise;
        },
      },
    ),
    arrivedInputs,
  };
  const agent = await home.open(runtime);
  const first = input("go");
  const session = sessionOf(first);
  const seen = watch(agent, session);
  const busy = seen.next("status");
  const { ended } = await agent.send(first);
  await busy;
  const steered = agent.send(input("be kind", { session, whenBusy: "steer" }));
  await reached.promise;
  return { agent, session, events: seen.events, ended, steered, goOn: goOn.resolve, answer: answer.resolve };
}

/** All that was sent has arrived. */
const all =
  (home: TestHome): NonNullable<Runtime["arrivedInputs"]> =>
  async ({ session }) =>
    new Set((await home.disk.inbox.inState("unconfirmed", session)).map(({ id }) => id));

const codes = (events: readonly Envelope[]): readonly string[] =>
  events.flatMap((event) => (event.type === "notice" ? [event.code] : []));

describe("what nobody could say had arrived, when its turn ends", () => {
  for (const end of ["goOn", "stop"] as const)
    test(`is part of the turn if the runtime has it: ${end}`, async () => {
      await using home = await testHome();
      const it = await stuck(home, all(home));
      it.answer("indeterminate");
      const { state, inbox } = await it.steered;
      assert.equal(state, "unconfirmed");
      if (end === "goOn") it.goOn();
      else await it.agent.stop(it.session);
      const turn = (await it.ended)?.turn;
      assert.equal((await home.disk.inbox.get(inbox))?.state, "steered");
      assert.deepEqual(codes(it.events), ["steer_unconfirmed", "steer_arrived"]);
      assert.equal(it.events.at(-1)?.type, "ended");
      await (
        await it.agent.send(input("next", { session: it.session }))
      ).ended;
      const rows = await home.disk.sessions.messages(it.session);
      const own = rows.filter((row) => row.turn === turn).map(({ message }) => message.content);
      assert.deepEqual(own, end === "goOn" ? ["go", "Kindly.", "be kind"] : ["go", "be kind"]);
    });

  test("is set aside if the runtime does not have it, and the person is told with the next turn", async () => {
    await using home = await testHome();
    const it = await stuck(home, async () => new Set());
    it.answer("indeterminate");
    const { inbox } = await it.steered;
    it.goOn();
    await it.ended;
    assert.equal((await home.disk.inbox.get(inbox))?.state, "kept");
    await (
      await it.agent.send(input("next", { session: it.session }))
    ).ended;
    assert.deepEqual(codes(it.events), ["steer_unconfirmed", "input_kept"]);
  });

  test("is asked for when the runtime has answered for it only after the end", async () => {
    await using home = await testHome();
    const it = await stuck(home, all(home));
    await it.agent.stop(it.session);
    await it.ended;
    it.answer("indeterminate");
    const { state, inbox } = await it.steered;
    assert.equal(state, "steered");
    assert.equal((await home.disk.inbox.get(inbox))?.state, "steered");
    assert.deepEqual(await contents(home, it.session), ["go", "be kind"]);
    assert.deepEqual(codes(it.events), []);
  });

  test("waits as ever if the runtime has refused it after all", async () => {
    await using home = await testHome();
    const it = await stuck(home, async () => new Set());
    it.goOn();
    await it.ended;
    it.answer("refused");
    assert.equal((await it.steered).state, "running");
  });

  for (const [name, arrivedInputs] of [
    ["cannot be asked", () => Promise.reject(new Error("gone"))],
    ["does not answer", () => new Promise<never>(() => {})],
  ] as const)
    test(`is unconfirmed for good if the runtime ${name}, and the turn ends`, async () => {
      await using home = await testHome();
      const asked = Promise.withResolvers<void>();
      const it = await stuck(home, () => {
        asked.resolve();
        return arrivedInputs();
      });
      it.answer("indeterminate");
      const { inbox } = await it.steered;
      it.goOn();
      await asked.promise;
      await home.clock.advance(10_000);
      assert.partialDeepStrictEqual(await it.ended, { outcome: "done", text: "Kindly." });
      assert.equal((await home.disk.inbox.get(inbox))?.state, "unconfirmed");
      assert.deepEqual(codes(it.events), ["steer_unconfirmed"]);
    });
});
