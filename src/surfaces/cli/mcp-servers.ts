import { mcpListText, mcpShowText } from "../../commands/text/mcp-text.ts";
import { type Host, Refusal } from "../../core/host.ts";
import { short } from "../../core/plain-text.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type McpServersOptions = { readonly profile?: string; readonly json?: boolean };

type Action = (host: Host, names: readonly string[]) => Promise<CommandOutput>;
type CommandOutput = { readonly text: string; readonly rows: readonly object[]; readonly failed?: boolean };

/** `talaria mcp-servers list|show|approve|restart`. */
export async function mcpServers(
  { openHost, stdout }: CliPorts,
  action: keyof typeof actions,
  names: readonly string[],
  { profile, json }: McpServersOptions,
): Promise<ExitCode> {
  await using host = await openHost({ ...(profile === undefined ? {} : { profile }), skipRepair: true });
  const { text, rows, failed = false } = await actions[action](host, names);
  const lines =
    json === true
      ? rows.map((row) => JSON.stringify(row))
      : [text.replaceAll("/mcp ", "talaria mcp-servers ")];
  for (const line of lines) stdout.write(`${line}\n`);
  return failed ? 1 : 0;
}

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
  return { text: mcpShowText(server), rows: [server], failed: server.state !== "ready" };
};

const actions = { list, show, approve, restart } as const;
