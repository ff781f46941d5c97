import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogue, dynamicTools, offered, offeredToCodex } from "./offered-tools.ts";

/** A change here changes what codex may call on our side: it should be meant. */
test("exactly these host tools may be offered to codex", () => {
  assert.deepEqual([...offeredToCodex].toSorted(), ["session_search"]);
});

test("what reads, writes, searches or runs on the machine is never offered", () => {
  for (const name of ["terminal", "process", "read_file", "write_file", "patch", "search_files"]) {
    assert.equal(offeredToCodex.has(name), false, name);
  }
});

const spec = (name: string) => ({
  name,
  description: `${name} it`,
  parameters: { type: "object" },
  interactive: false,
  deferred: false,
});

test("offered tools stand in one namespace, in the same order every time", () => {
  const tools = offered([spec("b"), spec("a"), spec("c")], new Set(["a", "b"]));
  assert.equal(catalogue(tools), "a,b");
  assert.deepEqual(dynamicTools(tools, true), [
    {
      type: "namespace",
      name: "talaria",
      description: "What Talaria remembers and can do for this person beyond this thread.",
      tools: [
        { type: "function", name: "a", description: "a it", inputSchema: { type: "object" } },
        { type: "function", name: "b", description: "b it", inputSchema: { type: "object" } },
      ],
    },
  ]);
  assert.deepEqual(dynamicTools([], true), []);
});

test("an old codex gets the same tools, each with the name of the namespace", () => {
  assert.deepEqual(dynamicTools(offered([spec("b"), spec("a")], new Set(["a", "b"])), false), [
    { namespace: "talaria", name: "a", description: "a it", inputSchema: { type: "object" } },
    { namespace: "talaria", name: "b", description: "b it", inputSchema: { type: "object" } },
  ]);
  assert.deepEqual(dynamicTools([], false), []);
});
