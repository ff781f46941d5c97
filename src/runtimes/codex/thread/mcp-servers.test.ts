import assert from "node:assert/strict";
import { test } from "node:test";
import { codexMcpServers } from "./mcp-servers.ts";

const nobody = new Set<string>();

test("our words for an MCP server become codex's", () => {
  const { servers, notices } = codexMcpServers(
    {
      files: { command: "npx", args: ["x"], env: { A: "1" }, cwd: "/w", timeout: 30, connect_timeout: 5 },
      web: { url: "http://127.0.0.1:1/mcp", headers: { X: "y" }, transport: "sse" },
    },
    nobody,
  );
  assert.deepEqual(servers, {
    files: {
      command: "npx",
      args: ["x"],
      env: { A: "1" },
      cwd: "/w",
      tool_timeout_sec: 30,
      startup_timeout_sec: 5,
    },
    web: { url: "http://127.0.0.1:1/mcp", http_headers: { X: "y" } },
  });
  assert.deepEqual(notices, []);
});

test("a server that is switched off is left out without a word", () => {
  assert.deepEqual(codexMcpServers({ off: { command: "x", enabled: false } }, nobody), {
    servers: {},
    notices: [],
  });
});

test("the person's own server of the same name wins, and that is said", () => {
  const { servers, notices } = codexMcpServers({ mine: { command: "x" } }, new Set(["mine"]));
  assert.deepEqual(servers, {});
  assert.match(notices[0] ?? "", /mine of your codex settings is used/);
});

test("a command wins over an address", () => {
  const { servers } = codexMcpServers(
    { both: { command: "x", url: "http://y", headers: { A: "b" } } },
    nobody,
  );
  assert.deepEqual(servers, { both: { command: "x" } });
});

test("what codex cannot do, and a server that says nothing, is reported by name", () => {
  const { servers, notices } = codexMcpServers({ odd: { command: "x", sampling: true }, empty: {} }, nobody);
  assert.deepEqual(servers, { odd: { command: "x" } });
  assert.deepEqual(notices, [
    "The MCP server odd: codex has nothing for sampling.",
    "The MCP server empty has neither a command nor a url, so it is left out.",
  ]);
});
