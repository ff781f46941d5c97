import assert from "node:assert/strict";
import { test } from "node:test";
import { codexMcpServers, codexServer } from "./mcp-servers.ts";

const nobody = {};

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
  const { servers, notices } = codexMcpServers({ mine: { command: "x" } }, { mine: { command: "y" } });
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

test("a server that codex has from us already is not worth a word, one that was changed or switched off there is", () => {
  const ours = { mine: { command: "x", args: ["a"], timeout: 3 } };
  const theirs = {
    command: "x",
    args: ["a"],
    env: {},
    cwd: null,
    tool_timeout_sec: 3,
    tools: {},
    enabled: true,
  };
  assert.deepEqual(codexMcpServers(ours, { mine: theirs }), { servers: {}, notices: [] });
  for (const change of [{ args: ["b"] }, { enabled: false }, { env: { A: "1" } }])
    assert.equal(codexMcpServers(ours, { mine: { ...theirs, ...change } }).notices.length, 1);
});

test("values that codex would refuse its whole file for are left out, each with the reason", () => {
  const odd = {
    command: "x",
    args: "a",
    env: { A: 1 },
    timeout: "30",
    connect_timeout: -1,
    url: "u",
    transport: "sse",
  };
  const server = codexServer(odd);
  assert.ok("settings" in server);
  assert.deepEqual(server.settings, { command: "x" });
  assert.deepEqual(server.notes, [
    "url: not used by one with a command",
    "args is not a list of texts, so it is left out",
    "env is not a map of texts, so it is left out",
    "timeout is not a number of seconds, so it is left out",
    "connect_timeout is not a number of seconds, so it is left out",
    "codex finds out by itself that the transport is sse",
  ]);
  for (const timeout of [Number.NaN, Number.POSITIVE_INFINITY, 0, 1e300])
    assert.deepEqual((codexServer({ command: "x", timeout }) as { settings: object }).settings, {
      command: "x",
    });
});

const chosen = (tools: object): unknown => codexServer({ command: "x", tools } as never);

test("the tools that are chosen of a server are chosen in codex, too, as far as it can be told", () => {
  const settings = { command: "x" };
  assert.partialDeepStrictEqual(chosen({ include: ["a"], exclude: ["b*"] }), {
    settings: { ...settings, enabled_tools: ["a"] },
    unoffered: [],
  });
  assert.partialDeepStrictEqual(chosen({ include: ["a", "b*", "c?"] }), {
    settings: { ...settings, enabled_tools: ["a"] },
    unoffered: ["b*", "c?"],
    unknown: [],
  });
  assert.partialDeepStrictEqual(chosen({ include: [] }), { settings: { ...settings, enabled_tools: [] } });
  assert.partialDeepStrictEqual(chosen({ exclude: ["a", "b"] }), {
    settings: { ...settings, disabled_tools: ["a", "b"] },
  });
  assert.deepEqual(chosen({ exclude: ["a", "b*"] }), {
    why: "is left out on codex, which knows only whole names of tools: write out b* in tools.exclude",
  });
  assert.partialDeepStrictEqual(chosen({}), { settings });
});

test("names of JavaScript's own are keys like any other", () => {
  const server = codexServer({ command: "x", constructor: 1, toString: 2 } as never);
  assert.deepEqual("unknown" in server && server.unknown, ["constructor", "toString"]);
});
