import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, test } from "node:test";
import { runCommand } from "../../../src/lib/process/command.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { lines } from "../../../src/lib/rpc/jsonl.ts";
import { pinnedCodex, spawnCodex } from "../../codex-schema/pinned-codex.ts";
import { quietSettings } from "../../fakes/real-codex-home.ts";
import { type CodexTalaria, talariaOnCodex } from "../codex/codex-talaria.ts";
import { says } from "../endpoint.ts";

const echo = `command: "${process.execPath}", args: ["${resolve("test/fakes/mcp-echo.mjs")}"]`;
const settings = `mcp_servers: { parrot: { ${echo}, env: { ECHO_PREFIX: "from the block" }, timeout: 20 } }\n`;
const repeat = [{ reply: [{ call: { tool: "?repeat", args: { text: "hello" } } }] }, says("It said it.")];

/** What somebody has who uses codex with a model of their own. Codex shows MCP tools up front to unknown models alone. */
const theirs = ({ model }: CodexTalaria): string => `# my codex
model = "home-made"
model_provider = "mine"
mcp_servers.other.command = "true" # never asked for
mcp_servers.other.enabled = false
${quietSettings}
[model_providers.mine]
name = "mine"
base_url = "${model.url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[mcp_servers.last]
command = "true"
enabled = false
`;

/** The person's file, with our servers in it. */
async function migrated(
  script: readonly object[],
  more = "",
  unaccounted?: string,
  limits = "",
): Promise<CodexTalaria & { readonly file: string }> {
  const it = await talariaOnCodex(script, unaccounted === undefined ? {} : { unaccounted });
  await appendFile(join(it.home, "config.yaml"), settings + more);
  const file = join(it.codexHome, "config.toml");
  await writeFile(file, limits + theirs(it));
  const { code, stderr } = await it.run(["codex-runtime", "migrate"]);
  assert.equal(code, 0, stderr);
  return { ...it, file };
}

