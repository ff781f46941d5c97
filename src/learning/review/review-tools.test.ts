import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolBox } from "../../tools/tool.ts";
import { reviewTools } from "./review-tools.ts";

const names = [
  "memory",
  "skills_list",
  "skill_view",
  "skill_manage",
  "terminal",
  "web_search",
  "delegate_task",
];

function box(): ToolBox & { readonly called: string[] } {
  const called: string[] = [];
  const spec = { description: "", parameters: {}, interactive: false, deferred: false };
  return {
    called,
    specs: names.map((name) => ({ name, ...spec })),
    enabled: names,
    async call(name) {
      called.push(name);
      return { ok: true, output: "done" };
    },
  };
}

const { signal } = new AbortController();

test("a review is offered memory and skills alone, and nothing else runs whatever it calls", async () => {
  const whole = box();
  const tools = reviewTools(whole);
  const allowed = ["memory", "skills_list", "skill_view", "skill_manage"];
  assert.deepEqual(
    tools.specs.map(({ name }) => name),
    allowed,
  );
  assert.deepEqual(tools.enabled, allowed);
  for (const name of [...names, "Memory", "memory "]) {
    const { ok } = await tools.call(name, {}, signal);
    assert.equal(ok, allowed.includes(name), name);
  }
  assert.deepEqual(whole.called, allowed);
});

test("a review that goes round in circles is told to end", async () => {
  const whole = box();
  const tools = reviewTools(whole);
  for (let call = 0; call < 20; call += 1) await tools.call("skills_list", {}, signal);
  assert.equal(whole.called.length, 16);
  assert.match((await tools.call("memory", {}, signal)).output, /used up its calls/);
});
