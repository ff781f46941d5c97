import { short } from "../../core/plain-text.ts";
import type { Client } from "../../core/calls.ts";
import type { Run } from "./command.ts";
import { mcpListText, mcpShowText } from "../text/mcp-text.ts";
import { errorText } from "../text/error-text.ts";

export const mcp: Run = async (arg, _call, client) => {
  const [word = "", ...names] = arg.split(/\s+/).filter((part) => part !== "");
  const act = actions[word.toLowerCase() || "list"];
  if (act === undefined || names.length !== act.takes) return { text: usage };
  try {
    return { text: await act.run(client, names[0] ?? "", names[1] ?? "", names[2] ?? "") };
  } catch (error) {
    return { text: errorText(error) };
  }
};

const usage = "/mcp takes nothing, list, show SERVER, approve SERVER TOOL MARK, or restart SERVER.";

type Action = {
  readonly takes: number;
  run(client: Client, server: string, tool: string, mark: string): Promise<string>;
};

const actions: Readonly<Record<string, Action>> = {
  list: { takes: 0, run: async (client) => mcpListText(await client.call("mcp.list", {})) },
  show: { takes: 1, run: show },
  approve: {
    takes: 3,
    async run(client, server, tool, mark) {
      await client.call("mcp.approve", { server, tool, mark });
      return `Allowed: the tool ${short(tool, 100)} of ${short(server, 40)} as it was shown. It can be used from the next message on.`;
    },
  },
  restart: {
    takes: 1,
    run: async (client, server) => mcpShowText(await client.call("mcp.restart", { server })),
  },
};

async function show(client: Client, server: string): Promise<string> {
  const [found] = await client.call("mcp.list", { server });
  if (found !== undefined) return mcpShowText(found);
  return `There is no MCP server ${short(server, 40)}. /mcp lists them.`;
}
