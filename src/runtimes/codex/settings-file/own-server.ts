import { tmpdir } from "node:os";
import { resolve, sep } from "node:path";
import { parsedJson } from "../../../core/json.ts";
import { spawnChild } from "../../../lib/process/child.ts";
import { type Clock, timeLimit } from "../../../lib/clock.ts";
import { lines } from "../../../lib/rpc/jsonl.ts";
import { type Fields, fieldsOf, listOf } from "../wire/fields.ts";
import type { WantedServer } from "./block.ts";

/** The name under which codex finds our tools. */
export const ownServerName = "talaria-tools" as const;

export type OwnServer = {
  /** Absolute path of the program that runs Talaria. */
  readonly launcher: string;
  /** `default` is the home itself. */
  readonly profile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Our own tools as an MCP server. Shown to the model up front, and not asked about by codex: our own policy asks, in
 * codex, and only where it must. Not `required`: a Talaria that is broken must not stop somebody's codex.
 */
export const ownServer = (own: OwnServer): WantedServer => ({
  settings: {
    command: own.launcher,
    args: argumentsOf(own),
    ...homeOf(own.env),
    startup_timeout_sec: 30,
    tool_timeout_sec: 600,
    ...ownRules,
  },
  off: false,
});

const ownRules = { default_tools_approval_mode: "approve", omit_tools_from: ["deferred"] } as const;

/** What no other server of ours has, in codex's words. */
export const ownServerKeys: ReadonlySet<string> = new Set(Object.keys(ownRules));

const argumentsOf = ({ profile }: OwnServer): readonly string[] =>
  profile === "default" ? ["mcp"] : ["--profile", profile, "mcp"];

/**
 * Switches off what the migration wrote, for a thread that is given the same tools by us. One of that name that starts
 * anything else is not ours, and stays as the person has it.
 */
export function withoutOwnServer(
  servers: Fields,
  launcher: string | undefined,
): { readonly [ownServerName]?: { readonly enabled: false } } {
  const { command, args } = fieldsOf(servers[ownServerName]);
  const isOurs = command === launcher && listOf(args).at(-1) === "mcp";
  return launcher !== undefined && isOurs ? { [ownServerName]: { enabled: false } } : {};
}

/** A home that is gone tomorrow is not written into somebody's settings. */
function homeOf(env: OwnServer["env"]): { readonly env?: { readonly TALARIA_HOME: string } } {
  const home = env["TALARIA_HOME"];
  if (home === undefined || home === "") return {};
  const isBelow = (folder: string): boolean =>
    `${resolve(home)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
  const temporary = [tmpdir(), "/tmp", "/var/tmp"];
  return temporary.some(isBelow) ? {} : { env: { TALARIA_HOME: resolve(home) } };
}

const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "talaria", version: "0" } },
};

/** A start takes a second; on a machine that is very busy, many. */
const patienceMs = 20_000;

/** Does it speak MCP? Starts it for one question, and ends it. Never rejects. */
export async function answersMcp(own: OwnServer, clock: Clock): Promise<boolean> {
  using late = timeLimit(clock, patienceMs);
  try {
    await using child = await spawnChild({
      command: own.launcher,
      args: argumentsOf(own),
      cwd: "/",
      env: Object.fromEntries(
        Object.entries(own.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
      kind: "mcp",
      registry: { add: async () => {}, remove: async () => {} },
      clock,
      signal: late.signal,
      grace: { inputMs: 200, termMs: 500 },
    });
    await child.write(`${JSON.stringify(hello)}\n`);
    for await (const line of lines(child.stdout)) return isGreeting(line);
    return false;
  } catch {
    return false;
  }
}

function isGreeting(line: string): boolean {
  const { id, result } = fieldsOf(parsedJson(line));
  return id === hello.id && "serverInfo" in fieldsOf(result);
}
