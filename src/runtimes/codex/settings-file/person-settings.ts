import { isPlainObject } from "../../../core/json.ts";
import type { Document } from "./toml-document.ts";
import type { Layout } from "./toml-layout.ts";
import type { Meaning } from "./toml-meaning.ts";

export type Group = "mcp_servers" | "plugins";

/** What the person's own part of the file leaves room for. */
export type PersonSettings = {
  /** Is the group written so that no table can be added to it? */
  isClosed(group: Group): boolean;
  /** Has the person a table of that name, or something that one with these keys could not stand beside? */
  has(group: Group, name: string, keys: ReadonlySet<string>): boolean;
  /** `details`: they say how the sandbox is to be, but not which one; a profile would make that void. */
  readonly limits: "set" | "details" | "none";
};

export function personSettings({ layout, meaning }: Document): PersonSettings {
  const isClosed = (group: Group): boolean =>
    layout.entries.some(({ path }) => path.length === 1 && path[0] === group) ||
    layout.tables.some(({ path, isList }) => isList && path.length === 1 && path[0] === group);
  return {
    isClosed,
    has: (group, name, keys) =>
      isClosed(group) ? Object.hasOwn(tableIn(meaning, group), name) : isWritten(layout, [group, name], keys),
    limits: limitsOf(meaning),
  };
}

/** A table far below leaves its parent to others: codex notes there what was allowed for a tool. */
function isWritten(layout: Layout, path: readonly string[], keys: ReadonlySet<string>): boolean {
  const reaches = (other: readonly string[]): boolean => path.every((part, at) => other[at] === part);
  return (
    layout.entries.some((entry) => reaches(entry.path)) ||
    layout.tables.some((table) =>
      table.path.length > path.length
        ? reaches(table.path) && keys.has(table.path[path.length] ?? "")
        : reaches(table.path) || table.entries.some((entry) => reaches([...table.path, ...entry.path])),
    )
  );
}

const areSet = (table: Meaning): boolean =>
  ["default_permissions", "sandbox_mode"].some((key) => Object.hasOwn(table, key));

function limitsOf(meaning: Meaning): PersonSettings["limits"] {
  const profiles = Object.values(tableIn(meaning, "profiles")).filter(isPlainObject);
  if ([meaning, ...profiles].some(areSet)) return "set";
  return Object.hasOwn(meaning, "sandbox_workspace_write") ? "details" : "none";
}

const tableIn = (meaning: Meaning, key: string): Meaning => {
  const value = Object.hasOwn(meaning, key) ? meaning[key] : undefined;
  return isPlainObject(value) ? value : {};
};
