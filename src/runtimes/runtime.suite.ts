import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import type { EndedEvent, TurnEvent } from "../core/events.ts";
import { newId } from "../core/ids.ts";
import type { Item } from "../core/items.ts";
import type { Json } from "../core/json.ts";
import type { Message } from "../core/messages.ts";
import { systemClock } from "../lib/clock.ts";
import { toolBox } from "../tools/registry.ts";
import type { Tool, TurnContext } from "../tools/tool.ts";
import type { Ports, Runtime, Turn } from "./runtime.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

/** What the model behind the runtime says to one request. Every runtime's test translates it into its own terms. */
export type ModelReply = {
  readonly thinks?: string;
  readonly says?: string;
  readonly calls?: readonly { readonly tool: string; readonly args: Json }[];
  /** Says what it says, then nothing more, ever. */
  readonly hangs?: true;
  readonly httpStatus?: 401 | 429 | 500;
};

/** A runtime with a model that gives these replies in order. */
export type RuntimeUnderTest = AsyncDisposable & {
  readonly runtime: Runtime;
  /** Everything the model was sent, as text. */
  readonly seenByModel: () => readonly string[];
};

type Start = (replies: readonly ModelReply[]) => Promise<RuntimeUnderTest>;

/** Where runtimes may differ. Each way has its own expected result. */
export type Capabilities = {
  /**
   * In which order the items of one answer's calls come: that of the calls, or any, because who runs them takes them up
   * as it likes. In either case each call has its own result, once, and the model gets them in the order of the calls.
   */
  readonly callOrder?: "kept" | "any";
  /** Does it run anything beside a conversation? */
  readonly sideTurn?: boolean;
};

