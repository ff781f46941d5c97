import { short } from "../core/plain-text.ts";
import { type Command, type CommandHost, commandDefaults } from "./command.ts";
import { mcpListText, mcpShowText } from "./text/mcp-text.ts";
import { errorText } from "./text/error-text.ts";

const mcp: Command = {
  ...commandDefaults,
  group: "Tools and records",
  who: "owner",
  name: "mcp",
  args: "[list | show SERVER | approve SERVER TOOL MARK | restart SERVER]",
  words: ["list", "show", "approve", "restart"],
  help: "List your MCP servers and their tools",
  more: "Starts those that do not run yet. Approve lets a tool be used that has changed since it was first seen; show names the mark of the change.",
  run: async (arg, _call, host) => {
    const [word = "", ...names] = arg.split(/\s+/).filter((part) => part !== "");
    const act = actions[word.toLowerCase() || "list"];
    if (act === undefined || names.length !== act.takes) return { text: usage };
    try {
      return { text: await act.run(host, names[0] ?? "", names[1] ?? "", names[2] ?? "") };
    } catch (error) {
      return { text: errorText(error) };
    }
  },
};

const usage = "/mcp takes nothing, list, show SERVER, approve SERVER TOOL MARK, or restart SERVER.";

type Action = {
  readonly takes: number;
  run(host: CommandHost, server: string, tool: string, mark: string): Promise<string>;
};

const actions: Readonly<Record<string, Action>> = {
  list: { takes: 0, run: async (host) => mcpListText(await host.mcp.list()) },
  show: { takes: 1, run: show },
  approve: {
    takes: 3,
    async run({ mcp: servers }, server, tool, mark) {
      await servers.approve(server, tool, mark);
      return `Allowed: the tool ${short(tool, 100)} of ${short(server, 40)} as it was shown. It can be used from the next message on.`;
    },
  },
  restart: { takes: 1, run: async (host, server) => mcpShowText(await host.mcp.restart(server)) },
};

async function show({ mcp: servers }: CommandHost, server: string): Promise<string> {
  const [found] = await servers.list(server);
  if (found !== undefined) return mcpShowText(found);
  return `There is no MCP server ${short(server, 40)}. /mcp lists them.`;
}

export const mcpCommands: readonly Command[] = [mcp];
