import { isPlainObject, type Json } from "../../../core/json.ts";

type Servers = { readonly [name: string]: Json };

/** Our settings for MCP servers in codex's words, and what has to be said about them. */
export type CodexMcpServers = { readonly servers: Servers; readonly notices: readonly string[] };

const renamed: Readonly<Record<string, string>> = {
  command: "command",
  args: "args",
  env: "env",
  cwd: "cwd",
  url: "url",
  headers: "http_headers",
  timeout: "tool_timeout_sec",
  connect_timeout: "startup_timeout_sec",
};
/** Codex finds out the kind of transport by itself. */
const silent = new Set(["transport", "enabled"]);

/** `taken`: names that the person's own codex settings use. Theirs win. */
export function codexMcpServers(written: Servers, taken: ReadonlySet<string>): CodexMcpServers {
  const results = Object.entries(written).map(([name, server]) => translate(name, server, taken));
  return {
    servers: Object.fromEntries(results.flatMap(({ entry }) => (entry === undefined ? [] : [entry]))),
    notices: results.flatMap(({ notices }) => notices),
  };
}

type Translated = { readonly entry?: readonly [string, Json]; readonly notices: readonly string[] };

function translate(name: string, server: Json, taken: ReadonlySet<string>): Translated {
  if (!isPlainObject(server)) return { notices: [`The MCP server ${name} has no settings.`] };
  if (server["enabled"] === false) return { notices: [] };
  if (taken.has(name)) {
    return { notices: [`The MCP server ${name} of your codex settings is used, not the one of Talaria's.`] };
  }
  const isProgram = typeof server["command"] === "string";
  if (!isProgram && typeof server["url"] !== "string") {
    return { notices: [`The MCP server ${name} has neither a command nor a url, so it is left out.`] };
  }
  // A command wins over an address; what belongs to the other kind would be refused.
  const other = isProgram ? ["url", "headers"] : ["args", "env", "cwd"];
  const keys = Object.keys(server).filter((key) => !silent.has(key) && !other.includes(key));
  const known = keys.filter((key) => renamed[key] !== undefined);
  const unknown = keys.filter((key) => renamed[key] === undefined);
  const entries = known.map((key) => [renamed[key] ?? key, server[key] as Json] as const);
  const skipped = `The MCP server ${name}: codex has nothing for ${unknown.join(", ")}.`;
  return { entry: [name, Object.fromEntries(entries)], notices: unknown.length === 0 ? [] : [skipped] };
}
