import type { Wish } from "./block.ts";
import { permission } from "./old-block.ts";
import { ownServerName } from "./own-server.ts";
import type { Rewritten } from "./rewrite.ts";

/** What there is to know about the file, each with the next step. */
export function fileWarnings(
  file: string,
  { block, person, movedOut }: Rewritten,
  wish: Wish | undefined,
  saved: readonly string[],
): readonly string[] {
  const groups = { mcp_servers: wish?.servers.size ?? 0, plugins: wish?.plugins?.size ?? 0 };
  const closed = (["mcp_servers", "plugins"] as const).filter(
    (group) => groups[group] > 0 && person.isClosed(group),
  );
  const hasOwnTools = wish?.servers.has(ownServerName) === true && !block.servers.has(ownServerName);
  return [
    ...closed.map(
      (group) =>
        `${group} in ${file} is written in one piece, to which nothing can be added. Write it as tables ([${group}.NAME]) and run this again.`,
    ),
    ...(hasOwnTools && !person.isClosed("mcp_servers")
      ? [
          `Your own [mcp_servers.${ownServerName}] is used instead of Talaria's. Rename it if that is not meant.`,
        ]
      : []),
    ...(wish !== undefined && person.limits === "details"
      ? [
          `default_permissions was not set to ${permission}, because that would make your [sandbox_workspace_write] void. Set sandbox_mode = "workspace-write" yourself if codex is to write without asking.`,
        ]
      : []),
    ...(movedOut.length === 0
      ? []
      : [
          `Between Talaria's lines stood settings that are not Talaria's (${movedOut.join(", ")}): codex writes its own there. They stand outside now; nothing needs to be done.`,
        ]),
    ...(block.dropped.length === 0
      ? []
      : [
          `What was added to ${block.dropped.join(", ")} between Talaria's lines goes with it. It is in ${file}.talaria-backup if you need it.`,
        ]),
    ...saved.map(
      (path) =>
        `Somebody saved ${file} in the moment in which it was replaced. That text is in ${path}: take from it what is missing.`,
    ),
  ];
}
