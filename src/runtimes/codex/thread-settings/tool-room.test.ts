import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { dynamicTools, offered, offeredToCodex } from "./offered-tools.ts";
import { fitTools } from "./tool-room.ts";

const specOf = (name: string, size: number) => ({
  name,
  description: "x".repeat(size),
  parameters: { type: "object" },
  interactive: false,
  deferred: false,
});

const shown = (tools: ReturnType<typeof offered>): readonly string[] =>
  tools.specs.filter(({ deferred }) => !deferred).map(({ name }) => name);

test("what is told and shown to a thread has room in 8 KiB, and the first of the list goes first", () => {
  // Those of boards are for workers of cards, who have few of the others.
  const names = [...offeredToCodex.keys()].filter((name) => !name.startsWith("kanban_"));
  const specs = names.map((name) => specOf(name, 450));
  const all = offered({ specs, enabled: names }, offeredToCodex);
  assert.deepEqual(
    shown(fitTools(all, "")).toSorted(),
    names.filter((name) => offeredToCodex.get(name) === "shown").toSorted(),
  );
  assert.deepEqual(shown(fitTools(all, "x".repeat(6000))), ["memory", "skill_view", "skills_list"]);
  assert.deepEqual(shown(fitTools(all, "x".repeat(9000))), ["skill_view"], "some in any case");
  assert.deepEqual(fitTools(all, "x".repeat(7000)).names, all.names, "the catalogue is the same");
  const sizes = fc.array(fc.nat({ max: 2000 }), { minLength: names.length, maxLength: names.length });
  fc.assert(
    fc.property(sizes, fc.nat({ max: 6900 }), (some, told) => {
      const tools = offered(
        { specs: names.map((name, at) => specOf(name, some[at] ?? 0)), enabled: names },
        offeredToCodex,
      );
      const fitting = fitTools(tools, "x".repeat(told));
      const given = { ...fitting, specs: fitting.specs.filter(({ deferred }) => !deferred) };
      const size = JSON.stringify(dynamicTools(given, { nested: true, findable: true })).length;
      assert.ok(told + size <= 8192 && size <= 6 * 1024);
    }),
    { numRuns: 50 },
  );
});
