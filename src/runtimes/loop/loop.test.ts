import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { demoScript } from "../../../test/fakes/demo-replies.ts";
import type { TurnEvent } from "../../core/events.ts";
import { systemClock } from "../../lib/clock.ts";
import { converse, type ConverseEvent } from "../../models/converse.ts";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import type { ModelEvent, ModelRequest, Route } from "../../models/model.ts";
import { runtimeSuite } from "../runtime.suite.ts";
import type { Ports } from "../runtime.ts";
import { validHistory } from "../../../test/valid-history.ts";
import { plainTurn } from "./loop-world.suite.ts";
import { loopRuntime } from "./loop.ts";

for (const protocol of ["responses", "chat"] as const) {
  runtimeSuite(`loop on ${protocol}`, async (replies) => {
    const model = await startDemoModel({ clock: systemClock, script: demoScript(replies) });
    const route = { name: "demo", protocol, url: model.url, headers: {}, model: "demo" };
    const runtime = loopRuntime({ stream: converse, routes: async () => [route] });
    return {
      runtime,
      seenByModel: () => model.requests.map((request) => JSON.stringify(request.body)),
      [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
    };
  });
}

/** A server that numbers the calls of every answer from 0, as some do. */
async function* numbered(request: ModelRequest): AsyncIterable<ModelEvent> {
  const asked = request.messages.filter((message) => message.role === "tool").length;
  if (asked < 2) {
    yield {
      type: "item",
      item: { kind: "call", item: 0, callId: "call_0", name: "nothing", arguments: "{}" },
    };
  } else {
    yield { type: "item", item: { kind: "text", item: 0, text: "done" } };
  }
  yield { type: "completed", skipped: 0 };
}

describe("loop", () => {
  test("a call id that a server uses twice is made unique, in call and result alike", async () => {
    const requests: ModelRequest[] = [];
    const { events } = await runLoop((request) => {
      requests.push(request);
      return numbered(request);
    });
    const ids = events.flatMap((event) =>
      event.type === "item" && event.item.kind === "call" ? [event.item.callId] : [],
    );
    assert.deepEqual(ids, ["call_0", "call_0_1"]);
    assert.equal(validHistory(requests.at(-1)?.messages ?? []), undefined);
  });

  test("arguments that are not JSON, or too deep to be kept, are answered and not run", async () => {
    for (const [raw, why] of [
      ['{"path": ', /not valid JSON/],
      ["[".repeat(50_000) + "]".repeat(50_000), /nested deeper than 500 levels/],
    ] as const) {
      let asked = 0;
      const { events, calls } = await runLoop(async function* () {
        asked += 1;
        if (asked === 1)
          yield { type: "item", item: { kind: "call", item: 0, callId: "c", name: "t", arguments: raw } };
        if (asked === 2) yield { type: "item", item: { kind: "text", item: 0, text: "sorry" } };
        yield { type: "completed", skipped: 0 };
      });
      const call = events.find((event) => event.type === "item" && event.item.kind === "call");
      assert.ok(call?.type === "item" && call.item.kind === "call" && !call.item.ok);
      assert.match(call.item.output, why);
      assert.deepEqual(calls, []);
    }
  });

  test("what the provider did by itself is kept as a note, beside the answer", async () => {
    const { events } = await runLoop(async function* () {
      yield { type: "item", item: { kind: "note", item: 0, text: "The provider searched." } };
      yield { type: "item", item: { kind: "text", item: 1, text: "Found." } };
      yield { type: "completed", skipped: 0 };
    });
    const items = events.flatMap((event) => (event.type === "item" ? [event.item] : []));
    assert.partialDeepStrictEqual(items, [
      { kind: "note", text: "The provider searched." },
      { kind: "text", text: "Found." },
    ]);
    assert.partialDeepStrictEqual(events.at(-1), { outcome: "done", text: "Found." });
  });

  test("a model that asks for tools for ever is ended, and says so", async () => {
    const { events } = await runLoop(async function* () {
      yield { type: "item", item: { kind: "call", item: 0, callId: "c", name: "t", arguments: "{}" } };
      yield { type: "completed", skipped: 0 };
    });
    const ended = events.at(-1);
    assert.ok(ended?.type === "ended");
    assert.equal(ended.fault?.code, "refused");
    assert.match(ended.fault?.message ?? "", /100 times/);
  });

  test("text that was shown before the connection broke is kept", async () => {
    const fault = { code: "network", message: "cut", next: "again" } as const;
    const { events } = await runLoop(async function* () {
      yield { type: "delta", item: 0, of: "text", text: "half an ans" };
      yield { type: "failed", fault };
    });
    const item = events.find((event) => event.type === "item");
    assert.ok(item?.type === "item" && item.item.kind === "text");
    assert.equal(item.item.text, "half an ans");
    const ended = events.at(-1);
    assert.ok(ended?.type === "ended" && ended.outcome === "failed");
    assert.equal(ended.text, "half an ans");
  });
});

describe("what lies between the loop and the model", () => {
  test("a retry is a status, a notice a notice, and every request of an answer counts", async () => {
    const spent = { type: "usage", input: 10, cached: 1, output: 2, reasoning: 0 } as const;
    const { events } = await runLoop(async function* () {
      yield spent;
      yield { type: "retrying", text: "once more", afterMs: 0 };
      yield { type: "notice", code: "x", text: "left out" };
      yield { type: "item", item: { kind: "text", item: 3, text: "ok" } };
      yield spent;
      yield { type: "completed", skipped: 0 };
    });
    assert.ok(events.some((event) => event.type === "status" && event.text === "once more"));
    assert.ok(events.some((event) => event.type === "notice" && event.text === "left out"));
    assert.partialDeepStrictEqual(events.at(-1), {
      outcome: "done",
      usage: { input: 20, cached: 2, output: 4, context: { used: 12 } },
    });
  });

  test("text that turns out to be thinking is not kept as an answer", async () => {
    const { events } = await runLoop(async function* () {
      yield { type: "delta", item: 0, of: "text", text: "let me see" };
      yield { type: "item", item: { kind: "thinking", item: 0, text: "let me see" } };
      yield { type: "item", item: { kind: "text", item: 1, text: "ok" } };
      yield { type: "completed", skipped: 0 };
    });
    assert.partialDeepStrictEqual(events.at(-1), { text: "ok" });
  });

  test("sealed reasoning goes back before its answer, until the provider refuses it", async () => {
    const requests: ModelRequest[] = [];
    await runLoop(async function* (request) {
      requests.push(request);
      if (requests.length === 3) yield { type: "notice", code: "reasoning_dropped", text: "left out" };
      if (requests.length < 4) {
        yield { type: "item", item: { kind: "thinking", item: 0, text: "", sealed: requests.length } };
        const callId = `c${requests.length}`;
        yield { type: "item", item: { kind: "call", item: 1, callId, name: "t", arguments: "{}" } };
      }
      yield { type: "completed", skipped: 0 };
    });
    assert.deepEqual(
      requests.map(({ sealed }) => sealed?.map(({ before, data }) => [before, data])),
      [
        undefined,
        [[1, 1]],
        [
          [1, 1],
          [3, 2],
        ],
        [[5, 3]],
      ],
    );
  });
});

async function runLoop(
  answer: (request: ModelRequest) => AsyncIterable<ConverseEvent>,
): Promise<{ readonly events: readonly TurnEvent[]; readonly calls: readonly string[] }> {
  const route: Route = { name: "r", protocol: "responses", url: "", headers: {}, model: "m" };
  const runtime = loopRuntime({ routes: async () => [route], stream: (_route, request) => answer(request) });
  const calls: string[] = [];
  const ports: Ports = {
    signal: new AbortController().signal,
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
    tools: {
      specs: [],
      enabled: [],
      call: async (name) => {
        calls.push(name);
        return { ok: true, output: "" };
      },
    },
    binding: { load: async () => undefined, save: async () => {} },
    processes: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  };
  const events = await Array.fromAsync(runtime.run(plainTurn, ports));
  return { events, calls };
}