/** What every runtime owes, whoever runs the turn. */
export function runtimeSuite(
  name: string,
  start: Start,
  { callOrder = "kept", sideTurn = true }: Capabilities = {},
): void {
  describe(`runtime: ${name}`, () => {
    test("says `started` first, `ended` last, and each once", async () => {
      const { events } = await play(start, [{ says: "hello" }]);
      assert.equal(events[0]?.type, "started");
      assert.equal(events.at(-1)?.type, "ended");
      assert.equal(count(events, "started"), 1);
      assert.equal(count(events, "ended"), 1);
    });

    test("an answer is one text item, and the text of the end", async () => {
      const { items, ended } = await play(start, [{ says: "The answer is 42." }]);
      assert.deepEqual(texts(items), ["The answer is 42."]);
      assert.equal(ended.outcome, "done");
      assert.equal(ended.text, "The answer is 42.");
      assert.equal(ended.calls, 0);
    });

    test("the deltas of an item add up to its text, and come before it", async () => {
      const { events, items } = await play(start, [{ says: "one two three four five" }]);
      const item = items.find((each) => each.kind === "text");
      assert.ok(item);
      const said = events.flatMap((event) =>
        event.type === "delta" && event.item === item.id && event.of === "text" ? [event.text] : [],
      );
      if (said.length > 0) assert.equal(said.join(""), item.text);
      const finished = events.findIndex((event) => event.type === "item" && event.item.id === item.id);
      assert.ok(events.findLastIndex((event) => event.type === "delta" && event.item === item.id) < finished);
    });

    test("thinking is an item of its own, before the text it led to", async () => {
      const { items } = await play(start, [{ thinks: "Let me see.", says: "Yes." }]);
      assert.deepEqual(
        items.map((item) => item.kind),
        ["thinking", "text"],
      );
    });

    test("a tool call is announced, runs once, and its result goes back to the model", async () => {
      const { events, items, ended, seen, calls } = await play(start, [
        { calls: [{ tool: "echo", args: { text: "ping" } }] },
        { says: "It said ping." },
      ]);
      const call = items.find((item) => item.kind === "call");
      assert.ok(call);
      assert.equal(call.tool, "echo");
      assert.deepEqual(call.args, { text: "ping" });
      assert.equal(call.output, "echo: ping");
      assert.equal(call.ok, true);
      assert.ok(events.some((event) => event.type === "begin" && event.item.id === call.id));
      assert.deepEqual(calls, ["echo ping"]);
      assert.equal(ended.calls, 1);
      assert.equal(ended.text, "It said ping.");
      assert.ok(seen.at(-1)?.includes("echo: ping"));
    });

    test("what a tool writes while it runs is told as output of its item, between its begin and its end", async () => {
      const { events, items } = await play(start, [
        { calls: [{ tool: "echo", args: { text: "ping" } }] },
        { says: "done" },
      ]);
      const call = items.find((item) => item.kind === "call");
      const about = events.filter(
        (event) =>
          (event.type === "delta" && event.item === call?.id) ||
          ((event.type === "begin" || event.type === "item") && event.item.id === call?.id),
      );
      assert.deepEqual(
        about.map((event) => (event.type === "delta" ? [event.of, event.text] : event.type)),
        ["begin", ["output", "about to say ping"], "item"],
      );
    });

    test(`several calls have a result each, ${orders[callOrder]}`, async () => {
      const { items, ended, seen, calls } = await play(start, [
        { calls: ["a", "b", "c"].map((text) => ({ tool: "echo", args: { text } })) },
        { says: "done" },
      ]);
      const made = items.flatMap((item) => (item.kind === "call" ? [item] : []));
      for (const { args, output, ok } of made) {
        assert.deepEqual([output, ok], [`echo: ${(args as { text: string }).text}`, true]);
      }
      const outputs = made.map(({ output }) => output);
      const wanted = ["echo: a", "echo: b", "echo: c"];
      assert.deepEqual(callOrder === "kept" ? outputs : outputs.toSorted(), wanted);
      assert.equal(new Set(made.map(({ callId }) => callId)).size, 3);
      assert.deepEqual(calls.toSorted(), ["echo a", "echo b", "echo c"]);
      assert.equal(ended.calls, 3);
      const places = wanted.map((output) => seen.join("\n").lastIndexOf(output));
      assert.ok(!places.includes(-1));
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
    });

    test("a failing tool is an answer for the model, and the turn goes on", async () => {
      const { items, ended } = await play(start, [
        { calls: [{ tool: "fail", args: {} }] },
        { says: "That did not work." },
      ]);
      const call = items.find((item) => item.kind === "call");
      assert.ok(call);
      assert.equal(call.ok, false);
      assert.equal(ended.outcome, "done");
    });

    test("item ids are unique within the turn", async () => {
      const { items } = await play(start, [
        { thinks: "hm", calls: [{ tool: "echo", args: { text: "x" } }] },
        { thinks: "so", says: "y" },
      ]);
      assert.equal(new Set(items.map((item) => item.id)).size, items.length);
    });

    test("the model sees the history and the input", async () => {
      const history: Message[] = [
        { role: "user", content: "my name is Ada" },
        { role: "assistant", content: "Hello Ada." },
      ];
      const { seen } = await play(start, [{ says: "Ada" }], { history, input: "what is my name?" });
      assert.ok(seen[0]?.includes("my name is Ada"));
      assert.ok(seen[0]?.includes("what is my name?"));
    });

    test("a refused key ends the turn as failed, with what to do next", async () => {
      const { ended } = await play(start, [{ httpStatus: 401 }]);
      assert.equal(ended.outcome, "failed");
      assert.equal(ended.fault?.code, "auth");
      assert.notEqual(ended.fault?.next, "");
    });

    test("Stop before the start: interrupted, and nothing was done", async () => {
      const { ended, items } = await play(start, [{ says: "never" }], { stopAt: () => true });
      assert.equal(ended.outcome, "interrupted");
      assert.deepEqual(items, []);
    });

    test("Stop in the middle of an answer: interrupted, once", async () => {
      const { ended, events } = await play(start, [{ says: "half an ans", hangs: true }], {
        stopAt: (event) => event?.type === "delta",
      });
      assert.equal(ended.outcome, "interrupted");
      assert.equal(count(events, "ended"), 1);
    });

    test("Stop while a tool runs: the tool is cancelled", async () => {
      const { ended, calls } = await play(start, [{ calls: [{ tool: "wait", args: {} }] }]);
      assert.equal(ended.outcome, "interrupted");
      assert.deepEqual(calls, ["waiting", "cancelled"]);
    });

    test("a steer after the end is refused", async () => {
      await using under = await start([{ says: "hello" }]);
      const turn = turnOf({});
      await Array.fromAsync(under.runtime.run(turn, portsOf([], new AbortController().signal)));
      assert.equal(await under.runtime.steer(turn.id, [{ type: "text", text: "more" }]), "refused");
    });

    if (sideTurn) besideConversations(start);

    test("recovering a turn it knows nothing about invents nothing", async () => {
      await using under = await start([]);
      const ports = portsOf([], new AbortController().signal);
      const events = await under.runtime.recover({ ...turnOf({}), items: [] }, ports);
      assert.deepEqual(
        events.filter((event) => event.type === "item"),
        [],
      );
    });
  });
}

