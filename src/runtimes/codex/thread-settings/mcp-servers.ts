import { isDeepStrictEqual } from "node:util";
import { isPlainObject, type Json } from "../../../core/json.ts";
import { type Fields, fieldsOf, listOf } from "../wire/fields.ts";

type Servers = { readonly [name: string]: Json };

/** Our settings for MCP servers in codex's words, and what has to be said about them. */
export type CodexMcpServers = { readonly servers: Servers; readonly notices: readonly string[] };

/** One of them. */
export type CodexServer = {
  readonly settings: { readonly [key: string]: Json };
  /** Written down, but not to be started. */
  readonly off: boolean;
  /** Keys that codex has nothing for. */
  readonly unknown: readonly string[];
  /** Patterns for names of tools, with which codex can do nothing. */
  readonly unoffered: readonly string[];
  /** What else is not as it was written, each without a full stop. */
  readonly notes: readonly string[];
};

/** `why` goes after the server's name. */
export type NoServer = { readonly why: string };

type Word = {
  readonly name: string;
  /** What kind of server has it; both if unset. */
  readonly of?: "program" | "address";
  readonly fits: (value: unknown) => boolean;
  readonly shape: string;
};

const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isTextMap = (value: unknown): boolean => isPlainObject(value) && Object.values(value).every(isText);
/** Beyond these bounds codex refuses its whole file. */
const isSeconds = (value: unknown): boolean => typeof value === "number" && value > 0 && value < 1e9;

const text = { fits: isText, shape: "a text" };
const textMap = { fits: isTextMap, shape: "a map of texts" };
const seconds = { fits: isSeconds, shape: "a number of seconds" };

const words: ReadonlyMap<string, Word> = new Map(
  Object.entries({
    command: { name: "command", of: "program", ...text },
    args: { name: "args", of: "program", fits: isTexts, shape: "a list of texts" },
    env: { name: "env", of: "program", ...textMap },
    cwd: { name: "cwd", of: "program", ...text },
    url: { name: "url", of: "address", ...text },
    headers: { name: "http_headers", of: "address", ...textMap },
    timeout: { name: "tool_timeout_sec", ...seconds },
    connect_timeout: { name: "startup_timeout_sec", ...seconds },
  }),
);

/** Everything that a translation may set, in codex's words. */
export const translatedKeys: ReadonlySet<string> = new Set([
  ...words.values().map(({ name }) => name),
  "enabled_tools",
  "disabled_tools",
]);

/** `taken`: the servers of the person's own codex settings, as codex tells them. Theirs win. */
export function codexMcpServers(written: Servers, taken: Fields): CodexMcpServers {
  const results = Object.entries(written).map(([name, server]) => forThread(name, server, taken));
  return {
    servers: Object.fromEntries(results.flatMap(({ entry }) => (entry === undefined ? [] : [entry]))),
    notices: results.flatMap(({ notices }) => notices),
  };
}

type Translated = { readonly entry?: readonly [string, Json]; readonly notices: readonly string[] };

function forThread(name: string, written: Json, taken: Fields): Translated {
  if (isPlainObject(written) && written["enabled"] === false) return { notices: [] };
  const server = codexServer(written);
  if ("why" in server) return { notices: [`The MCP server ${name} ${server.why}.`] };
  if (Object.hasOwn(taken, name)) {
    // After `codex-runtime migrate` codex has ours: nobody needs to hear that in every conversation.
    if (saysTheSame(server, fieldsOf(taken[name]))) return { notices: [] };
    return { notices: [`The MCP server ${name} of your codex settings is used, not the one of Talaria's.`] };
  }
  const { settings, unknown, unoffered } = server;
  const gaps = [
    ...(unknown.length === 0 ? [] : [`codex has nothing for ${unknown.join(", ")}`]),
    ...(unoffered.length === 0 ? [] : [fewer(unoffered)]),
  ];
  return { entry: [name, settings], notices: gaps.map((gap) => `The MCP server ${name}: ${gap}.`) };
}

/** Codex fills in what was not written: no arguments, no variables. */
function saysTheSame({ settings }: CodexServer, theirs: Fields): boolean {
  const isSame = (key: string): boolean => isDeepStrictEqual(filled(theirs[key]), filled(settings[key]));
  return theirs["enabled"] !== false && [...translatedKeys].every(isSame);
}

const filled = (value: unknown): unknown => {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty ? undefined : (value ?? undefined);
};

/** One server of our settings as codex wants to have it, or why it can do nothing with it. */
export function codexServer(written: Json): CodexServer | NoServer {
  if (!isPlainObject(written)) return { why: "has no settings" };
  const isProgram = typeof written["command"] === "string";
  if (!isProgram && typeof written["url"] !== "string") {
    return { why: "has neither a command nor a url, so it is left out" };
  }
  const { enabled, transport, tools, ...given } = written as Servers;
  const chosen = chosenTools(fieldsOf(tools));
  if ("why" in chosen) return chosen;
  const keys = Object.keys(given);
  // A command wins over an address; what belongs to the other kind would be refused.
  const other = keys.filter((key) => words.get(key)?.of === (isProgram ? "address" : "program"));
  const ill = keys.filter((key) => words.get(key)?.fits(given[key]) === false && !other.includes(key));
  const kept = keys.filter((key) => words.get(key) !== undefined && ![...other, ...ill].includes(key));
  return {
    settings: {
      ...Object.fromEntries(kept.map((key) => [words.get(key)?.name ?? key, given[key] as Json])),
      ...chosen.settings,
    },
    off: enabled === false,
    unknown: keys.filter((key) => words.get(key) === undefined),
    unoffered: chosen.unoffered,
    notes: [
      ...(other.length === 0 ? [] : [`${other.join(", ")}: not used by one with a ${kindWord(isProgram)}`]),
      ...ill.map((key) => `${key} is not ${words.get(key)?.shape}, so it is left out`),
      ...(chosen.unoffered.length === 0 ? [] : [fewer(chosen.unoffered)]),
      ...(transport === "sse" ? ["codex finds out by itself that the transport is sse"] : []),
    ],
  };
}

type Chosen = Pick<CodexServer, "settings" | "unoffered"> | NoServer;

/** Codex knows whole names only: fewer tools than were meant can be borne, one that was to be left out cannot. */
function chosenTools({ include, exclude }: Fields): Chosen {
  if (isTexts(include)) {
    const [patterns, names] = parted(include as readonly string[]);
    return { settings: { enabled_tools: names }, unoffered: patterns };
  }
  if (!isTexts(exclude) || listOf(exclude).length === 0) return { settings: {}, unoffered: [] };
  const [patterns, names] = parted(exclude as readonly string[]);
  if (patterns.length === 0) return { settings: { disabled_tools: names }, unoffered: [] };
  return {
    why: `is left out on codex, which knows only whole names of tools: write out ${patterns.join(", ")} in tools.exclude`,
  };
}

const fewer = (patterns: readonly string[]): string =>
  `codex knows only whole names of tools, so what fits ${patterns.join(", ")} is not offered there`;

const parted = (
  names: readonly string[],
): readonly [patterns: readonly string[], whole: readonly string[]] => [
  names.filter((name) => /[*?]/.test(name)),
  names.filter((name) => !/[*?]/.test(name)),
];

const kindWord = (isProgram: boolean): string => (isProgram ? "command" : "url");
