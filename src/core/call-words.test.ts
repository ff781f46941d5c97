import assert from "node:assert/strict";
import { test } from "node:test";
import { beginLine } from "./call-words.ts";

test("memory and skills are named in words on plain lines, too, and what nobody knows as it is", () => {
  const lines = [
    { tool: "memory", args: { action: "add", content: "Uses\ntabs." } },
    { tool: "skill_manage", args: { action: "patch", name: "deploy", old_text: "a", new_text: "b" } },
    { tool: "memory", args: { action: "burn" } },
    { tool: "read_file", args: { path: "a.ts" } },
    {},
  ].map(beginLine);
  assert.deepEqual(lines, [
    "▸ memory remembered: Uses tabs.",
    "▸ skill_manage changed the skill deploy",
    '▸ memory {"action":"burn"}',
    '▸ read_file {"path":"a.ts"}',
    "▸ tool {}",
  ]);
});
