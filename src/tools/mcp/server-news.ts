import { plainName } from "./definition.ts";
import { foreignLine } from "./foreign-text.ts";
import type { Pin, Pins } from "./pins.ts";
import type { McpServer } from "./server.ts";
import type { WrittenServer } from "./settings.ts";
import { placeKey } from "./tool-names.ts";
import { troubleLine } from "./trouble.ts";

type Deps = { readonly pins: Pins; readonly wasTold: (text: string) => Promise<boolean> };

/** What the person should know about their servers. Each is one line. */
export type ServerNews = {
  all(): Promise<readonly string[]>;
  /** For the start of a turn: without what was told before and is not worth telling twice. */
  fresh(): Promise<readonly string[]>;
};

export function serverNews(
  { pins, wasTold }: Deps,
  written: readonly WrittenServer[],
  servers: ReadonlyMap<string, McpServer>,
): ServerNews {
  const unusable = written.flatMap((one) => (one.is === "unusable" ? [troubleLine(one.name, one.why)] : []));
  let toldUnusable = false;
  const states = (): readonly string[] => [...servers.values()].flatMap(stateLine);
  const changed = async (): Promise<readonly Pin[]> =>
    servers.size === 0
      ? []
      : (await pins.list()).filter((pin) => servers.has(pin.server) && pin.changed !== undefined);
  return {
    all: async () => [...unusable, ...states(), ...(await changed()).map(changedLine)],
    async fresh() {
      const lines = [...(toldUnusable ? [] : unusable), ...states()];
      toldUnusable = true;
      for (const pin of await changed()) {
        const key = `${placeKey({ server: pin.server, tool: pin.name })} ${pin.changed?.hash}`;
        if (!(await wasTold(key))) lines.push(changedLine(pin));
      }
      return lines;
    },
  };
}

function stateLine(server: McpServer): readonly string[] {
  const { state, detail = "" } = server.state();
  const { name } = server.settings;
  if (state === "failed") return [troubleLine(name, detail)];
  if (state === "starting" && server.offer() === undefined)
    return [troubleLine(name, "is still starting; its tools come with the next message")];
  return [];
}

function changedLine({ server, name }: Pin): string {
  const [at, own] = [foreignLine(server, 60), foreignLine(plainName(name), 100)];
  return `The tool ${own} of the MCP server ${at} is not what it was when it was first seen, so it is off. Look at it with /mcp show ${at}, which says how to allow it.`;
}
