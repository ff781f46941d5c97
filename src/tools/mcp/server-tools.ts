import { z } from "zod";
import type { SideEffect } from "../../core/asking.ts";
import { isPlainObject, type Json, stableJson } from "../../core/json.ts";
import { type Tool, type ToolContext, type ToolResult, failed } from "../tool.ts";
import { type Definition, plainName } from "./definition.ts";
import { foreignLine, foreignText } from "./foreign-text.ts";
import type { SaveMedia } from "./media-files.ts";
import { type Pins, checkPin, usableDefinition } from "./pins.ts";
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
import { toolKey, toolNames, toolsetOf } from "./tool-names.ts";
import { troubleLine, McpTrouble } from "./trouble.ts";
import { utilities } from "./utility.ts";

type Deps = { readonly pins: Pins; readonly save: SaveMedia };

/** The tools that are known of these servers. The same one is the same object, so that its description is made once. */
export function serverTools(
  { pins, save }: Deps,
  servers: ReadonlyMap<string, McpServer>,
): () => Promise<readonly Tool[]> {
  const made = new Map<string, Tool>();
  return async () => {
    if (servers.size === 0) return [];
    const usable = (await pins.list()).flatMap((pin) => {
      const server = servers.get(pin.server);
      const definition = server && usableDefinition(server, pin);
      return server === undefined || definition === undefined ? [] : [{ server, pin, definition }];
    });
    const silent = [...servers.values()].filter(
      (server) => !usable.some(({ pin }) => pin.server === server.settings.name),
    );
    const names = toolNames(usable.map(({ pin }) => ({ server: pin.server, tool: pin.name })));
    const known = usable.map(({ server, pin, definition }) => {
      const name = names.get(toolKey({ server: pin.server, tool: pin.name })) ?? "";
      const key = JSON.stringify([name, pin.server, pin.name, pin.hash]);
      const check = (): Promise<void> => checkPin(pins, server, pin);
      const tool = made.get(key) ?? serverTool({ server, name, definition, check, save });
      made.set(key, tool);
      return tool;
    });
    return [...known, ...silent.flatMap(missingServer)];
  };
}

/** Stands for the tools of a server that failed before anybody knew them: lists and searches say why they are missing. */
function missingServer({ settings, state }: McpServer): readonly Tool[] {
  const { detail } = state();
  if (detail === undefined) return [];
  const why = troubleLine(settings.name, detail);
  const [name = ""] = toolNames([{ server: settings.name, tool: "missing" }]).values();
  const tool: Tool = {
    name,
    toolset: toolsetOf(settings.name),
    description: "Stands for the tools of a server that could not be started.",
    schema: z.looseObject({}),
    deferred: true,
    effect: "none",
    timeoutMs: 1_000,
    maxOutputChars: 10_000,
    unavailable: () => why,
    run: async () => failed(why),
  };
  return [tool];
}

type ServerToolDeps = {
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
function serverTool(deps: ServerToolDeps): Tool<typeof schema> {
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
    return failed(troubleLine(serverName, error.message));
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
