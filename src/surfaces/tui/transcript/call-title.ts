import { argumentWords, callDetail, withoutShell } from "../../../core/call-words.ts";
import { changeSummary } from "../../../core/text/change-summary.ts";
import { type Json, isPlainObject } from "../../../core/json.ts";

/** What a call does, for a person: the tool, and the one thing about the call that matters. */
export type CallTitle = { readonly name: string; readonly detail: string };

export function callTitle(tool: string, args: Json | undefined): CallTitle {
  const fields = isPlainObject(args) ? args : {};
  const known = details.get(tool)?.(fields);
  const name = tool === "" ? "tool" : tool.replace(/^mcp\./, "mcp ");
  return {
    name,
    detail: typeof known === "string" ? known : (callDetail(tool, args) ?? argumentWords(args)),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** By name of the tool, ours and codex's. Anything but a text means that the arguments are not as they should be. */
const details: ReadonlyMap<string, (fields: Fields) => unknown> = new Map([
  ["terminal", ({ command }: Fields) => command],
  ["exec_command", ({ command }: Fields) => (typeof command === "string" ? withoutShell(command) : command)],
  ["read_file", (fields: Fields) => join(fields["path"], lineRange(fields))],
  ["write_file", ({ path }: Fields) => path],
  ["patch", ({ path }: Fields) => path],
  ["apply_patch", ({ changes }: Fields) => changesText(changes)],
  [
    "search_files",
    ({ pattern, path }: Fields) => join(pattern, path === undefined ? "" : join(" in ", path)),
  ],
  ["session_search", ({ query, session_id: session }: Fields) => query ?? session],
  ["process", ({ action, id }: Fields) => join(action, id === undefined ? "" : join(" ", id))],
]);

const join = (text: unknown, more: unknown): string | undefined =>
  typeof text === "string" && typeof more === "string" ? text + more : undefined;

function lineRange({ offset, limit }: Fields): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? `:${first}-${first + limit - 1}` : `:${first}`;
}

function changesText(changes: unknown): string | undefined {
  if (!Array.isArray(changes)) return undefined;
  const named = changes
    .filter(isPlainObject)
    .map(({ kind, path }) => ({ kind: wordOf(kind), path: wordOf(path) }));
  const [first, second] = named;
  if (first === undefined) return undefined;
  return second === undefined ? first.path : changeSummary(named);
}

const wordOf = (value: unknown): string => (typeof value === "string" ? value : "?");
