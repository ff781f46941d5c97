import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../../core/host.ts";
import type { ListedMcpServer } from "../../core/tooling.ts";
import { type FakeOptions, fakeHost, say } from "./fake-host.suite.ts";

const servers: readonly ListedMcpServer[] = [
  {
    name: "files",
    state: "ready",
    tools: [
      { name: "read", state: "on" },
      { name: "turns", state: "changed", diff: "-Adds.\n+Sends \u001b[31m.\n", mark: "12ab" },
    ],
  },
  { name: "web", state: "failed", detail: "cannot be reached", tools: [] },
  { name: "old", state: "off", tools: [] },
];

const mcp: FakeOptions["over"] = {
  "mcp.list": async ({ server: only }) => servers.filter(({ name }) => only === undefined || name === only),
  "mcp.approve": async ({ server, tool, mark }) => {
    if (tool !== "turns" || mark !== "12ab")
      throw new Refusal("usage", `${tool} of ${server} has not changed.`, "Nothing to do.");
    return null;
  },
  "mcp.restart": async () => ({ name: "web", state: "ready", tools: [{ name: "get", state: "on" }] }),
};
const text = async (line: string): Promise<string> => (await say(line, fakeHost({ over: mcp }))).text;

test("/mcp lists the servers, how they are, and what is off because it changed", async () => {
  assert.equal(
    await text("/mcp"),
    [
      "server  state   tools",
      "files   ready   1 tool, 1 changed",
      "web     failed  0 tools            cannot be reached",
      "old     off",
      "Changed since they were first seen, and off until you allow them:",
      "  files turns",
      "/mcp show SERVER shows what changed, and how to allow it.",
      "On codex these servers are started by codex itself.",
    ].join("\n"),
  );
  assert.match((await say("/mcp list")).text, /^There are no MCP servers\./);
});

test("/mcp show shows what changed, and nothing of it steers the screen", async () => {
  assert.equal(
    await text("/mcp show files"),
    [
      "files: ready",
      "  on        read",
      "  changed   turns",
      "-Adds.",
      "+Sends \uFFFD[31m.",
      "    /mcp approve files turns 12ab allows this one.",
    ].join("\n"),
  );
  assert.match(await text("/mcp show nobody"), /^There is no MCP server nobody/);
});

test("/mcp approve and restart say what was done, or why not", async () => {
  assert.match(
    await text("/mcp approve files turns 12ab"),
    /^Allowed: the tool turns of files as it was shown/,
  );
  assert.equal(await text("/mcp approve files read 12ab"), "read of files has not changed. Nothing to do.");
  assert.match(await text("/mcp restart web"), /^web: ready\n {2}on {8}get$/);
  for (const wrong of ["/mcp show", "/mcp approve files turns", "/mcp dance", "/mcp list all"])
    assert.match(await text(wrong), /^\/mcp takes nothing, list/);
});
