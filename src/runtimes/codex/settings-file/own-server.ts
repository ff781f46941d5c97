import { tmpdir } from "node:os";
import { resolve, sep } from "node:path";
import { isPlainObject } from "../../../core/json.ts";
import { spawnChild } from "../../../lib/child.ts";
import type { Clock } from "../../../lib/clock.ts";
import { lines } from "../../../lib/jsonl.ts";
import type { WishedServer } from "./block.ts";

/** The name under which codex finds our tools. */
export const ownServerName = "talaria-tools";

export type OwnServer = {
  /** Absolute path of the program that runs Talaria. */
  readonly launcher: string;
  /** `default` is the home itself. */
  readonly profile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Our own tools as an MCP server. */
export const ownServer = (own: OwnServer): WishedServer => ({
  settings: {
    command: own.launcher,
    args: argumentsOf(own),
    ...homeOf(own.env),
    startup_timeout_sec: 30,
    tool_timeout_sec: 600,
  },
  off: false,
});

const argumentsOf = ({ profile }: OwnServer): readonly string[] =>
  profile === "default" ? ["mcp"] : ["--profile", profile, "mcp"];

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

const patienceMs = 5_000;

/** Does it speak MCP? Starts it for one question, and ends it. Never rejects. */
export async function answersMcp(own: OwnServer, clock: Clock): Promise<boolean> {
  const late = new AbortController();
  const done = new AbortController();
  void clock.sleep(patienceMs, done.signal).then(
    () => late.abort(),
    () => {}, // it answered or ended
  );
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
  } finally {
    done.abort();
  }
}

function isGreeting(line: string): boolean {
  try {
    const { id, result } = JSON.parse(line) as { readonly id?: unknown; readonly result?: unknown };
    return id === hello.id && isPlainObject(result) && "serverInfo" in result;
  } catch {
    return false;
  }
}
