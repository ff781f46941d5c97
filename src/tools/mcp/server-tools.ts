import type { Tool } from "../tool.ts";
import type { SaveMedia } from "./media-files.ts";
import { type Pins, checkPin, usableDefinition } from "./pins.ts";
import type { McpServer } from "./server.ts";
import { missingServer } from "./missing-server.ts";
import { serverTool } from "./server-tool.ts";
import { placeKey, toolNames } from "./tool-names.ts";

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
