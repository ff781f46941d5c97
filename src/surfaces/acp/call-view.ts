import { resolve } from "node:path";
import type { ToolCall, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { argumentWords, callDetail, withoutShell } from "../../core/call-words.ts";
import { changeSummary } from "../../core/text/change-summary.ts";
import { type Json, isPlainObject } from "../../core/json.ts";
import { short } from "../../core/plain-text.ts";

/** What an editor shows of a call before anything has come of it. */
export type CallView = Pick<ToolCall, "title" | "name" | "kind" | "locations" | "rawInput">;

export function callView(tool: string, args: Json | undefined, cwd: string): CallView {
  const fields = isPlainObject(args) ? args : {};
  const style = callStyles.get(tool) ?? { kind: "other" };
  const title = style.title?.(fields);
  const locations = style.locations?.(fields) ?? [];
  return {
    title: short(title ?? `${tool} ${callDetail(tool, args) ?? argumentWords(args)}`, longestTitle),
    name: tool,
    kind: style.kindOf?.(fields) ?? style.kind,
    ...(locations.length === 0
      ? {}
      : { locations: locations.map((location) => absoluteLocation(location, cwd)) }),
    ...(args === undefined ? {} : { rawInput: args }),
  };
}

/** A command that runs in a shell, so that its output is what a terminal would show. */
export const runsCommand = (tool: string): boolean => callStyles.get(tool)?.kind === "execute";

const longestTitle = 300;

type Fields = Readonly<Record<string, unknown>>;

type CallStyle = {
  readonly kind: ToolKind;
  readonly kindOf?: (fields: Fields) => ToolKind;
  readonly title?: (fields: Fields) => string | undefined;
  readonly locations?: (fields: Fields) => readonly ToolCallLocation[];
};

/** By name of the tool, ours and codex's. */
const callStyles: ReadonlyMap<string, CallStyle> = new Map<string, CallStyle>([
  ["terminal", { kind: "execute", title: ({ command }) => text(command) }],
  [
    "exec_command",
    { kind: "execute", title: ({ command }) => withoutShell(text(command) ?? "") || undefined },
  ],
  ["read_file", { kind: "read", title: ({ path }) => named("Read", path), locations: onePath }],
  ["write_file", { kind: "edit", title: ({ path }) => named("Write", path), locations: onePath }],
  ["patch", { kind: "edit", title: ({ path }) => named("Edit", path), locations: onePath }],
  ["apply_patch", { kind: "edit", kindOf: changeKind, title: changeTitle, locations: changeLocations }],
  ["search_files", { kind: "search", title: ({ pattern }) => named("Search", pattern) }],
  ["session_search", { kind: "search", title: ({ query }) => named("Search sessions for", query) }],
]);

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const named = (verb: string, value: unknown): string | undefined => {
  const known = text(value);
  return known === undefined ? undefined : `${verb} ${known}`;
};

function onePath({ path, offset }: Fields): readonly ToolCallLocation[] {
  const known = text(path);
  if (known === undefined) return [];
  return [{ path: known, ...(typeof offset === "number" && offset > 0 ? { line: offset } : {}) }];
}

type Change = { readonly kind: string; readonly path: string; readonly to?: string };

const changesOf = ({ changes }: Fields): readonly Change[] =>
  (Array.isArray(changes) ? changes : []).filter(isPlainObject).map(({ kind, path, move_path: to }) => ({
    kind: text(kind) ?? "?",
    path: text(path) ?? "?",
    ...(typeof to === "string" ? { to } : {}),
  }));

function changeTitle(fields: Fields): string | undefined {
  const changes = changesOf(fields);
  const [first, ...more] = changes;
  if (first === undefined) return undefined;
  return more.length === 0 ? `Edit ${first.path}` : `Edit ${changeSummary(changes)}`;
}

function changeKind(fields: Fields): ToolKind {
  const changes = changesOf(fields);
  if (changes.length === 0) return "edit";
  if (changes.every(({ kind }) => kind === "delete")) return "delete";
  return changes.every(({ to }) => to !== undefined) ? "move" : "edit";
}

function changeLocations(fields: Fields): readonly ToolCallLocation[] {
  return changesOf(fields).map(({ path, to }) => ({ path: to ?? path }));
}

const absoluteLocation = ({ path, ...rest }: ToolCallLocation, cwd: string): ToolCallLocation => ({
  path: resolve(cwd, path),
  ...rest,
});
