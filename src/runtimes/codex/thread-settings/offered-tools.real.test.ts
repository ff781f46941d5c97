import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { pinnedCodex } from "../../../../test/codex-schema/pinned-codex.ts";
import { type RawProvider, startRawProvider } from "../../../../test/fakes/raw-provider.ts";
import type { TurnEvent } from "../../../core/events.ts";
import type { Json } from "../../../core/json.ts";
import type { Message } from "../../../core/messages.ts";
import { systemClock } from "../../../lib/clock.ts";
import { fieldsOf, listOf, textIn } from "../wire/fields.ts";
import { toolBox } from "../../../tools/registry.ts";
import type { Tool } from "../../../tools/tool.ts";
import { portsOf, turnOf } from "../../runtime.suite.ts";
import type { Ports, Runtime } from "../../runtime.ts";
import { suiteRuntime } from "../codex.suite.ts";
import { realPlace } from "../real-codex.suite.ts";
import { readSide } from "../thread/turn-side.ts";
import type { Offer } from "./offered-tools.ts";
import { ownersTurn } from "../../../../test/owners-turn.ts";

const offer: Offer = new Map([
  ["recall", "shown"],
  ["zebra_ride", "deferred"],
]);

const tool = (name: string, description: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description,
  toolset: "test",
  schema: z.object({ where: z.string() }) as unknown as Tool["schema"],
  effect: "none",
  timeoutMs: 10_000,
  maxOutputChars: 1000,
  run: async (args) => ({ ok: true, output: `${name} ${JSON.stringify(args)}` }),
  ...more,
});
const recall = tool("recall", "Recalls what was said.");
const ride = tool("zebra_ride", "Rides on striped animals.");

type Fixture = AsyncDisposable & {
  readonly model: RawProvider;
  readonly runtime: Runtime;
  turn(
    tools: readonly Tool[],
    off?: readonly string[],
    history?: readonly Message[],
  ): Promise<readonly TurnEvent[]>;
};

