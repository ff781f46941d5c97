import type { Json } from "../../../core/json.ts";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { AppServer } from "../process/app-server.ts";
import { fieldsOf } from "../wire/fields.ts";

const requestMs = 15_000;

/**
 * Settings of a thread that stands beside a conversation: no program of the person's runs for it, and it
 * goes soon after nobody listens to it any more.
 */
export const sideThreadSettings = {
  notify: [],
  "features.apps": false,
  "features.hooks": false,
  thread_unload_delay_secs: 1,
} as const;

/** Each thread would start all MCP servers of the person, and of the folder's project if they trust that. */
export async function withoutMcpServers(
  server: AppServer,
  cwd: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, Json>>> {
  const own = await server
    .request("config/read", { cwd }, { signal, timeoutMs: requestMs })
    .catch((error: unknown) => {
      if (error instanceof RpcError) return {}; // an old codex, or broken settings: the start of the thread says more
      throw error;
    });
  const names = Object.keys(fieldsOf(fieldsOf(fieldsOf(own)["config"])["mcp_servers"]));
  return names.length === 0
    ? {}
    : { mcp_servers: Object.fromEntries(names.map((name) => [name, { enabled: false }])) };
}

/** It is in no list and in no file; this takes it out of codex's memory, too. */
export function unloadThread(server: AppServer, threadId: string): void {
  const { signal } = new AbortController();
  server.request("thread/unsubscribe", { threadId }, { signal, timeoutMs: requestMs }).catch(() => {}); // it goes with the process
}
