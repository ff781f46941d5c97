import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { quietSettings } from "../../fakes/real-codex-home.ts";
import { talariaOnCodex } from "./codex-talaria.ts";

const server = `${process.execPath}", args: ["${resolve("test/fakes/mcp-echo.mjs")}"]`;
const settings = `mcp_servers: { parrot: { command: "${server}, env: { ECHO_PREFIX: ours } } }\n`;
const repeat = [{ reply: [{ call: { tool: "?repeat", args: { text: "hello" } } }] }, says("It said it.")];

/** Codex shows MCP tools up front only to a model that it does not know; the others find them by searching. */
const plain = ["--model", "home-made"];

type Offered = { readonly name?: string; readonly tools?: readonly Offered[] };

describe("an MCP server of the person", () => {
  test("in Talaria's settings works in codex, also in the second turn of a new process", async () => {
    await using it = await talariaOnCodex([...repeat, ...repeat]);
    await appendFile(join(it.home, "config.yaml"), settings);
    const first = await it.turn([...plain, "repeat hello"]);
    assert.partialDeepStrictEqual(first.items[0], {
      kind: "call",
      tool: "mcp.parrot.repeat",
      args: { text: "hello" },
      output: "ours: hello",
      ok: true,
    });
    const second = await it.turn(["--continue", "and again"]);
    assert.partialDeepStrictEqual(second.items[0], { tool: "mcp.parrot.repeat", output: "ours: hello" });
    assert.equal(second.thread, first.thread);
  });

  test("offers in codex only the tools that the settings choose, and a pattern is said to be none there", async () => {
    await using it = await talariaOnCodex([says("Hello.")]);
    const three = `command: "${server}, env: { ECHO_TOOLS: "alpha beta gamma" }`;
    const chosen = `mcp_servers:
  chosen: { ${three}, tools: { include: [alpha, "b*"] } }
  rest: { ${three}, tools: { exclude: [alpha, beta] } }
  none: { ${three}, tools: { exclude: ["g*"] } }
`;
    await appendFile(join(it.home, "config.yaml"), chosen);
    const { notices } = await it.turn([...plain, "hello"]);
    const offered = (it.model.requests[0]?.body["tools"] ?? []) as readonly Offered[];
    const ofServers = offered.filter(({ name = "" }) => name.startsWith("mcp__"));
    assert.deepEqual(
      ofServers.map(({ name, tools = [] }) => [name, tools.map((tool) => tool.name)]),
      [
        ["mcp__chosen", ["alpha"]],
        ["mcp__rest", ["gamma"]],
      ],
    );
    assert.deepEqual(notices("mcp_server"), [
      "The MCP server chosen: codex knows only whole names of tools, so what fits b* is not offered there.",
      "The MCP server none is left out on codex, which knows only whole names of tools: write out g* in tools.exclude.",
    ]);
  });

  test("of the same name in codex's own settings is used instead, and that is said", async () => {
    await using it = await talariaOnCodex(repeat);
    await appendFile(join(it.home, "config.yaml"), settings);
    const own = `[mcp_servers.parrot]
command = "${process.execPath}"
args = ["${resolve("test/fakes/mcp-echo.mjs")}"]
env = { ECHO_PREFIX = "theirs" }
`;
    await writeFile(join(it.codexHome, "config.toml"), `${quietSettings}\n${own}`);
    const { items, notices } = await it.turn([...plain, "repeat hello"]);
    assert.partialDeepStrictEqual(items[0], { tool: "mcp.parrot.repeat", output: "theirs: hello" });
    assert.match(notices("mcp_server")[0] ?? "", /parrot of your codex settings is used/);
  });
});
