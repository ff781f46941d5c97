import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { runCommand } from "../../../src/lib/process/command.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { lines } from "../../../src/lib/rpc/jsonl.ts";
import type { RecordedRequest } from "../../fakes/request-log.ts";
import { pinnedCodex, spawnCodex } from "../../codex-schema/pinned-codex.ts";
import { quietSettings } from "../../fakes/real-codex-home.ts";
import { type CodexTalaria, processesOf, talariaOnCodex } from "../codex/codex-talaria.ts";
import { says } from "../endpoint.ts";

const searches = [
  { reply: [{ call: { tool: "?session_search", args: { query: "herons" } } }] },
  says("It was about herons."),
];

/** What somebody has who uses codex with a model that codex knows. */
const theirs = ({ model }: CodexTalaria): string => `model = "gpt-5.5"
model_provider = "mine"
${quietSettings}
[model_providers.mine]
name = "mine"
base_url = "${model.url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;

async function migrated(
  script: readonly object[],
  onRequest: (request: RecordedRequest) => unknown = () => {},
): Promise<CodexTalaria> {
  const it = await talariaOnCodex(script, { onRequest, unaccounted: "codex also runs without Talaria" });
  const file = join(it.codexHome, "config.toml");
  await writeFile(file, theirs(it));
  const { code, stderr } = await it.run(["codex-runtime", "migrate"]);
  assert.deepEqual([code, stderr], [0, ""]);
  return it;
}

/**
 * What a person may add to our row. A home in the folder for temporary files is not written into anybody's settings; and
 * codex does not wait for a server that is slow because the machine is busy, unless it is required.
 */
async function withAdditions({ codexHome, home }: CodexTalaria): Promise<void> {
  const file = join(codexHome, "config.toml");
  const text = await readFile(file, "utf8");
  const row = "[mcp_servers.talaria-tools] # talaria\n";
  assert.ok(text.includes(row));
  const added = `required = true\nenv = { TALARIA_HOME = "${home}" }\n`;
  await writeFile(file, text.replace(row, `${row}${added}`));
}

describe("stock codex, after the migration", { timeout: 180_000 }, () => {
  test("sees our tools up front, calls one with its arguments, and asks nobody", async () => {
    await using it = await migrated([says("Herons fly at dusk."), ...searches]);
    await it.run(["run", "what flies at dusk?"]);
    await withAdditions(it);
    const { code, stdout, stderr } = await runCommand({
      command: pinnedCodex(),
      args: ["exec", "--strict-config", "--json", "--skip-git-repo-check", "what did we say of herons?"],
      cwd: it.cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: it.folder, ...it.env },
      clock: systemClock,
      signal: AbortSignal.timeout(120_000),
    });
    assert.equal(code, 0, stderr);
    const offered = JSON.stringify(it.model.requests[1]?.body["tools"]);
    assert.match(offered, /Look into earlier conversations/);
    const call = stdout
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as { type: string; item?: { type: string } }]))
      .find(({ type, item }) => type === "item.completed" && item?.type === "mcp_tool_call");
    assert.partialDeepStrictEqual(call?.item, {
      server: "talaria-tools",
      tool: "session_search",
      arguments: { query: "herons" },
      status: "completed",
    });
    assert.match(JSON.stringify(call), /«Herons» fly at dusk/);
  });
});

describe("a question of one of our tools", { timeout: 180_000 }, () => {
  test("is put to the person at codex, and their answer is the tool's result", async () => {
    const asks = {
      call: { tool: "?clarify", args: { question: "Which colour?", choices: ["red", "blue"] } },
    };
    await using it = await migrated([{ reply: [asks] }, says("Blue, then.")]);
    await withAdditions(it);
    const asked = await codexTurn(it, "paint it", { action: "accept", content: { answer: "blue" } });
    assert.partialDeepStrictEqual(asked, [
      {
        method: "mcpServer/elicitation/request",
        params: { serverName: "talaria-tools", message: "The agent asks" },
      },
    ]);
    assert.match(JSON.stringify(asked), /Which colour\?/);
    assert.match(JSON.stringify(it.model.requests[1]?.body["input"]), /blue/);
  });
});

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly message?: string };
  readonly result?: { readonly thread?: { readonly id: string } };
};

/** A turn of a stock app-server. Gives each request that it makes this answer; resolves with them. */
async function codexTurn(it: CodexTalaria, text: string, answer: object): Promise<readonly Message[]> {
  await using child = await spawnCodex(pinnedCodex(), ["app-server"], { HOME: it.folder, ...it.env });
  const send = (message: object): Promise<void> => child.write(`${JSON.stringify(message)}\n`);
  const asked: Message[] = [];
  await send({ id: 1, method: "initialize", params: { clientInfo: { name: "test", version: "0" } } });
  for await (const line of lines(child.stdout)) {
    const message = JSON.parse(line) as Message;
    const { id, method, result } = message;
    const threadId = result?.thread?.id;
    if (method === "turn/completed") return asked;
    if (id !== undefined && method !== undefined) {
      asked.push(message);
      await send({ id, result: answer });
    }
    if (id === 1 && method === undefined)
      await send({ id: 2, method: "thread/start", params: { cwd: it.cwd, approvalPolicy: "on-request" } });
    if (id === 2 && threadId !== undefined)
      await send({ id: 3, method: "turn/start", params: { threadId, input: [{ type: "text", text }] } });
  }
  throw new Error("codex ended before its turn did");
}

describe("Talaria's own turn on codex, after the migration", { timeout: 180_000 }, () => {
  test("has each tool once, and starts no server for them, in a new thread and in a resumed one", async () => {
    const looks: Promise<readonly string[]>[] = [];
    await using it: CodexTalaria = await migrated([...searches, says("And again.")], () =>
      looks.push(processesOf(it)),
    );
    const first = await it.turn(["what did we say of herons?"]);
    assert.partialDeepStrictEqual(first.items[0], { tool: "session_search", ok: true });
    await it.turn(["--continue", "and again"]);
    const running = await Promise.all(looks);
    assert.equal(running.length, 3);
    // A process that ends while it is looked at has no command any more.
    assert.match(running.flat().join("\n"), /app-server|^\d+ $/m);
    assert.doesNotMatch(running.flat().join("\n"), /main\.ts mcp|talaria mcp/);
    for (const { body } of it.model.requests) {
      const tools = JSON.stringify(body["tools"]);
      assert.equal(tools.split('"name":"session_search"').length, 2);
      assert.doesNotMatch(tools, /mcp__talaria/);
    }
  });

  test("leaves a server of that name alone that is not ours", async () => {
    const repeat = [{ reply: [{ call: { tool: "?repeat", args: { text: "hello" } } }] }, says("It said it.")];
    await using it = await talariaOnCodex(repeat);
    const impostor = `[mcp_servers.talaria-tools]
command = "${process.execPath}"
args = ["${resolve("test/fakes/mcp-echo.mjs")}", "mcp"]
env = { ECHO_PREFIX = "somebody else" }
`;
    await writeFile(join(it.codexHome, "config.toml"), `${quietSettings}\n${impostor}`);
    const { items } = await it.turn(["--model", "home-made", "repeat hello"]);
    assert.partialDeepStrictEqual(items[0], {
      tool: "mcp.talaria-tools.repeat",
      output: "somebody else: hello",
    });
  });
});
