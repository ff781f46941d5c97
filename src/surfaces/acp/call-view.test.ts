import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../core/json.ts";
import { callView } from "./call-view.ts";

const seen = (tool: string, args: Json): readonly unknown[] => {
  const { title, kind, locations } = callView(tool, args, "/work");
  return [kind, title, ...(locations ?? []).map(({ path, line }) => (line ? `${path}:${line}` : path))];
};

test("calls of both runtimes look like what they do, with the places that an editor can open", () => {
  const rows: readonly (readonly [string, Json, readonly unknown[]])[] = [
    ["terminal", { command: "ls\n-l" }, ["execute", "ls -l"]],
    ["exec_command", { command: "/bin/bash -lc 'ls -l'", cwd: "/" }, ["execute", "ls -l"]],
    ["exec_command", { command: '/bin/bash -lc "it\'s"' }, ["execute", '/bin/bash -lc "it\'s"']],
    ["read_file", { path: "a.ts", offset: 7 }, ["read", "Read a.ts", "/work/a.ts:7"]],
    ["write_file", { path: "/b.ts", content: "" }, ["edit", "Write /b.ts", "/b.ts"]],
    ["patch", { path: "c.ts", edits: [] }, ["edit", "Edit c.ts", "/work/c.ts"]],
    ["apply_patch", { changes: [{ kind: "add", path: "d" }] }, ["edit", "Edit d", "/work/d"]],
    ["apply_patch", { changes: [{ kind: "delete", path: "/d" }] }, ["delete", "Edit /d", "/d"]],
    [
      "apply_patch",
      { changes: [{ kind: "update", path: "d", move_path: "e" }] },
      ["move", "Edit d", "/work/e"],
    ],
    [
      "apply_patch",
      {
        changes: [
          { kind: "add", path: "d" },
          { kind: "delete", path: "e" },
        ],
      },
      ["edit", "Edit 1 add, 1 delete: d, e", "/work/d", "/work/e"],
    ],
    ["search_files", { pattern: "owl" }, ["search", "Search owl"]],
    ["mcp.birds.find", { name: "owl" }, ["other", "mcp.birds.find owl"]],
    ["birds", { b: 1, a: 2 }, ["other", 'birds {"a":2,"b":1}']],
    ["terminal", { command: 3 }, ["execute", 'terminal {"command":3}']],
    ["apply_patch", { changes: "none" }, ["edit", "apply_patch none"]],
    ["read_file", "not an object", ["read", "read_file not an object"]],
  ];
  for (const [tool, args, expected] of rows) assert.deepEqual(seen(tool, args), expected);
  assert.equal(callView("terminal", { command: "x".repeat(10_000) }, "/").title.length, 300);
});
