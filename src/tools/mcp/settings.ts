import { isPlainObject, type Json } from "../../core/json.ts";
import { literalSource } from "../files/glob.ts";
import { plainName } from "./definition.ts";

/** A server as the person wrote it down, read once. */
export type ServerSettings = {
  readonly name: string;
  readonly endpoint: ServerProgram | ServerAddress;
  /** For one call, the wait for a person not counted. */
  readonly timeoutMs: number;
  readonly connectMs: number;
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[];
  readonly trust: "full" | "hints" | "untrusted";
  readonly elicitation: boolean;
  /** What is not as it was written, each without a full stop. */
  readonly notes: readonly string[];
};

export type ServerProgram = {
  readonly kind: "program";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
};

export type ServerAddress = {
  readonly kind: "address";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** `why` goes after "The MCP server x". */
export type ConfiguredServer =
  | { readonly name: string; readonly is: "off" }
  | { readonly name: string; readonly is: "unusable"; readonly why: string }
  | { readonly name: string; readonly is: "usable"; readonly settings: ServerSettings };

const defaultTimeoutS = 120;
const defaultConnectS = 60;

const known: ReadonlySet<string> = new Set(
  [
    ["command", "args", "env", "cwd", "url", "headers", "transport", "enabled"],
    ["timeout", "connect_timeout", "tools", "trust", "elicitation"],
  ].flat(),
);

/** `section`: `mcp_servers` of the settings, whose shape was checked when they were read. */
export function configuredServers(section: Json | undefined): readonly ConfiguredServer[] {
  if (!isPlainObject(section)) return [];
  return Object.entries(section).map(([name, written]) => configuredServer(name, written));
}

function configuredServer(name: string, written: unknown): ConfiguredServer {
  if (!isPlainObject(written)) return { name, is: "unusable", why: "has no settings" };
  if (written["enabled"] === false) return { name, is: "off" };
  const endpoint = endpointOf(written);
  if ("why" in endpoint) return { name, is: "unusable", why: endpoint.why };
  const tools = isPlainObject(written["tools"]) ? written["tools"] : {};
  return {
    name,
    is: "usable",
    settings: {
      name,
      endpoint,
      timeoutMs: seconds(written["timeout"], defaultTimeoutS),
      connectMs: seconds(written["connect_timeout"], defaultConnectS),
      include: texts(tools["include"]),
      exclude: texts(tools["exclude"]) ?? [],
      trust: trustOf(written["trust"]),
      elicitation: written["elicitation"] !== false,
      notes: notesOn(written, endpoint),
    },
  };
}

function endpointOf(
  written: Record<string, unknown>,
): ServerProgram | ServerAddress | { readonly why: string } {
  const { command, url, transport } = written;
  const wrong = wrongTransport(transport);
  if (wrong !== undefined) return { why: wrong };
  if (typeof command === "string") {
    const cwd = typeof written["cwd"] === "string" ? written["cwd"] : undefined;
    const args = texts(written["args"]) ?? [];
    return { kind: "program", command, args, env: textMap(written["env"]), cwd };
  }
  if (typeof url !== "string") return { why: "has neither a command nor a url, so it is left out" };
  const why = wrongAddress(url);
  return why === undefined ? { kind: "address", url, headers: textMap(written["headers"]) } : { why };
}

function wrongTransport(transport: unknown): string | undefined {
  if (transport === undefined || knownTransports.has(String(transport))) return undefined;
  if (transport === "sse")
    return "speaks the older sse transport, which Talaria does not. Give the address of its streamable HTTP, and take `transport` out";
  return `has the transport ${JSON.stringify(transport)}, which Talaria does not know. Take the line out, or write http`;
}

const knownTransports: ReadonlySet<string> = new Set(["stdio", "http", "streamable-http", "streamable_http"]);

function wrongAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return `has the url ${JSON.stringify(text)}, which is no address`;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `has a url that starts with ${url.protocol}; only http and https are spoken`;
  if (url.username !== "" || url.password !== "")
    return "has a url with a name or password in it. Put them into `headers`, as Authorization";
  return undefined;
}

function notesOn(
  written: Record<string, unknown>,
  endpoint: ServerProgram | ServerAddress,
): readonly string[] {
  const other = endpoint.kind === "program" ? ["url", "headers"] : ["args", "env", "cwd"];
  const unused = Object.keys(written).filter((key) => other.includes(key));
  const unknown = Object.keys(written).filter((key) => !known.has(key));
  const kind = endpoint.kind === "program" ? "command" : "url";
  return [
    ...(unused.length === 0 ? [] : [`${unused.join(", ")}: not used by one with a ${kind}`]),
    ...(unknown.length === 0 ? [] : [`${unknown.join(", ")}: Talaria has nothing for it`]),
  ];
}

const seconds = (value: unknown, otherwise: number): number =>
  1000 * (typeof value === "number" && value > 0 ? value : otherwise);

const texts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;

const textMap = (value: unknown): Readonly<Record<string, string>> =>
  isPlainObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])),
      )
    : {};

const trustOf = (value: unknown): ServerSettings["trust"] =>
  value === "full" || value === "untrusted" ? value : "hints";

/** May this tool of the server be offered at all? With `include`, `exclude` is not looked at. */
export function isIncluded(
  { include, exclude }: Pick<ServerSettings, "include" | "exclude">,
  tool: string,
): boolean {
  const name = plainName(tool);
  if (include !== undefined) return include.some((glob) => pattern(glob).test(name));
  return !exclude.some((glob) => pattern(glob).test(name));
}

/** Names of tools have no folders: `*` stands for anything, `?` for one character. */
const pattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .split(/([*?])/)
      .map((part) => wild[part] ?? literalSource(part))
      .join("")}$`,
    "su",
  );

const wild: Readonly<Record<string, string>> = { "*": ".*", "?": "." };
