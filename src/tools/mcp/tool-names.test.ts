import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { toolKey, toolNames } from "./tool-names.ts";

const name = (server: string, tool: string, ...others: readonly (readonly [string, string])[]) =>
  toolNames([[server, tool] as const, ...others].map(([at, one]) => ({ server: at, tool: one }))).get(
    toolKey({ server, tool }),
  );

test("a tool is named by its server and itself, and a rival with an exact claim has the plain name", () => {
  assert.equal(name("files", "read"), "mcp__files__read");
  assert.equal(name("my files", "read/all"), "mcp__my_files__read_all");
  assert.equal(name("files", "a_b", ["files", "a.b"]), "mcp__files__a_b");
  assert.match(name("files", "a.b", ["files", "a_b"]) ?? "", /^mcp__files__a_b_[0-9a-f]{8}$/);
  assert.match(name("files", "x".repeat(80)) ?? "", /^mcp__files__x+_[0-9a-f]{8}$/);
});

test("any tools get names that every protocol takes, all different, and the same in any order", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom("a_b", "a.b", "a b", "__", "*a"),
  );
  const places = fc.uniqueArray(fc.record({ server: text, tool: text }), { selector: toolKey });
  fc.assert(
    fc.property(places, (all) => {
      const names = toolNames(all);
      assert.equal(new Set(names.values()).size, all.length);
      for (const one of names.values()) assert.match(one, /^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
      assert.deepEqual(new Map([...toolNames(all.toReversed())].toSorted()), new Map([...names].toSorted()));
    }),
  );
});
