import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallItem } from "../../../src/core/items.ts";
import type { Json } from "../../../src/core/json.ts";
import { runCommand } from "../../../src/lib/process/command.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { pinnedCodex } from "../../codex-schema/pinned-codex.ts";
import { quietSettings } from "../../fakes/real-codex-home.ts";
import { type CodexTalaria, told } from "../codex/codex-talaria.ts";
import { says } from "../endpoint.ts";
import { connected } from "../mcp/client.ts";
import type { ToolCall } from "./calls.ts";
import { everyToolWorld, prompt } from "./world.ts";

/** What came of the calls on one way, in their order, and the schema that the model or client was given of each tool. */
export type Outcome = {
  readonly results: readonly Result[];
  readonly schemas: ReadonlyMap<string, Json>;
};
export type Result = {
  readonly tool: string;
  readonly args: unknown;
  readonly ok: boolean;
  readonly output: string;
};

/** `leaves`: tools that are not offered there, and why that is right. `codex`: codex stands between us and the model. */
export type Channel = {
  readonly name: string;
  readonly leaves: readonly string[];
  readonly codex?: true;
  run(): Promise<Outcome>;
};

const call = ({ tool, args }: ToolCall): object => ({ reply: [{ call: { tool, args } }] });

/** On the loop the model finds by a search what it is not shown. */
const onLoop = (protocol: "responses" | "chat"): Channel => ({
  name: `loop (${protocol})`,
  leaves: [],
  async run() {
    const search = {
      tool: "tool_search",
      args: { query: "browser vision image picture speech schedules", limit: 20 },
    };
    await using world = await everyToolWorld(
      (calls) => [call({ ...search, ok: true, shows: /./ }), ...calls.map(call), says("All tried.")],
      protocol,
    );
    const { items } = told(await world.it.run(["run", "--json", prompt]));
    const found = items.filter(
      (item): item is CallItem => item.kind === "call" && item.tool !== "tool_search",
    );
    return { results: found.map(resultOf), schemas: offeredSchemas(world.it) };
  },
});

/** On codex some are found by codex's own search, and all can be called in our namespace. */
const onCodex: Channel = {
  name: "codex, dynamic tools",
  codex: true,
  leaves: [],
  async run() {
    await using world = await everyToolWorld((calls) => [
      { reply: calls.map(({ tool }) => ({ search: { query: tool } })) },
      ...calls.map(({ tool, args }) => ({ reply: [{ call: { tool, args, namespace: "talaria" } }] })),
      says("All tried."),
    ]);
    const { items } = await world.it.turn([prompt]);
    const found = items.filter((item): item is CallItem => item.kind === "call");
    return { results: found.map(resultOf), schemas: offeredSchemas(world.it) };
  },
};

const resultOf = ({ tool, args, ok, output }: CallItem): Result => ({ tool, args, ok, output });

/** Codex as anybody has it, with our server in its settings as the migration writes it. */
const onStockCodex: Channel = {
  name: "stock codex, our server over stdio",
  codex: true,
  // Nobody can answer in `codex exec`.
  leaves: ["clarify"],
  async run() {
    await using world = await everyToolWorld(
      (calls) => [
        ...calls
          .filter(({ tool }) => tool !== "clarify")
          .map(({ tool, args }) => call({ tool: `?${tool}`, args, ok: true, shows: /./ })),
        says("All tried."),
      ],
      "responses",
      "codex runs without Talaria",
    );
    const { it } = world;
    await migrate(it);
    const { code, stdout, stderr } = await runCommand({
      command: pinnedCodex(),
      args: ["exec", "--json", "--skip-git-repo-check", prompt],
      cwd: it.cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: it.folder, ...it.env },
      clock: systemClock,
      signal: AbortSignal.timeout(170_000),
    });
    assert.equal(code, 0, `${stderr}\n${stdout}`);
    const items = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ExecLine]));
    const results = items.flatMap(({ type, item }) =>
      type === "item.completed" && item?.type === "mcp_tool_call" ? [execResult(item)] : [],
    );
    return { results, schemas: offeredSchemas(it) };
  },
};

type ExecLine = { readonly type: string; readonly item?: ExecItem };
type ExecItem = {
  readonly type: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly status: string;
  readonly result?: { readonly content: readonly { readonly text?: string }[] };
  readonly error?: { readonly message: string };
};

const execResult = ({ tool, arguments: args, status, result, error }: ExecItem): Result => ({
  tool,
  args,
  ok: status === "completed",
  output: error?.message ?? (result?.content ?? []).map(({ text = "" }) => text).join(""),
});

async function migrate(it: CodexTalaria): Promise<void> {
  const file = join(it.codexHome, "config.toml");
  const theirs = `model = "gpt-5.5"
model_provider = "mine"
${quietSettings}
[model_providers.mine]
name = "mine"
base_url = "${it.model.url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;
  await writeFile(file, theirs);
  const { code, stderr } = await it.run(["codex-runtime", "migrate"]);
  assert.equal(code, 0, stderr);
  // A home in the folder for temporary files is not written into anybody's settings.
  const env = `[mcp_servers.talaria-tools.env]\nTALARIA_HOME = "${it.home}"\n`;
  // Codex waits a second for servers, and then asks the model without them. A busy machine needs longer.
  const patient = (await readFile(file, "utf8")).replace(
    /^(startup_timeout_sec = .*)$/m,
    "$1\nrequired = true",
  );
  await writeFile(file, `${patient}${env}`);
}

const overMcp: Channel = {
  name: "an MCP client library",
  // It is not asked for where nobody can be.
  leaves: ["clarify"],
  async run() {
    await using world = await everyToolWorld(() => []);
    await using client = await connected(world.it);
    const { tools } = await client.client.listTools();
    const results: Result[] = [];
    for (const { tool, args } of world.calls) {
      if (!tools.some(({ name }) => name === tool)) continue;
      const { text: output, isError } = await client.call(tool, args);
      results.push({ tool, args, ok: !isError, output });
    }
    return { results, schemas: new Map(tools.map(({ name, inputSchema }) => [name, inputSchema as Json])) };
  },
};

export const channels: readonly Channel[] = [
  onLoop("responses"),
  onLoop("chat"),
  onCodex,
  onStockCodex,
  overMcp,
];

/** The schemas of tools in all that the model was given, definitions and found ones, by the plain name. */
function offeredSchemas({ model }: CodexTalaria): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (typeof value !== "object" || value === null) return;
    const { name, parameters } = value as { readonly name?: unknown; readonly parameters?: Json };
    if (typeof name === "string" && typeof parameters === "object") found.set(plainName(name), parameters);
    Object.values(value).forEach(walk);
  };
  for (const { body } of model.requests) walk(body);
  return found;
}

const plainName = (name: string): string => name.replace(/^mcp__talaria[_-]tools__/, "");
