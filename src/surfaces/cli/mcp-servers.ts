import { mcpListText, mcpShowText } from "../../commands/text/mcp-text.ts";
import { type Host, Refusal } from "../../core/host.ts";
import { short } from "../../core/plain-text.ts";
import { type CommandOutput, runOnHost } from "./command-output.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type McpServersOptions = { readonly profile?: string; readonly json?: boolean };

type Action = (host: Host, names: readonly string[]) => Promise<CommandOutput>;

/** `talaria mcp-servers list|show|approve|restart`. */
export const mcpServers = (
  ports: CliPorts,
  action: keyof typeof actions,
  names: readonly string[],
  options: McpServersOptions,
): Promise<ExitCode> =>
  runOnHost(ports, options, async (host) => {
    const output = await actions[action](host, names);
    return { ...output, text: output.text.replaceAll("/mcp ", "talaria mcp-servers ") };
  });

const list: Action = async (host) => {
  const servers = await host.mcp.list();
  return { text: mcpListText(servers), rows: servers };
};

const show: Action = async (host, [name = ""]) => {
  const [server] = await host.mcp.list(name);
  if (server === undefined)
    throw new Refusal(
      "not_found",
      `There is no MCP server ${short(name, 40)}.`,
      "talaria mcp-servers list lists them.",
    );
  return { text: mcpShowText(server), rows: [server] };
};

const approve: Action = async (host, [server = "", tool = "", mark = ""]) => {
  await host.mcp.approve(server, tool, mark);
  const text = `Allowed: the tool ${short(tool, 100)} of ${short(server, 40)} as it was shown.`;
  return { text, rows: [{ server, tool, approved: true }] };
};

const restart: Action = async (host, [name = ""]) => {
  const server = await host.mcp.restart(name);
  return { text: mcpShowText(server), rows: [server], code: server.state === "ready" ? 0 : 1 };
};

const actions = { list, show, approve, restart } as const;
