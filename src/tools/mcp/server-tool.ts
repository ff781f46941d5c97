import { z } from "zod";
import type { SideEffect } from "../../core/asking.ts";
import { isPlainObject, type Json, stableJson } from "../../core/json.ts";
import type { Tool, ToolContext, ToolResult } from "../tool.ts";
import { type Definition, plainName } from "./definition.ts";
import { foreignLine, foreignText } from "./foreign-text.ts";
import type { SaveMedia } from "./media-files.ts";
import {
  listResult,
  maxResultChars,
  promptResult,
  resourceResult,
  type Source,
  toolResult,
} from "./results.ts";
import type { McpServer, Reply } from "./server.ts";
import type { ServerSettings } from "./settings.ts";
import { toolsetOf } from "./tool-names.ts";
import { McpTrouble, troubleLine } from "./trouble.ts";
import { utilities } from "./utility.ts";

export type ServerToolDeps = {
  readonly server: McpServer;
  /** As models call it. */
  readonly name: string;
  readonly definition: Definition;
  /** Rejects with `McpTrouble` unless the server, which runs now, offers exactly this. */
  readonly check: () => Promise<void>;
  readonly save: SaveMedia;
};

const schema = z.looseObject({});
/** Its own timer ends a call; this one only has to come later, also when a person is asked in between. */
const timeoutMs = 24 * 60 * 60_000;
const maxDescription = 2_000;

/** A tool of an MCP server as a turn may use it. */
export function serverTool(deps: ServerToolDeps): Tool<typeof schema> {
  const { server, name, definition } = deps;
  const { settings } = server;
  const own = plainName(definition.name);
  const effect = effectOf(settings, definition);
  const shown = foreignLine(settings.name, 60);
  return {
    name,
    toolset: toolsetOf(settings.name),
    description: describe(definition, shown, own),
    schema,
    parameters: definition.inputSchema,
    deferred: true,
    effect,
    timeoutMs,
    maxOutputChars: maxResultChars + 10_000,
    asks: async (args, { cwd }) => ({
      cwd,
      effect,
      action: { kind: "tool" },
      summary: `the tool ${foreignLine(own, 200)} of the MCP server ${shown}, with ${stableJson(args)}`,
      reason: reasonFor(settings, effect),
    }),
    run: (args, context) => run(deps, args as { readonly [key: string]: Json }, context),
  };
}

const describe = ({ description }: Definition, server: string, own: string): string =>
  [
    // A line that begins like a heading could pass for the name of another tool where several are listed.
    foreignText(description, maxDescription).replaceAll(/^(?=#)/gm, " ") || "It has no description.",
    `(The tool ${foreignLine(own, 200)} of the MCP server ${server}, in that server's own words.)`,
  ].join("\n");

function effectOf({ trust }: ServerSettings, { annotations }: Definition): SideEffect {
  const hints = isPlainObject(annotations) ? annotations : {};
  if (trust === "full") return "local";
  if (hints["destructiveHint"] === true) return "destructive";
  return trust === "hints" && hints["readOnlyHint"] === true ? "none" : "external";
}

function reasonFor({ trust, name }: ServerSettings, effect: SideEffect): string {
  const server = foreignLine(name, 60);
  if (effect === "destructive") return `${server} says of this tool that what it does may not be taken back.`;
  if (trust === "untrusted") return `mcp_servers.${server}.trust is untrusted, so every call asks.`;
  return `${server} does not say of this tool that it only reads.`;
}

async function run(
  { server, definition, check, save }: ServerToolDeps,
  args: { readonly [key: string]: Json },
  context: ToolContext,
): Promise<ToolResult> {
  const { name: serverName } = server.settings;
  const tool = plainName(definition.name);
  const source: Source = { server: serverName, tool, save, mask: context.mask };
  const { utility } = definition;
  try {
    if (utility === undefined) {
      const params = { name: definition.name, arguments: args };
      return await toolResult(source, await server.request({ method: "tools/call", params, check }, context));
    }
    const { method } = utilities[utility];
    const reply = await server.request({ method, params: args, check }, context);
    return await utilityResult(utility, source, reply);
  } catch (error) {
    if (!(error instanceof McpTrouble)) throw error;
    return { ok: false, output: troubleLine(serverName, error.message) };
  }
}

function utilityResult(
  utility: NonNullable<Definition["utility"]>,
  source: Source,
  reply: Reply,
): ToolResult | Promise<ToolResult> {
  switch (utility) {
    case "list_resources":
      return listResult(source, reply, "resources");
    case "list_prompts":
      return listResult(source, reply, "prompts");
    case "read_resource":
      return resourceResult(source, reply);
    case "get_prompt":
      return promptResult(source, reply);
  }
}