/** For runtimes that run something beside a conversation. */
function besideConversations(start: Start): void {
  test("what runs beside the conversation knows all of it, has its tools, and leaves nothing in it", async () => {
    await using under = await start([
      { says: "Hello Ada." },
      { calls: [{ tool: "echo", args: { text: "ping" } }] },
      { says: "NOTHING" },
      { says: "Your name is Ada." },
    ]);
    const { sideTurn } = under.runtime;
    assert.ok(sideTurn);
    const calls: string[] = [];
    const ports = portsOf(calls, new AbortController().signal);
    const first = turnOf({ input: "my name is Ada" });
    await Array.fromAsync(under.runtime.run(first, ports));
    const bound = await ports.binding.load();
    const history: Message[] = [
      { role: "user", content: "my name is Ada" },
      { role: "assistant", content: "Hello Ada." },
    ];
    const besides = { ...turnOf({ history, input: "what is worth keeping?" }), session: first.session };
    const events = await Array.fromAsync(sideTurn(besides, ports));
    assert.deepEqual([events[0]?.type, count(events, "started")], ["started", 1]);
    const ended = events.at(-1);
    assert.partialDeepStrictEqual(ended, { type: "ended", outcome: "done", text: "NOTHING", calls: 1 });
    assert.deepEqual(calls, ["echo ping"]);
    const asked = under.seenByModel().find((request) => request.includes("what is worth keeping?"));
    assert.ok(asked?.includes("my name is Ada"));
    assert.deepEqual(await ports.binding.load(), bound);
    const seen = under.seenByModel().length;
    await Array.fromAsync(under.runtime.run(turnOf({ history, input: "who am I?" }), ports));
    const later = under.seenByModel().slice(seen).join("\n");
    if (later !== "") assert.ok(later.includes("who am I?") && !later.includes("worth keeping"));
  });

  test("Stop ends what runs beside the conversation, once", async () => {
    await using under = await start([{ says: "Hello." }, { says: "let me s", hangs: true }]);
    const { sideTurn } = under.runtime;
    assert.ok(sideTurn);
    const stop = new AbortController();
    const ports = portsOf([], stop.signal);
    await Array.fromAsync(under.runtime.run(turnOf({ input: "go" }), ports));
    const history: Message[] = [
      { role: "user", content: "go" },
      { role: "assistant", content: "Hello." },
    ];
    const events: TurnEvent[] = [];
    for await (const event of sideTurn(turnOf({ history, input: "look back" }), ports)) {
      events.push(event);
      if (event.type === "delta") stop.abort();
    }
    assert.partialDeepStrictEqual(events.at(-1), { type: "ended", outcome: "interrupted" });
    assert.equal(count(events, "ended"), 1);
  });
}