/** A runtime on the real codex. `replies`: the output items of the model, request by request. */
async function fixture(model: string, replies: readonly (readonly object[])[]): Promise<Fixture> {
  await using opened = new AsyncDisposableStack();
  const raw = opened.use(await startRawProvider(replies.map((items) => ({ body: sse(items) }))));
  const real = opened.use(await realPlace(pinnedCodex()));
  const route = { name: "raw", url: raw.url, headers: {} };
  const runtime = opened.use(suiteRuntime(real.launch({ route, model }), model, offer));
  const ports: Ports = portsOf([], new AbortController().signal);
  const kept = opened.move();
  return {
    model: raw,
    runtime,
    turn(tools, off = [], history = []) {
      const { ask, inquire } = ports;
      const turn = turnOf({ history });
      const context = {
        session: turn.session,
        turn: turn.id,
        ...ownersTurn,
        cwd: real.work,
        clock: systemClock,
        ask,
        inquire,
      };
      const box = toolBox(tools, context, { allow: ({ name }) => !off.includes(name) });
      return Array.fromAsync(
        runtime.run({ ...turn, ...ownersTurn, cwd: real.work }, { ...ports, tools: box }),
      );
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const sse = (items: readonly object[]): string =>
  [
    { type: "response.created", response: { id: "r" } },
    ...items.map((item, at) => ({ type: "response.output_item.done", output_index: at, item })),
    {
      type: "response.completed",
      response: { id: "r", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");

const says = (text: string): readonly object[] => [
  { type: "message", role: "assistant", id: "m", content: [{ type: "output_text", text }] },
];
const calls = (name: string): readonly object[] => [
  {
    type: "function_call",
    id: "f",
    call_id: `call_${name}`,
    name,
    namespace: "talaria",
    arguments: '{"where":"zoo"}',
  },
];

/** Tools in a request of codex to the model, as one text; a model of its newest kind gets them as an item. */
function toolsIn({ model }: Fixture, at: number): string {
  const body = fieldsOf(JSON.parse(model.requests[at]?.body ?? "{}"));
  const added = inputOf(body).filter((item) => item["type"] === "additional_tools");
  return JSON.stringify([body["tools"], added.map((item) => item["tools"])]);
}

const inputOf = (body: Readonly<Record<string, unknown>>) => listOf(body["input"]).map(fieldsOf);

/** The last item that the model was given. */
function lastItem({ model }: Fixture, at: number): string {
  const items = inputOf(fieldsOf(JSON.parse(model.requests[at]?.body ?? "{}")));
  return JSON.stringify(items.at(-1));
}

const outputs = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "item" && event.item.kind === "call" ? [event.item.output] : []));

const threadOf = (events: readonly TurnEvent[]): Json | undefined => {
  const [started] = events;
  return started?.type === "started" ? readSide(started.side)?.thread : undefined;
};

const seeded = (events: readonly TurnEvent[]): boolean =>
  events.some((event) => event.type === "notice" && event.code === "thread_seeded");

describe("a deferred tool on the real codex", { concurrency: 2 }, () => {
  test("is not in the request, is found by codex's own search, and can be called", async () => {
    const search = {
      type: "tool_search_call",
      id: "s",
      call_id: "call_s",
      status: "completed",
      execution: "client",
      arguments: { query: "striped animals" },
    };
    await using it = await fixture("gpt-5.5", [[search], calls("zebra_ride"), says("Done.")]);
    const events = await it.turn([recall, ride]);
    assert.match(toolsIn(it, 0), /"recall"/);
    assert.match(toolsIn(it, 0), /found by a tool search: zebra_ride\./);
    assert.doesNotMatch(toolsIn(it, 0), /striped/);
    assert.match(lastItem(it, 1), /"tool_search_output".*"zebra_ride".*striped/);
    assert.deepEqual(outputs(events), ['zebra_ride {"where":"zoo"}']);
  });

  test("is found in the list of all tools by a model that writes code", async () => {
    const code =
      'text(ALL_TOOLS.filter(({ description }) => description.includes("striped")).map(({ name }) => name)); text(await tools.talaria__zebra_ride({ where: "code" }));';
    const exec = { type: "custom_tool_call", id: "e", call_id: "call_e", name: "exec", input: code };
    await using it = await fixture("gpt-6.1-sol", [[exec], says("Done.")]);
    const events = await it.turn([recall, ride]);
    assert.match(toolsIn(it, 0), /talaria__recall/);
    assert.doesNotMatch(toolsIn(it, 0), /striped/);
    assert.match(lastItem(it, 1), /talaria__zebra_ride/);
    assert.deepEqual(outputs(events), ['zebra_ride {"where":"code"}']);
  });

  test("is shown to a model that codex does not know, which could not search for it", async () => {
    await using it = await fixture("somebody/own-model", [calls("zebra_ride"), says("Done.")]);
    const events = await it.turn([recall, ride]);
    assert.match(toolsIn(it, 0), /striped/);
    assert.doesNotMatch(toolsIn(it, 0), /tool_search|tool search/);
    assert.deepEqual(outputs(events), ['zebra_ride {"where":"zoo"}']);
  });
});

describe("the thread of a session", { concurrency: 2 }, () => {
  const said: readonly Message[] = [
    { role: "user", content: "go" },
    { role: "assistant", content: "First." },
  ];

  test("stays when a backend is gone, and says why the tool cannot be used", async () => {
    await using it = await fixture("gpt-5.5", [says("First."), calls("zebra_ride"), says("Done.")]);
    const first = await it.turn([recall, ride]);
    const gone = { ...ride, unavailable: () => "the zebra is asleep" };
    const second = await it.turn([recall, gone], [], said);
    assert.deepEqual([threadOf(second), seeded(second)], [threadOf(first), false]);
    assert.deepEqual(outputs(second), ["zebra_ride cannot be used here: the zebra is asleep"]);
  });

  test("is not told of a tool that cannot be used, and stays when it can be", async () => {
    await using it = await fixture("own", [says("First."), says("Second.")]);
    const first = await it.turn([recall, { ...ride, unavailable: () => "asleep" }]);
    assert.doesNotMatch(toolsIn(it, 0), /zebra/);
    const second = await it.turn([recall, ride], [], said);
    assert.deepEqual([threadOf(second), seeded(second)], [threadOf(first), false]);
  });

  test("is another one when the person switches a tool off, with all that was said", async () => {
    await using it = await fixture("own", [says("First."), says("Second.")]);
    const first = await it.turn([recall, ride]);
    const second = await it.turn([recall, ride], ["zebra_ride"], said);
    assert.notEqual(threadOf(second), threadOf(first));
    assert.equal(seeded(second), true);
    assert.match(toolsIn(it, 0), /zebra_ride/);
    assert.doesNotMatch(toolsIn(it, 1), /zebra_ride/);
    const told = inputOf(fieldsOf(JSON.parse(it.model.requests[1]?.body ?? "{}")));
    assert.ok(
      told.some((item) => textIn(item, "role") === "assistant" && JSON.stringify(item).includes("First.")),
    );
  });
});
