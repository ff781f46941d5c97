import { open } from "node:fs/promises";
import type { AppServer } from "../process/app-server.ts";
import { fieldsOf } from "../wire/fields.ts";
import { type TokenCounts, recordedCounts } from "../wire/token-usage.ts";

/**
 * What the threads of a process had used when we last heard. Codex counts for a whole thread, and repeats the sum before
 * it shortens one: without the sum before a turn, the last answer of the turn before would be counted again.
 */
const totals = new WeakMap<AppServer, Map<string, TokenCounts>>();

export function noteTotal(server: AppServer, thread: string, total: TokenCounts): void {
  const threads = totals.get(server) ?? new Map<string, TokenCounts>();
  totals.set(server, threads.set(thread, total));
}

/** Once it is unloaded another process may go on with it. */
export const forgetTotal = (server: AppServer, thread: string): void =>
  void totals.get(server)?.delete(thread);

/** After a resume codex does not always say, but it has written it down. */
export async function totalBefore(
  server: AppServer,
  { id, file }: { readonly id: string; readonly file?: string },
): Promise<{ readonly totalBefore: TokenCounts } | undefined> {
  const total = totals.get(server)?.get(id) ?? (file === undefined ? undefined : await writtenTotal(file));
  return total && { totalBefore: total };
}

/** A long answer of a tool may stand behind the last sum, but hardly ever does. */
const tails = [64 * 1024, 4 * 1024 * 1024, 256 * 1024 * 1024] as const;

/** The last sum in the file of a thread. Never rejects. */
async function writtenTotal(file: string): Promise<TokenCounts | undefined> {
  try {
    await using opened = await open(file);
    const { size } = await opened.stat();
    for (const tail of tails) {
      const from = Math.max(0, size - tail);
      const { buffer } = await opened.read(Buffer.alloc(size - from), 0, size - from, from);
      const found = buffer.toString("utf8").split("\n").findLast(hasTotal);
      if (found !== undefined) return recordedCounts(infoIn(found)["total_token_usage"]);
      if (from === 0) return undefined;
    }
  } catch {
    // What cannot be read is not known.
  }
  return undefined;
}

/** A line that was cut at the beginning of the tail is none. */
const hasTotal = (line: string): boolean =>
  line.includes('"token_count"') && infoIn(line)["total_token_usage"] !== undefined;

function infoIn(line: string): ReturnType<typeof fieldsOf> {
  try {
    return fieldsOf(fieldsOf(fieldsOf(JSON.parse(line))["payload"])["info"]);
  } catch {
    return {};
  }
}
