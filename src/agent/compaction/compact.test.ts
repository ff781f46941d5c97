import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { done, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestAgent, input, sessionOf, testHome, watch } from "../../../test/fakes/test-agent.ts";
import type { AuxiliaryAnswer, AuxiliaryCall } from "../../core/auxiliary.ts";
import type { SessionId } from "../../core/ids.ts";
import { type Message, messageText } from "../../core/messages.ts";
import type { Past, Ports, Runtime, Turn } from "../../runtimes/runtime.ts";
import { validHistory } from "../../../test/valid-history.ts";
import type { CompactionDeps } from "./compact.ts";

const notes = (words: string): string => `## Goal\n${words}\n\n## Decisions\nnone`;
const written = (words: string): AuxiliaryAnswer => ({
  text: notes(words),
  provider: "mine",
  model: "small",
});
const long = (words: string): string => `${words} ${"and so on ".repeat(60)}`;

/** An auxiliary model that gives these answers, the last one again and again. */
function auxiliary(
  ...answers: readonly AuxiliaryAnswer[]
): CompactionDeps & { readonly calls: AuxiliaryCall[] } {
  const calls: AuxiliaryCall[] = [];
  return {
    calls,
    threshold: 0.75,
    window: () => 10_000,
    auxiliary: async (call) => {
      calls.push(call);
      return answers[calls.length - 1] ?? answers.at(-1) ?? { unavailable: "No model is set." };
    },
  };
}

/** Answers with a long text and says how full it is; remembers what it was given. */
function talker(
  used: () => number,
): Runtime & { readonly turns: Past[]; readonly given: (readonly Message[])[] } {
  const turns: Past[] = [];
  const given: (readonly Message[])[] = [];
  const runtime = scriptedRuntime(async function* (turn) {
    const before = await turn.past();
    turns.push(before);
    given.push(before.view ?? before.history);
    for await (const event of says(long(`answer ${turns.length}`), turn)) {
      yield event.type === "ended" ? { ...event, usage: usage(used()) } : event;
    }
  });
  return { ...runtime, turns, given };
}

const usage = (used: number) => ({ input: used, cached: 0, output: 0, reasoning: 0, context: { used } });

async function past(agent: TestAgent, session: SessionId | undefined, ...words: readonly string[]) {
  let id = session;
  for (const each of words) {
    const message = input(long(each), id === undefined ? {} : { session: id });
    id ??= sessionOf(message);
    await (
      await agent.send(message)
    ).ended;
  }
  return id as SessionId;
}

const textOf = (messages: readonly Message[] | undefined): string =>
  (messages ?? []).map(messageText).join("\n");
const ten = Array.from({ length: 10 }, (_, at) => `question ${at + 1}.`);

