import { isDeepStrictEqual } from "node:util";
import { isPlainObject } from "../../../core/json.ts";
import { translatedKeys } from "../thread-settings/mcp-servers.ts";
import type { WantedServer } from "./block.ts";
import { ownServerKeys } from "./own-server.ts";
import type { Table } from "./toml-layout.ts";
import { readMeaning } from "./toml-meaning.ts";
import { keyText, valueText } from "./toml-text.ts";

/** Our servers as we would write them now, whether or not they are wanted. */
export type OurServers = ReadonlyMap<string, WantedServer>;

/**
 * Tables that say what we would write, without our mark: `codex mcp add` writes all servers anew and leaves every comment
 * out, our marks and the block's begin mark with them. One in which anything else stands is the person's.
 */
export function isUnmarkedOurs(text: string, servers: OurServers): (table: Table) => boolean {
  const read = readMeaning(text);
  const found = "meaning" in read ? read.meaning["mcp_servers"] : undefined;
  return ({ path: [group, name = "", ...more], comment, isList }) => {
    const ours = servers.get(name);
    if (group !== "mcp_servers" || more.length > 0 || isList || comment !== undefined) return false;
    if (ours === undefined || !isPlainObject(found)) return false;
    return isDeepStrictEqual(writtenIn(found[name]), meaningOf(ours));
  };
}

/** Without what codex notes about a server. */
const writtenIn = (table: unknown): unknown =>
  Object.fromEntries(
    Object.entries(isPlainObject(table) ? table : {}).filter(
      ([key]) => translatedKeys.has(key) || ownServerKeys.has(key),
    ),
  );

function meaningOf({ settings }: WantedServer): unknown {
  const lines = Object.entries(settings).map(([key, value]) => `${keyText(key)} = ${valueText(value)}`);
  const read = readMeaning(lines.join("\n"));
  return "meaning" in read ? read.meaning : undefined;
}
