import { mcpListText, mcpShowText } from "../../operations/text/mcp-text.ts";
import { Refusal } from "../../core/host.ts";
import { short } from "../../core/plain-text.ts";
import type { Action, Actions } from "./action.ts";

const inShell = (text: string): string => text.replaceAll("/mcp ", "talaria mcp-servers ");

const list: Action = async (client) => {
  const rows = await client.call("mcp.list", {});
  return { text: inShell(mcpListText(rows)), rows };
};

const show: Action = async (client, { words: [name = ""] }) => {
  const [server] = await client.call("mcp.list", { server: name });
  if (server !== undefined) return { text: inShell(mcpShowText(server)), rows: [server] };
  const next = "talaria mcp-servers list lists them.";
  throw new Refusal("not_found", `There is no MCP server ${short(name, 40)}.`, next);
};

const approve: Action = async (client, { words: [server = "", tool = "", mark = ""] }) => {
  await client.call("mcp.approve", { server, tool, mark });
  const text = `Allowed: the tool ${short(tool, 100)} of ${short(server, 40)} as it was shown.`;
  return { text, rows: [{ server, tool, approved: true }] };
};

const restart: Action = async (client, { words: [name = ""] }) => {
  const server = await client.call("mcp.restart", { server: name });
  return { text: inShell(mcpShowText(server)), rows: [server], code: server.state === "ready" ? 0 : 1 };
};

/** `talaria mcp-servers …`. */
export const actions: Actions = { list, show, approve, restart };
