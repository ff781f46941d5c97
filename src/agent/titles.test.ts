import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Auxiliary, AuxiliaryAnswer, AuxiliaryCall } from "../core/auxiliary.ts";
import { playReplies, says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { type TestAgent, input, sessionOf, testHome } from "../../test/fakes/test-agent.ts";
import type { Incoming } from "../core/host.ts";
import { titleOf, titles } from "./titles.ts";

const answered = (text: string): AuxiliaryAnswer => ({ text, provider: "p", model: "m" });

/** A model that gives these answers, one for each call. */
function model(...answers: readonly AuxiliaryAnswer[]): {
  readonly auxiliary: Auxiliary;
  readonly calls: AuxiliaryCall[];
} {
  const calls: AuxiliaryCall[] = [];
  return {
    calls,
    auxiliary: async (call) => {
      calls.push(call);
      return answers[calls.length - 1] ?? { unavailable: "no more answers" };
    },
  };
}

describe("titles", { timeout: 60_000 }, () => {
  test("a session gets one after its first exchange, from that exchange, and only once", async () => {
    await using it = await opened(model(answered('{"title":"Red boats on the lake"}'), answered("Another")));
    const first = await it.turn(input("Where are the red boats?"));
    assert.equal((await it.session(first))?.title, "Red boats on the lake");
    await it.turn(input("And the blue ones?", { session: sessionOf(first) }));
    assert.equal((await it.session(first))?.title, "Red boats on the lake");
    assert.equal(it.calls.length, 1);
    const [call] = it.calls;
    assert.equal(call?.task, "title_generation");
    assert.equal(call.session, sessionOf(first));
    assert.deepEqual(JSON.parse(call.input), { user: "Where are the red boats?", assistant: "An answer." });
  });

  test("one that a person has given stays, also when they give it meanwhile", async () => {
    const wait = Promise.withResolvers<AuxiliaryAnswer>();
    const asked = Promise.withResolvers<void>();
    const slow: Auxiliary = () => {
      asked.resolve();
      return wait.promise;
    };
    await using it = await opened({ auxiliary: slow, calls: [] });
    const one = input("hello");
    const after = it.turn(one);
    await asked.promise;
    await it.agent.store.sessions.update(sessionOf(one), { title: "Mine" });
    wait.resolve(answered("Theirs"));
    await after;
    assert.equal((await it.session(one))?.title, "Mine");
  });

  test("what could not be made is tried again after the next turn, and logged once for a reason", async () => {
    const none = { unavailable: "no key" };
    await using it = await opened(model(none, none, answered("  "), answered("Late but good title")));
    const first = await it.turn(input("hello"));
    for (let n = 0; n < 3; n++) await it.turn(input("more", { session: sessionOf(first) }));
    assert.equal((await it.session(first))?.title, "Late but good title");
    assert.deepEqual(
      it.log.map((line) => line.replace(/.*: /, "")),
      ["no key", "the model gave none"],
    );
  });

  test("what was taken back gives no title", async () => {
    const asked = model({ unavailable: "no key" }, answered("Red boats"));
    await using it = await opened(asked);
    const first = await it.turn(input("a mistake"));
    await it.agent.undo(sessionOf(first), 1);
    await it.turn(input("about boats", { session: sessionOf(first) }));
    assert.match(it.calls.at(-1)?.input ?? "", /about boats/);
    assert.doesNotMatch(it.calls.at(-1)?.input ?? "", /a mistake/);
  });

  test("a turn that failed asks for none", async () => {
    await using it = await opened(model(answered("T")), "failed");
    await it.turn(input("hello"));
    assert.equal(it.calls.length, 0);
  });

  test("closing gives it up without a word, and nothing is written afterwards", async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const wait = Promise.withResolvers<AuxiliaryAnswer>();
    const slow: Auxiliary = (_call, signal) => {
      asked.resolve(signal);
      return wait.promise;
    };
    await using it = await opened({ auxiliary: slow, calls: [] });
    const one = input("hello");
    const after = it.turn(one);
    const signal = await asked.promise;
    it.names[Symbol.dispose]();
    assert.ok(signal.aborted);
    wait.resolve(answered("Too late"));
    await after;
    assert.equal((await it.session(one))?.title, undefined);
    await it.turn(input("again", { session: sessionOf(one) }));
    assert.deepEqual(it.log, []);
  });
});

test("a title is one clean line of at most seven words, whatever the model writes", () => {
  const table: readonly (readonly [string, string])[] = [
    ['{"title":"Red boats"}', "Red boats"],
    ['```json\n{"title":"Red boats"}\n```', "Red boats"],
    ['"Red boats on the lake."', "Red boats on the lake"],
    ["Title: Red boats", "Red boats"],
    ["**Red boats**\nBecause of the boats.", "Red boats"],
    ["one two three four five six seven eight", "one two three four five six seven"],
    ["red\u001b]0;x\u0007 boats", "red ]0;x boats"],
    ["red \u202Eboats\u2028there", "red boats there"],
    ['{"title":7}', ""],
    ["", ""],
    ["x".repeat(200), `${"x".repeat(79)}…`],
  ];
  for (const [answer, title] of table) assert.equal(titleOf(answer), title, answer);
});

/** An agent whose turns are followed by titles. */
async function opened({ auxiliary, calls }: ReturnType<typeof model>, outcome: "done" | "failed" = "done") {
  const home = await testHome();
  const refused = playReplies([{ httpStatus: 401 }], []);
  const runtime = scriptedRuntime((turn, ports) =>
    outcome === "done" ? says("An answer.", turn) : refused(turn, ports),
  );
  const agent: TestAgent = await home.open(runtime);
  const log: string[] = [];
  const { store } = agent;
  const names = titles({ store, auxiliary, redact: (text) => text, log: (line) => log.push(line) });
  return {
    agent,
    names,
    calls,
    log,
    /** A turn, and what comes after it. */
    async turn(incoming: Incoming): Promise<Incoming> {
      const sent = await agent.send(incoming);
      await names.after(sent.session, sent.ended);
      return incoming;
    },
    session: (incoming: Incoming) => store.sessions.get(sessionOf(incoming)),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
