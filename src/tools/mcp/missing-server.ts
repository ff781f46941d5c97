import { z } from "zod";
import type { Tool } from "../tool.ts";
import type { McpServer } from "./server.ts";
import { toolsetOf, toolNames } from "./tool-names.ts";
import { troubleLine } from "./trouble.ts";

/** Stands for the tools of a server that failed before anybody knew them: lists and searches say why they are missing. */
export function missingServer({ settings, state }: McpServer): readonly Tool[] {
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
    run: async () => ({ ok: false, output: why }),
  };
  return [tool];
}
