import { ourMark } from "./markers.ts";
import { type OldBlock, type OldTable, permissionLine } from "./old-block.ts";
import type { Group, PersonSettings } from "./person-settings.ts";
import { type Value, keyText, pathText, valueText } from "./toml-text.ts";

/** What of our settings codex is to have. */
export type WantedSettings = {
  readonly servers: ReadonlyMap<string, WantedServer>;
  /** Native plugins, and whether each is on. Undefined: codex could not be asked, so those of the block stay. */
  readonly plugins: ReadonlyMap<string, boolean> | undefined;
};

export type WantedServer = { readonly settings: { readonly [key: string]: Value }; readonly off: boolean };

export type Block = {
  /** Without marks and ends; none if there is nothing to write. A line may hold several when it is not ours. */
  readonly lines: readonly string[];
  readonly permission: boolean;
  readonly servers: ReadonlySet<string>;
  readonly plugins: readonly string[];
  /** Servers that keep what others added to them: the names of those keys. */
  readonly additions: ReadonlyMap<string, readonly string[]>;
  /** Tables whose additions are not kept, because their server is gone or another one now. */
  readonly dropped: readonly string[];
};

type OurTable = { readonly path: readonly [Group, string]; readonly lines: ReadonlyMap<string, string> };

export const emptyBlock = (old: OldBlock): Block => ({
  lines: [],
  permission: false,
  servers: new Set(),
  plugins: [],
  additions: new Map(),
  dropped: droppedFrom(old, []),
});

/** The person's tables go first: what they have is not written again. */
export function newBlock(wanted: WantedSettings, person: PersonSettings, old: OldBlock): Block {
  const isFree = ({ path: [group, name], lines }: OurTable): boolean =>
    !person.isClosed(group) && !person.has(group, name, new Set(lines.keys()));
  const tables = [...serverTables(wanted), ...pluginTables(wanted, old)].filter(isFree);
  const named = (group: Group): string[] =>
    tables.flatMap(({ path: [of, name] }) => (of === group ? [name] : []));
  const hasPermission = person.limits === "none";
  const kept = tables.map((table) => ({ table, more: additions(table, old) }));
  const pieces = kept.map(({ table, more }) => tableLines(table, more));
  const parts = hasPermission ? [[`${permissionLine} # ${ourMark}`], ...pieces] : pieces;
  return {
    lines: parts.flatMap((part, at) => (at === 0 ? part : ["", ...part])),
    permission: hasPermission,
    servers: new Set(named("mcp_servers")),
    plugins: named("plugins"),
    additions: new Map(
      kept.flatMap(
        ({
          table: {
            path: [group, name],
          },
          more: { entries, tables: below },
        }) => {
          const keys = [...new Set([...entries, ...below].map(({ key }) => key))];
          return group === "mcp_servers" && keys.length > 0 ? [[name, keys] as const] : [];
        },
      ),
    ),
    dropped: droppedFrom(old, tables),
  };
}

const serverTables = ({ servers }: WantedSettings): readonly OurTable[] =>
  sorted(servers).map(([name, { settings, off }]) => {
    const lines = Object.entries(settings).map(([key, value]) => [
      key,
      `${keyText(key)} = ${valueText(value)}`,
    ]);
    const last = off ? [["enabled", `enabled = false # ${ourMark}`]] : [];
    return { path: ["mcp_servers", name], lines: new Map([...lines, ...last] as [string, string][]) };
  });

function pluginTables({ plugins }: WantedSettings, { tables }: OldBlock): readonly OurTable[] {
  const before = [...tables.values()].flatMap(({ path: [group, name] }) =>
    group === "plugins" ? [name] : [],
  );
  const wanted = plugins ?? new Map(before.map((name) => [name, undefined]));
  return sorted(wanted).map(([name, isOn]) => ({
    path: ["plugins", name],
    lines: new Map(isOn === undefined ? [] : [["enabled", `enabled = ${isOn}`]]),
  }));
}

const sorted = <Item>(items: ReadonlyMap<string, Item>): readonly (readonly [string, Item])[] =>
  [...items].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/** What others added stays with a server that is still of the same kind; for another one codex might refuse it. */
function additions({ path, lines }: OurTable, old: OldBlock): Pick<OldTable, "entries" | "tables"> {
  const before = old.tables.get(pathText(path));
  if (before === undefined || before.isProgram !== lines.has("command")) return { entries: [], tables: [] };
  const isNew = ({ key }: { readonly key: string }): boolean => !lines.has(key);
  return { entries: before.entries.filter(isNew), tables: before.tables.filter(isNew) };
}

const tableLines = (
  { path, lines }: OurTable,
  { entries, tables }: Pick<OldTable, "entries" | "tables">,
): readonly string[] => [
  `[${pathText(path)}] # ${ourMark}`,
  ...lines.values(),
  ...entries.map(({ text }) => withoutEnd(text)),
  ...tables.flatMap(({ text }) => ["", withoutEnd(text)]),
];

const withoutEnd = (text: string): string => text.replace(/\r?\n$/, "");

function droppedFrom({ tables }: OldBlock, ours: readonly OurTable[]): readonly string[] {
  const kept = new Map(ours.map((table) => [pathText(table.path), table]));
  return [...tables].flatMap(([path, before]) => {
    const table = kept.get(path);
    const isKept = table !== undefined && table.lines.has("command") === before.isProgram;
    const hasAdditions = before.entries.length + before.tables.length > 0;
    return isKept || !hasAdditions || before.path[0] === "plugins" ? [] : [path];
  });
}
