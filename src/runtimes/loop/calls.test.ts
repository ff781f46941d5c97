import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { TurnEvent } from "../../core/events.ts";
import { asId } from "../../core/ids.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { project, startProjection } from "../../transcript/projector.ts";
import type { Ports } from "../runtime.ts";
import { runCalls } from "./calls.ts";

test("the exit code of a command is kept, and the model reads of it what its history will say", async () => {
  const results: readonly ToolResult[] = [
    { ok: true, output: "fine", exitCode: 0 },
    { ok: false, output: "not found", exitCode: 127 },
    { ok: false, output: "", exitCode: 1 },
    { ok: true, output: "no program" },
  ];
  const ports: Ports = {
    signal: new AbortController().signal,
    clock: fakeClock(),
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
    binding: { load: async () => undefined, save: async () => {} },
    processes: { add: async () => {}, remove: async () => {} },
    tools: { specs: [], call: async (name) => results[Number(name)] ?? assert.fail() },
  };
  const calls = results.map((_, at) => ({
    id: asId<"itm">(`itm_${at}`),
    callId: `c${at}`,
    tool: String(at),
    rawArgs: "{}",
  }));
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
