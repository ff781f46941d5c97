import { changeSummary } from "../../core/change-summary.ts";
import { type Json, isPlainObject, stableJson } from "../../core/json.ts";

/** What a call does, for a person: a name, and the one thing about it that matters. */
export type CallTitle = { readonly name: string; readonly detail: string };

export function callTitle(tool: string, args: Json | undefined): CallTitle {
  const fields = isPlainObject(args) ? args : {};
  const known = titles.get(tool)?.(fields);
  if (known !== undefined) return known;
  return { name: tool === "" ? "tool" : tool.replace(/^mcp\./, "mcp "), detail: detailOf(args) };
}

type Fields = Readonly<Record<string, unknown>>;

const titles = new Map<string, (fields: Fields) => CallTitle | undefined>([
  ["terminal", (fields) => titled("terminal", fields["command"])],
  ["exec_command", (fields) => titled("command", unwrapped(fields["command"]))],
  ["read_file", (fields) => titled("read", fields["path"], lineRange(fields))],
  ["write_file", (fields) => titled("write", fields["path"])],
  ["patch", (fields) => titled("patch", fields["path"])],
  ["search_files", (fields) => titled("search", fields["pattern"], inFolder(fields))],
  ["session_search", (fields) => titled("past sessions", fields["query"] ?? fields["session_id"])],
  ["process", (fields) => titled("process", fields["action"], fields["id"] === undefined ? "" : ` ${textOf(fields["id"])}`)],
  ["apply_patch", (fields) => titled("patch", changesText(fields["changes"]))],
]);

const titled = (name: string, detail: unknown, more = ""): CallTitle | undefined =>
  typeof detail === "string" ? { name, detail: detail + more } : undefined;

/** Codex runs everything through a login shell; a person knows the command without it. */
function unwrapped(command: unknown): unknown {
  if (typeof command !== "string") return command;
  const found = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh -l?c (?:'([^']*)'|([^\s'"\\$]+))$/.exec(command);
  return found?.[1] ?? found?.[2] ?? command;
}

function lineRange({ offset, limit }: Fields): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? `:${first}-${first + limit - 1}` : `:${first}`;
}

const inFolder = ({ path }: Fields): string => (typeof path === "string" ? ` in ${path}` : "");

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function changesText(changes: unknown): string | undefined {
  if (!Array.isArray(changes)) return undefined;
  const named = changes.filter(isPlainObject).map(({ kind, path }) => ({ kind: textOf(kind), path: textOf(path) }));
  const [first] = named;
  if (first === undefined) return undefined;
  return named.length === 1 ? first.path : changeSummary(named);
}

function detailOf(args: Json | undefined): string {
  if (args === undefined) return "";
  const values = isPlainObject(args) ? Object.values(args) : [args];
  const [only] = values;
  if (values.length === 1 && typeof only === "string") return only;
  if (values.length === 0) return "";
  try {
    return stableJson(args);
  } catch {
    return "(arguments that are nested too deep)";
  }
}
