import { clean, counted, short } from "../../core/plain-text.ts";
import type { ListedMcpServer } from "../../core/tooling.ts";
import { columns } from "./columns.ts";

type ListedTool = ListedMcpServer["tools"][number];

export const noServers =
  "There are no MCP servers. Add one to mcp_servers in config.yaml; docs/user/mcp-servers.md shows how.";

/** All servers, one line each, and what there is to do. */
export function mcpListText(servers: readonly ListedMcpServer[]): string {
  if (servers.length === 0) return noServers;
  const rows = servers.map((server) => [
    short(server.name, 40),
    server.state,
    server.state === "off" ? "" : toolCounts(server.tools),
    short(server.detail ?? "", 300),
  ]);
  const changed = servers.flatMap(({ name, tools }) =>
    tools.filter(({ state }) => state === "changed").map((tool) => ({ server: name, tool: tool.name })),
  );
  return [
    columns([["server", "state", "tools", ""], ...rows]).replaceAll(/ +$/gm, ""),
    ...(changed.length === 0 ? [] : ["Changed since they were first seen, and off until you allow them:"]),
    ...changed.map(({ server, tool }) => `  ${short(server, 40)} ${short(tool, 100)}`),
    ...(changed.length === 0 ? [] : ["/mcp show SERVER shows what changed, and how to allow it."]),
    "On codex these servers are started by codex itself.",
  ].join("\n");
}

function toolCounts(tools: readonly ListedTool[]): string {
  const count = (state: ListedTool["state"]): number => tools.filter((tool) => tool.state === state).length;
  const others = (["changed", "gone", "left out"] as const)
    .filter((state) => count(state) > 0)
    .map((state) => `${count(state)} ${state}`);
  return [counted(count("on"), "tool"), ...others].join(", ");
}

/** One server with its tools, and what changed of them. */
export function mcpShowText(server: ListedMcpServer): string {
  const { name, state, detail, tools } = server;
  return [
    `${short(name, 40)}: ${state}${detail === undefined ? "" : `. ${short(detail, 2_000)}`}`,
    ...(tools.length === 0 ? ["It has no tools that are known."] : []),
    ...tools.flatMap((tool) => [
      `  ${tool.state.padEnd(8)}  ${short(tool.name, 300)}`,
      ...(tool.diff === undefined
        ? []
        : [
            clean(tool.diff).trimEnd(),
            `    /mcp approve ${short(name, 40)} ${short(tool.name, 100)} ${tool.mark ?? ""} allows this one.`,
          ]),
    ]),
  ].join("\n");
}