const orders = { kept: "in the order of the calls", any: "in any order" } as const;

type Play = {
  readonly events: readonly TurnEvent[];
  readonly items: readonly Item[];
  readonly ended: EndedEvent;
  readonly seen: readonly string[];
  /** What the tools did. */
  readonly calls: readonly string[];
};

async function play(
  start: Start,
  replies: readonly ModelReply[],
  options: {
    readonly history?: readonly Message[];
    readonly input?: string;
    /** Asked once with nothing before the start, then with each event. */
    readonly stopAt?: (event: TurnEvent | undefined) => boolean;
  } = {},
): Promise<Play> {
  await using under = await start(replies);
  const stop = new AbortController();
  if (options.stopAt?.(undefined) === true) stop.abort();
  const calls: string[] = [];
  const events: TurnEvent[] = [];
  for await (const event of under.runtime.run(
    turnOf(options),
    portsOf(calls, stop.signal, () => stop.abort()),
  )) {
    events.push(event);
    if (options.stopAt?.(event) === true) stop.abort();
  }
  const ended = events.at(-1);
  assert.ok(ended?.type === "ended");
  const items = events.flatMap((event) => (event.type === "item" ? [event.item] : []));
  return { events, items, ended, seen: under.seenByModel(), calls };
}

export const turnOf = (options: {
  readonly history?: readonly Message[];
  readonly input?: string;
}): Turn => ({
  id: newId("trn", systemClock.now()),
  session: newId("ses", systemClock.now()),
  cwd: process.cwd(),
  past: async () => ({ history: options.history ?? [] }),
  input: [{ type: "text", text: options.input ?? "go" }],
  instructions: "You are a test.",
  project: "",
  context: [],
});

export function portsOf(calls: string[], signal: AbortSignal, onWait = (): void => {}): Ports {
  const context: TurnContext = {
    session: newId("ses", systemClock.now()),
    turn: newId("trn", systemClock.now()),
    ...ownersTurn,
    cwd: process.cwd(),
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
    clock: systemClock,
  };
  let bound: Json | undefined;
  return {
    ...context,
    signal,
    tools: toolBox(suiteTools(calls, onWait), context),
    binding: {
      load: async () => bound,
      save: async (value) => void (bound = value),
    },
    processes: { add: async () => {}, remove: async () => {} },
  };
}

function suiteTools(calls: string[], onWait: () => void): readonly Tool[] {
  const common = { effect: "none", toolset: "test", timeoutMs: 60_000, maxOutputChars: 10_000 } as const;
  const schema = z.object({});
  const echo: Tool<z.ZodObject<{ text: z.ZodString }>> = {
    ...common,
    name: "echo",
    description: "Says the text again.",
    schema: z.object({ text: z.string() }),
    run: async ({ text }, { progress }) => {
      calls.push(`echo ${text}`);
      progress?.(`about to say ${text}`);
      return { ok: true, output: `echo: ${text}` };
    },
  };
  const fail: Tool = {
    ...common,
    name: "fail",
    description: "Always fails.",
    schema,
    run: async () => {
      throw new Error("broken on purpose");
    },
  };
  const wait: Tool = {
    ...common,
    name: "wait",
    description: "Waits until it is cancelled; the test presses Stop when it waits.",
    schema,
    run: async (_args, { signal }) => {
      const cancelled = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      calls.push("waiting");
      onWait();
      await cancelled;
      calls.push("cancelled");
      return { ok: false, output: "cancelled" };
    },
  };
  return [echo as unknown as Tool, fail, wait];
}

const count = (events: readonly TurnEvent[], type: TurnEvent["type"]): number =>
  events.filter((event) => event.type === type).length;

const texts = (items: readonly Item[]): readonly string[] =>
  items.flatMap((item) => (item.kind === "text" ? [item.text] : []));
