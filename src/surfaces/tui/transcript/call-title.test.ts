import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import type { Json } from "../../../core/json.ts";
import { callTitle } from "./call-title.ts";

const cases: readonly (readonly [tool: string, args: Json, detail: string, name?: string])[] = [
  ["terminal", { command: "ls -la", cwd: "/x" }, "ls -la"],
  ["exec_command", { command: "/bin/bash -lc 'echo ok; ls'", cwd: "/x" }, "echo ok; ls"],
  ["exec_command", { command: "/bin/bash -lc false", cwd: "/x" }, "false"],
  ["exec_command", { command: "bash -lc 'a'\\''b'", cwd: "/x" }, "bash -lc 'a'\\''b'"],
  ["read_file", { path: "a.ts" }, "a.ts"],
  ["read_file", { path: "a.ts", offset: 10, limit: 5 }, "a.ts:10-14"],
  ["write_file", { path: "a.ts", content: "x".repeat(1_000) }, "a.ts"],
  ["patch", { path: "a.ts", edits: [] }, "a.ts"],
  ["search_files", { pattern: "x.*y", path: "src" }, "x.*y in src"],
  ["session_search", { query: "last week" }, "last week"],
  ["delegate_task", { goal: "count", runtime: "loop" }, "count"],
  ["delegate_task", { tasks: [{ goal: "a" }, { goal: "b", context: "c" }] }, "a; b"],
  ["todo", { todos: [{ id: "1", content: "read", status: "pending" }], merge: true }, "read"],
  [
    "web_extract",
    { urls: ["https://a.example", "https://b.example"] },
    "https://a.example, https://b.example",
  ],
  ["web_extract", { urls: 7, offset: 1 }, '{"offset":1,"urls":7}'],
  ["browser_type", { ref: "@e1", text: "hi", submit: true }, "@e1: hi"],
  ["vision_analyze", { image: "data:image/png;base64,AAAA", question: "?" }, "data:image/png;base64,…"],
  ["toString", { a: 1, b: 2 }, '{"a":1,"b":2}'],
  ["clarify", { question: "Which?", choices: ["a"] }, "Which?"],
  ["process", { action: "kill", id: "p1" }, "kill p1"],
  ["apply_patch", { changes: [{ kind: "update", path: "a.ts" }] }, "a.ts"],
  [
    "apply_patch",
    {
      changes: [
        { kind: "update", path: "a.ts" },
        { kind: "add", path: "b.ts" },
      ],
    },
    "1 add, 1 update: a.ts, b.ts",
  ],
  ["mcp.github.search", { query: "x", limit: 3 }, '{"limit":3,"query":"x"}', "mcp github.search"],
  ["memory", { text: "a fact" }, "a fact"],
  ["memory", { action: "add", content: "Uses tabs." }, "remembered: Uses tabs."],
  ["memory", { action: "add", target: "user", content: "Is Ada." }, "remembered about you: Is Ada."],
  [
    "memory",
    { action: "replace", target: "project", old_text: "make", content: "just" },
    "remembered about this project: just (before: make)",
  ],
  ["memory", { action: "remove", old_text: "tabs" }, "forgot: tabs"],
  ["memory", { action: "add", old_text: 7 }, '{"action":"add","old_text":7}'],
  ["skill_manage", { action: "create", name: "deploy", content: "# Deploy" }, "wrote the skill deploy"],
  [
    "skill_manage",
    { action: "write_file", name: "deploy", file: "references/x.md", content: "x" },
    "wrote a file of the skill deploy: references/x.md",
  ],
  ["skill_view", { name: "deploy", file: "references/x.md" }, "deploy: references/x.md"],
  ["todo", {}, ""],
  ["terminal", { command: 7 }, '{"command":7}'],
  ["constructor", { a: 1, b: 2 }, '{"a":1,"b":2}'],
];
for (const [tool, args, detail, name = tool] of cases) {
  test(`a call of ${tool} with ${JSON.stringify(args).slice(0, 60)} is named by what matters`, () => {
    assert.deepEqual(callTitle(tool, args), { name, detail });
  });
}

test("any tool with any arguments has a title", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...cases.map(([tool]) => tool)), fc.string()),
      fc.jsonValue(),
      (tool, args) => {
        const { name, detail } = callTitle(tool, args as Json);
        assert.ok(name !== "" && typeof detail === "string");
      },
    ),
  );
});