describe("codex on its own, after the migration", () => {
  test("starts with it, however strict, and calls a tool of a migrated server in a turn", async () => {
    await using it = await migrated(repeat, "", "codex runs without Talaria");
    const { code, stdout, stderr } = await runCommand({
      command: pinnedCodex(),
      args: ["exec", "--strict-config", "--json", "--skip-git-repo-check", "repeat hello"],
      cwd: it.cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: it.folder, ...it.env },
      clock: systemClock,
      signal: AbortSignal.timeout(60_000),
    });
    assert.equal(code, 0, stderr);
    const items = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
    const call = items.find(({ type, item }) => type === "item.completed" && item?.type === "mcp_tool_call");
    assert.partialDeepStrictEqual(call?.item, { server: "parrot", tool: "repeat", status: "completed" });
    assert.match(JSON.stringify(call), /from the block: hello/);
  });

  for (const limits of ["", 'sandbox_mode = "workspace-write"\n'])
    test(`\`codex mcp add\` takes our marks off, and our servers are known nevertheless ${limits && "(with limits of their own)"}`, async () => {
      await using it = await migrated([], "", undefined, limits);
      const { code, stderr } = await runCommand({
        command: pinnedCodex(),
        args: ["mcp", "add", "own", "--", "true"],
        cwd: it.cwd,
        env: { PATH: process.env["PATH"] ?? "", HOME: it.folder, ...it.env },
        clock: systemClock,
        signal: AbortSignal.timeout(60_000),
      });
      assert.equal(code, 0, stderr);
      const added = await readFile(it.file, "utf8");
      assert.match(added, /^\[mcp_servers\.parrot\]$/m, "codex did so");
      assert.equal(/^# >>> talaria/m.test(added), limits === "");
      const again = await it.run(["codex-runtime", "migrate", "--json"]);
      assert.partialDeepStrictEqual(again.lines[0], {
        servers: [{ name: "parrot", state: "migrated" }],
        tools: true,
      });
      await writeFile(it.file, added);
      assert.equal((await it.run(["codex-runtime", "migrate", "--remove"])).code, 0);
      const left = await readFile(it.file, "utf8");
      assert.doesNotMatch(left, /parrot|talaria/);
      assert.match(left, /^\[mcp_servers\.own\]$/m);
    });

  test("writes its own settings between our lines, and the next migration keeps every one of them", async () => {
    await using it = await migrated([]);
    const written = {
      model_reasoning_effort: "high",
      'projects."/w".trust_level': "trusted",
      "mcp_servers.parrot.tools.repeat.approval_mode": "approve",
      "mcp_servers.added.command": "true",
    };
    await changeWithCodex(it, written);
    const between = await readFile(it.file, "utf8");
    assert.match(between, /# >>> talaria[^]*model_reasoning_effort[^]*# <<< talaria/, "codex did so");

    await it.run(["codex-runtime", "migrate"]);
    const text = await readFile(it.file, "utf8");
    const [begin, end] = [text.indexOf("# >>> talaria"), text.indexOf("# <<< talaria")];
    const [block, rest] = [text.slice(begin, end), text.slice(0, begin) + text.slice(end)];
    assert.match(rest, /^model_reasoning_effort = "high"$/m);
    assert.match(rest, /^\[projects\."\/w"\]\ntrust_level = "trusted"$/m);
    assert.match(rest, /^\[mcp_servers\.added\]\ncommand = "true"$/m);
    assert.match(block, /^\[mcp_servers\.parrot\.tools\.repeat\]\napproval_mode = "approve"$/m);
    await it.run(["codex-runtime", "migrate", "--remove"]);
    const { config } = await codexConfig(it);
    assert.partialDeepStrictEqual(config, {
      model_reasoning_effort: "high",
      mcp_servers: { added: { command: "true" } },
    });
  });
});

test("what Talaria itself wrote is taken out again without a warning, also after the default went on and off", async () => {
  await using it = await migrated([]);
  for (const action of [["migrate"], ["on"], ["off"]])
    assert.equal((await it.run(["codex-runtime", ...action])).code, 0);
  assert.match(await readFile(it.file, "utf8"), /omit_tools_from/, "Talaria's own tools are there");
  const { code, stdout, stderr } = await it.run(["codex-runtime", "migrate", "--remove"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /Talaria's part was taken out/);
});

test("a native plugin from a local marketplace is named by the migration and by the status", async () => {
  await using it = await talariaOnCodex([]);
  await writeFile(join(it.codexHome, "config.toml"), theirs(it).replace("plugins = false\n", ""));
  const shop = await localShop(it.folder);
  for (const args of [
    ["marketplace", "add", shop],
    ["add", "hello@shop"],
  ])
    await codexPlugin(it, args);
  const report = await it.run(["codex-runtime", "migrate"]);
  assert.match(report.stdout, /^Plugins of codex that are on: hello@shop\.$/m);
  const status = await it.run(["codex-runtime"]);
  assert.match(status.stdout, /^plugins +hello@shop$/m);
  await codexPlugin(it, ["remove", "hello@shop"]);
  assert.doesNotMatch((await it.run(["codex-runtime"])).stdout, /hello@shop/);
});

async function codexPlugin(it: CodexTalaria, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCommand({
    command: pinnedCodex(),
    args: ["plugin", ...args],
    cwd: it.cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: it.folder, ...it.env },
    clock: systemClock,
    signal: AbortSignal.timeout(60_000),
  });
  assert.equal(code, 0, stderr);
}

/** A marketplace with one plugin, which has one skill. */
async function localShop(folder: string): Promise<string> {
  const shop = join(folder, "shop");
  const source = { source: "local", path: "./plugins/hello" };
  const policy = { installation: "AVAILABLE", authentication: "ON_INSTALL" };
  const files = {
    ".agents/plugins/marketplace.json": JSON.stringify({
      name: "shop",
      plugins: [{ name: "hello", source, policy, category: "Productivity" }],
    }),
    "plugins/hello/.codex-plugin/plugin.json": JSON.stringify({
      name: "hello",
      version: "1.0.0",
      description: "Says hello.",
      skills: "./skills/",
    }),
    "plugins/hello/skills/greet/SKILL.md": "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(shop, path)), { recursive: true });
    await writeFile(join(shop, path), text);
  }
  return shop;
}

describe("Talaria on codex, after the migration", () => {
  test("has the server once, says nothing of it, and may still use the network", async () => {
    const script = [...repeat, says("Bye.")];
    await using it = await migrated(script, "terminal: { network: true }\n");
    const { items, notices } = await it.turn(["--model", "home-made", "repeat hello"]);
    assert.partialDeepStrictEqual(items[0], { tool: "mcp.parrot.repeat", output: "from the block: hello" });
    assert.deepEqual(notices("mcp_server"), []);
    assert.match(JSON.stringify(it.model.requests[0]?.body), /Network access is enabled/i);
  });
});

type Line = { readonly type?: string; readonly item?: { readonly type?: string } };

/** As codex's own screens and apps do it. */
async function changeWithCodex(it: CodexTalaria, values: Readonly<Record<string, string>>): Promise<void> {
  await asked(
    it,
    Object.entries(values).map(([keyPath, value]) => [
      "config/value/write",
      { keyPath, value, mergeStrategy: "upsert" },
    ]),
  );
}

const codexConfig = async (it: CodexTalaria): Promise<{ readonly config: object }> =>
  (await asked(it, [["config/read", {}]]))[0] as { readonly config: object };

/** The results of requests to a stock app-server. */
async function asked(
  it: CodexTalaria,
  requests: readonly (readonly [string, object])[],
): Promise<readonly unknown[]> {
  await using child = await spawnCodex(pinnedCodex(), ["app-server"], { HOME: it.folder, ...it.env });
  const hello = { clientInfo: { name: "test", version: "0" } };
  const all = [["initialize", hello] as const, ...requests];
  const results: unknown[] = [];
  const send = ([method, params]: readonly [string, object]): Promise<void> =>
    child.write(`${JSON.stringify({ id: results.length, method, params })}\n`);
  await send(all[0]!);
  for await (const line of lines(child.stdout)) {
    const { id, result, error } = JSON.parse(line) as { id?: number; result?: unknown; error?: unknown };
    if (id === undefined) continue;
    assert.equal(error, undefined);
    results.push(result);
    const next = all[results.length];
    if (next === undefined) break;
    await send(next);
  }
  return results.slice(1);
}
