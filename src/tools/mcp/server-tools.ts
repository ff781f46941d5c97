import { z } from "zod";
import type { Tool } from "../tool.ts";
import type { SaveMedia } from "./media-files.ts";
import { type Pins, checkPin, usableDefinition } from "./pins.ts";
import { serverTool } from "./server-tool.ts";
import type { McpServer } from "./server.ts";
import { placeKey, toolNames, toolsetOf } from "./tool-names.ts";
import { troubleLine } from "./trouble.ts";

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
      const name = names.get(placeKey({ server: pin.server, tool: pin.name })) ?? "";
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
    run: async () => ({ ok: false, output: why }),
  };
  return [tool];
}
