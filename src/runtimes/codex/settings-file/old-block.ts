import { translatedKeys } from "../thread-settings/mcp-servers.ts";
import { type OurServers, isUnmarkedOurs } from "./unmarked-tables.ts";
import { ourMark } from "./markers.ts";
import { ownServerKeys, ownServerName } from "./own-server.ts";
import { refused } from "./refused.ts";
import { type Entry, type Layout, type Table, layoutOf, pieceText } from "./toml-layout.ts";
import { keyText, pathText } from "./toml-text.ts";

export const permission = ":workspace";
export const permissionLine = `default_permissions = "${permission}"`;

/** What the block held that we would not write anew. Codex puts its own settings next to ours, into the block. */
export type OldBlock = {
  /** Settings of others: keys that belong before the first table, and tables. */
  readonly foreign: { readonly entries: readonly Lines[]; readonly tables: readonly Lines[] };
  /** Tables of ours by their path, with what was added to them. */
  readonly tables: ReadonlyMap<string, OldTable>;
};

/** `key` is in the table; `text` is whole lines. */
export type Lines = { readonly key: string; readonly text: string };

export type OldTable = {
  readonly path: readonly [group: string, name: string];
  readonly isProgram: boolean;
  readonly entries: readonly Lines[];
  /** Tables below it. */
  readonly tables: readonly Lines[];
};

export const noBlock: OldBlock = { foreign: { entries: [], tables: [] }, tables: new Map() };

/** Throws a FaultError if it is not TOML. */
export function readOldBlock(file: string, body: string, servers: OurServers): OldBlock {
  const layout = layoutIn(file, body);
  const isUnmarked = isUnmarkedOurs(body, servers);
  const isOurs = (table: Table): boolean => isMarked(table) || isUnmarked(table);
  const lines = (piece: Entry | Table, key: string): Lines => ({ key, text: pieceText(body, layout, piece) });
  const ours = layout.tables.filter(isOurs);
  const strangers = layout.tables.filter(
    (table) => !isOurs(table) && !ours.some((one) => isBelow(table, one)),
  );
  const old = ours.map((table): OldTable => {
    const [group = "", name = ""] = table.path;
    return {
      path: [group, name],
      isProgram: table.entries.some(({ path: [key] }) => key === "command"),
      entries: table.entries.filter(isAddedTo(name)).map((entry) => lines(entry, entry.path[0] ?? "")),
      tables: layout.tables
        .filter((other) => isBelow(other, table) && !translatedKeys.has(other.path[2] ?? ""))
        .map((other) => lines(other, other.path[2] ?? "")),
    };
  });
  return {
    foreign: {
      entries: layout.entries
        .filter((entry) => !isOurPermission(body, entry))
        .map((entry) => lines(entry, keyText(entry.path[0] ?? ""))),
      tables: strangers.map((table) => lines(table, `[${pathText(table.path)}]`)),
    },
    tables: new Map(old.map((table) => [pathText(table.path), table])),
  };
}

const isBelow = (table: Table, { path }: Table): boolean =>
  table.path.length > path.length && path.every((part, at) => part === table.path[at]);

function layoutIn(file: string, body: string): Layout {
  try {
    return layoutOf(body);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refused(
      `The part of ${file} that Talaria writes was changed, and is not TOML any more: ${why}.`,
      "Delete everything from the begin mark to the end mark, marks included, and run this again.",
      error,
    );
  }
}

const isMarked = ({ path, comment, isList }: Table): boolean =>
  comment === ourMark && path.length === 2 && !isList && ["mcp_servers", "plugins"].includes(path[0] ?? "");

/** Changed to anything else, it is what somebody chose. */
export const isOurPermission = (body: string, { start, end, comment }: Entry): boolean =>
  comment === ourMark && body.slice(start, end) === permissionLine;

const isAddedTo =
  (name: string) =>
  ({ path: [key = ""], comment }: Entry): boolean =>
    !translatedKeys.has(key) &&
    !(name === ownServerName && ownServerKeys.has(key)) &&
    !(key === "enabled" && comment === ourMark);
