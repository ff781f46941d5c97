import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { TurnEvent } from "../../core/events.ts";
import { asId } from "../../core/ids.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { project, startProjection } from "../../transcript/projector.ts";
import type { Ports } from "../runtime.ts";
import { runCalls } from "./calls.ts";

const portsWith = (call: Ports["tools"]["call"]): Ports => ({
  signal: new AbortController().signal,
  clock: fakeClock(),
  ask: async () => ({ choice: "deny", why: "not_asked" }),
  inquire: async () => undefined,
  binding: { load: async () => undefined, save: async () => {} },
  processes: { add: async () => {}, remove: async () => {} },
  tools: { specs: [], enabled: [], call },
});

const callOf = (at: number) => ({
  id: asId<"itm">(`itm_${at}`),
  callId: `c${at}`,
  tool: String(at),
  rawArgs: "{}",
});

test("the exit code of a command is kept, and the model reads of it what its history will say", async () => {
  const results: readonly ToolResult[] = [
    { ok: true, output: "fine", exitCode: 0 },
    { ok: false, output: "not found", exitCode: 127 },
    { ok: false, output: "", exitCode: 1 },
    { ok: true, output: "no program" },
  ];
  const ports = portsWith(async (name) => results[Number(name)] ?? assert.fail());
  const calls = results.map((_, at) => callOf(at));
  const events: TurnEvent[] = [];
  const running = runCalls(calls, ports, { allowed: 9, remarks: () => [] });
  let step = await running.next();
  for (; !step.done; step = await running.next()) events.push(step.value);
  const items = events.flatMap((event) =>
    event.type === "item" && event.item.kind === "call" ? [event.item] : [],
  );
  assert.deepEqual(
    items.map(({ exitCode }) => exitCode),
    [0, 127, 1, undefined],
  );
  const rows = events.flatMap((event) => project(startProjection(), event)[1]);
  const kept = rows.flatMap((row) => (row.role === "tool" ? [row.content] : []));
  assert.deepEqual(
    step.value.map(({ output }) => output),
    kept,
  );
  assert.deepEqual(kept, ["fine", "[exit 127]\nnot found", "[exit 1]", "no program"]);
});

test("what calls write while they run is told between their begin and their item, of all of them at once", async () => {
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ports = portsWith(async (name, _args, _signal, progress) => {
    progress?.(`${name} works`);
    await both[Number(name)]?.promise;
    progress?.(`${name} is done`);
    return { ok: true, output: "" };
  });
  const told: string[] = [];
  for await (const event of runCalls([callOf(0), callOf(1)], ports, { allowed: 9, remarks: () => [] })) {
    if (event.type === "delta") told.push(`${event.of} of ${event.item}: ${event.text}`);
    if (event.type === "begin" || event.type === "item") told.push(`${event.type} ${event.item.id}`);
    // The second one ends first.
    if (told.length === 4) both[1]?.resolve();
    if (told.at(-1) === "output of itm_1: 1 is done") both[0]?.resolve();
  }
  assert.deepEqual(told, [
    "begin itm_0",
    "begin itm_1",
    "output of itm_0: 0 works",
    "output of itm_1: 1 works",
    "output of itm_1: 1 is done",
    "output of itm_0: 0 is done",
    "item itm_0",
    "item itm_1",
  ]);
});

test("a tool that speaks with the person waits until the others have ended", async () => {
  const other = Promise.withResolvers<void>();
  const order: string[] = [];
  const ports = portsWith(async (name) => {
    order.push(`${name} begins`);
    if (name === "1") await other.promise;
    order.push(`${name} ends`);
    return { ok: true, output: "" };
  });
  const spec = { name: "0", description: "", parameters: {}, interactive: true, deferred: false };
  const alone = { ...ports, tools: { ...ports.tools, specs: [spec] } };
  for await (const event of runCalls([callOf(0), callOf(1)], alone, { allowed: 9, remarks: () => [] }))
    if (event.type === "begin" && event.item.id === "itm_1") setImmediate(other.resolve);
  assert.deepEqual(order, ["1 begins", "1 ends", "0 begins", "0 ends"]);
});
