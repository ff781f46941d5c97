import { isAbsolute } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { Refusal } from "../../core/host.ts";
import { isFolder } from "../../lib/files/is-folder.ts";

/** What an editor says when it opens a session. */
export type Opening = {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly additionalDirectories?: readonly string[];
};

export async function checkFolder({ cwd }: Opening): Promise<void> {
  if (isAbsolute(cwd) && (await isFolder(cwd))) return;
  throw new Refusal("usage", `${cwd}: there is no such folder.`, "Give the absolute path of one.");
}

/** What it asks for that Talaria cannot do. */
export function ignoredTexts({ mcpServers = [], additionalDirectories = [] }: Opening): readonly string[] {
  const servers = mcpServers.map(({ name }) => name).join(", ");
  const folders = additionalDirectories.join(", ");
  return [
    ...(servers === ""
      ? []
      : [
          `Not used: the editor's MCP servers (${servers}).\nTalaria takes them from its own settings: add them under mcp_servers in config.yaml.`,
        ]),
    ...(folders === ""
      ? []
      : [`Not used: more folders than one (${folders}).\nMention files in them by their path.`]),
  ];
}

export const movedText = (before: string, now: string): string =>
  `This session has worked in ${before}.\nFrom the next message on it works in ${now}.`;