describe("a conversation that fills the context", () => {
  test("is shortened before its next turn: the model gets the summary, the rows stay, and the person is told", async () => {
    await using home = await testHome();
    let used = 100;
    const runtime = talker(() => used);
    const aux = auxiliary(written("build the thing"));
    const agent = await home.open(runtime, { compaction: aux });
    const session = await past(agent, undefined, ...ten, ...ten);
    assert.equal(aux.calls.length, 0);
    used = 8_000;
    await past(agent, session, "nearly full.");
    const rows = await home.disk.sessions.messages(session);
    const seen = watch(agent, session);
    used = 900;
    await past(agent, session, "the next one.");

    const view = runtime.given.at(-1) ?? [];
    assert.equal(validHistory(view), undefined);
    assert.match(textOf(view), /## Goal\nbuild the thing/);
    assert.match(messageText(view[0] as Message), /^question 1\./);
    assert.doesNotMatch(textOf(view), /question 5\./);
    assert.match(textOf(view.slice(-2)), /nearly full/);
    assert.ok(
      (runtime.turns.at(-1)?.history.length ?? 0) > view.length,
      "the whole history is there beside it",
    );
    const now = await home.disk.sessions.messages(session);
    assert.deepEqual(now.slice(0, rows.length), rows);
    const [call] = aux.calls;
    assert.deepEqual([call?.task, call?.session], ["compression", session]);
    assert.match(call?.input ?? "", /question 5\./);
    const told = seen.events.map((event) => (event.type === "notice" ? event.code : event.type));
    assert.deepEqual(told.slice(0, 4), ["started", "status", "compacted", "item"]);

    await past(agent, session, "and on.");
    assert.equal(aux.calls.length, 1, "what was measured before the summary does not count");
    assert.deepEqual(runtime.given.at(-1)?.slice(0, view.length), view);
  });

  test("gives its summary to be carried on the next time, with the pinned lines and the things to do", async () => {
    await using home = await testHome();
    let used = 100;
    const runtime = talker(() => used);
    const aux = auxiliary(written("first notes"), written("second notes"));
    const agent = await home.open(runtime, { compaction: aux });
    const session = await past(agent, undefined, ...ten.slice(0, 1));
    assert.match(await agent.compress(session, { do: "pin", text: "never push" }), /1\. never push/);
    const [opened] = await home.disk.sessions.turns(session);
    assert.ok(opened);
    const step = { id: "a", content: "write the tests", status: "in_progress" } as const;
    await home.disk.todos.change(session, opened.id, () => [step]);
    await past(agent, session, ...ten);
    used = 8_000;
    await past(agent, session, "full.", ...ten);
    await home.clock.advance(60_001);
    await past(agent, session, "and again.");
    const update = aux.calls.find(({ input: words }) => words.includes("first notes"));
    assert.match(update?.instructions ?? "", /Bring them up to date/);
    assert.doesNotMatch(update?.input ?? "", /question 2\.[^]*question 2\./, "only what is new");
    assert.match(textOf(runtime.given.at(-1)), /- never push/);
    assert.match(textOf(runtime.given.at(-1)), /list of the todo tool:\n\[>\] a: write the tests/);
    const [first, second] = await home.disk.compactions.list(session);
    assert.equal(second?.previous, first?.id);
  });

  test("loses nothing when no summary can be had: one notice, then rest", async () => {
    await using home = await testHome();
    let used = 100;
    const runtime = talker(() => used);
    const aux = auxiliary({ unavailable: "The small model is away." }, { ...written(""), text: "I cannot." });
    const agent = await home.open(runtime, { compaction: aux });
    const session = await past(agent, undefined, ...ten);
    used = 8_000;
    await past(agent, session, "full.", "overfull.");
    const seen = watch(agent, session);
    const notices = () => seen.events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    const before = aux.calls.length;
    assert.equal(before, 1, "the first time there was something to shorten");
    await past(agent, session, "again.");
    assert.deepEqual([aux.calls.length, notices().length], [before, 0]);
    assert.match(textOf(runtime.given.at(-1)), /question 5\./);
    assert.deepEqual(await home.disk.compactions.list(session), []);

    await home.clock.advance(60_001);
    await past(agent, session, "later.");
    assert.equal(aux.calls.length, before + 1);
    assert.match(notices().join(), /did not answer with a summary.*tried again in 300 s/);
    await home.clock.advance(299_000);
    await past(agent, session, "too early.");
    assert.equal(aux.calls.length, before + 1);
  });

  test("is left alone while nobody knows how much the model can read", async () => {
    await using home = await testHome();
    const aux = { ...auxiliary(written("x")), window: () => undefined };
    const agent = await home.open(
      talker(() => 1_000_000),
      { compaction: aux },
    );
    await past(agent, undefined, ...ten, ...ten);
    assert.equal(aux.calls.length, 0);
  });

  test("is shortened when the model refuses it, for the same turn", async () => {
    await using home = await testHome();
    const aux = { ...auxiliary(written("overflown")), window: () => undefined };
    let shorter: readonly Message[] | undefined;
    let count = 0;
    const runtime = scriptedRuntime(async function* (turn, ports: Ports) {
      count += 1;
      if (count === 21) shorter = await ports.compact?.();
      yield* says(long(`answer ${count}`), turn);
    });
    const agent = await home.open(runtime, { compaction: aux });
    const session = await past(agent, undefined, ...ten, ...ten);
    const seen = watch(agent, session);
    await past(agent, session, "too much.");
    assert.match(textOf(shorter), /overflown/);
    assert.equal(validHistory([...(shorter ?? []), { role: "user", content: "too much." }]), undefined);
    assert.ok(seen.events.some((event) => event.type === "notice" && event.code === "compacted"));
  });

  test("first loses large old tool results, which takes no model", async () => {
    await using home = await testHome();
    let used = 100;
    const given: (readonly Message[])[] = [];
    const runtime = scriptedRuntime(async function* (turn) {
      const { history, view = history } = await turn.past();
      given.push(view);
      const call = { id: `${turn.id}_c` as never, callId: `c${given.length}`, tool: "terminal", args: {} };
      const output = given.length < 3 ? "x".repeat(20_000) : "small";
      yield { type: "item", item: { ...call, kind: "call", output, ok: true } };
      yield* says("fine", turn);
      yield { ...done("fine"), usage: usage(used) };
    });
    const withUsage: Runtime = {
      ...runtime,
      async *run(turn, ports) {
        for await (const event of runtime.run(turn, ports)) {
          yield event.type === "ended" ? { ...event, usage: usage(used) } : event;
        }
      },
    };
    const aux = auxiliary(written("not needed"));
    const agent = await home.open(withUsage, { compaction: aux });
    const session = await past(agent, undefined, ...ten);
    used = 7_900;
    await past(agent, session, "full.");
    const seen = watch(agent, session);
    await past(agent, session, "next.");
    assert.equal(aux.calls.length, 0);
    const results = (given.at(-1) ?? []).filter(({ role }) => role === "tool").map(messageText);
    assert.match(results[0] ?? "", /more characters of this result are left out/);
    assert.equal(results.length, 11);
    assert.ok(seen.events.some((event) => event.type === "notice" && /2 old tool results/.test(event.text)));
    assert.match(await agent.compress(session, { do: "undo" }), /all \d+ messages again/);
  });
});

describe("/compress", () => {
  test("shortens with a focus, undo brings the whole back, and both say what they did", async () => {
    await using home = await testHome();
    const runtime = talker(() => 100);
    const aux = auxiliary(written("the login"));
    const agent = await home.open(runtime, { compaction: aux });
    const session = await past(agent, undefined, ...ten);
    const said = await agent.compress(session, { do: "compress", focus: "the login bug" });
    assert.match(said, /first 14 messages .* summary of 36 characters by mine\/small/);
    assert.match(aux.calls[0]?.instructions ?? "", /special attention to: the login bug/);
    await past(agent, session, "on.");
    assert.match(textOf(runtime.given.at(-1)), /the login/);
    assert.match(await agent.compress(session, { do: "undo" }), /given all 22 messages again/);
    await past(agent, session, "whole.");
    assert.equal(runtime.turns.at(-1)?.view, undefined);
    assert.match(textOf(runtime.given.at(-1)), /question 3\./);
    assert.match(await agent.compress(session, { do: "undo" }), /nothing to take back/);
  });

  test("says why it changed nothing", async () => {
    await using home = await testHome();
    const runtime = talker(() => 100);
    const aux = auxiliary(
      { unavailable: "No model is set." },
      { ...written("x"), text: `${notes("y")}${"z".repeat(9_000)}` },
    );
    const agent = await home.open(runtime, { compaction: aux });
    const session = await past(agent, undefined, "short.");
    assert.match(await agent.compress(session, { do: "compress" }), /nothing to shorten: of 2 messages/);
    await past(agent, session, ...ten.slice(0, 4));
    assert.match(
      await agent.compress(session, { do: "compress" }),
      /could not be shortened: No model is set\. Nothing/,
    );
    assert.match(
      await agent.compress(session, { do: "compress" }),
      /would be as long as what it stands for\. Nothing was changed/,
    );
    assert.deepEqual(await home.disk.compactions.list(session), []);
    assert.match(await agent.compress(session, { do: "unpin", number: 3 }), /no pinned line 3/);
  });

  test("is refused while a turn runs", async () => {
    await using home = await testHome();
    const gate = Promise.withResolvers<void>();
    const runtime = scriptedRuntime(async function* (turn) {
      await gate.promise;
      yield* says("ok", turn);
    });
    const agent = await home.open(runtime, { compaction: auxiliary(written("x")) });
    const first = input("hello");
    const sent = await agent.send(first);
    await assert.rejects(agent.compress(sessionOf(first), { do: "compress" }), { code: "busy" });
    gate.resolve();
    await sent.ended;
  });

  test("lets a message that comes meanwhile wait, and Stop ends it without a trace", async () => {
    await using home = await testHome();
    const runtime = talker(() => 100);
    const asked = Promise.withResolvers<void>();
    const aux: CompactionDeps = {
      ...auxiliary(),
      auxiliary: (_call, signal) =>
        new Promise((resolve) => {
          asked.resolve();
          signal.addEventListener("abort", () => resolve({ unavailable: "aborted" }));
        }),
    };
    const agent = await home.open(runtime, { compaction: aux });
    const session = await past(agent, undefined, ...ten);
    const compressing = agent.compress(session, { do: "compress" });
    await asked.promise;
    const next = await agent.send(input("meanwhile", { session }));
    assert.equal(runtime.turns.length, 10);
    await agent.stop(session);
    assert.equal(await compressing, "Stopped. Nothing was changed.");
    await next.ended;
    assert.deepEqual(await home.disk.compactions.list(session), []);
  });

  test("asks a runtime that keeps the conversation itself, which is given all of it", async () => {
    await using home = await testHome();
    let used = 100;
    const runtime = talker(() => used);
    const asked: Turn[] = [];
    const own: Runtime = {
      ...runtime,
      compact: async (turn) => {
        asked.push(turn);
        return { done: "It did." };
      },
    };
    const aux = auxiliary(written("x"));
    const agent = await home.open(own, { compaction: aux });
    const session = await past(agent, undefined, ...ten);
    used = 9_900;
    await past(agent, session, ...ten);
    assert.equal(aux.calls.length, 0);
    assert.match(
      await agent.compress(session, { do: "compress", focus: "f" }),
      /^It did\. It takes no focus/,
    );
    assert.equal((await asked[0]?.past())?.history.length, 40);
  });
});
