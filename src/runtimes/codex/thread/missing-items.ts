import type { Json } from "../../../core/json.ts";
import type { Message } from "../../../core/messages.ts";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { Ports, Turn } from "../../runtime.ts";
import type { AppServer } from "../process/app-server.ts";
import { fieldsOf, listOf } from "../wire/fields.ts";
import { request } from "./requests.ts";
import { type ThreadBinding, cutTurnItems, located, seedItems } from "./seed.ts";
import { readThreadTurns } from "./thread-turns.ts";

/**
 * What a thread that was just resumed must be told. Codex answers before it writes, so of a turn in which it was killed
 * there may be nothing. `undefined`: there is nothing at all, not even the settings that the thread was started with.
 */
export async function missingItems(
  server: AppServer,
  binding: ThreadBinding,
  news: readonly Message[],
  turn: Turn,
  ports: Ports,
): Promise<readonly Json[] | undefined> {
  const { thread, turn: last, told, cut } = binding;
  const isKnown = last === undefined || told !== undefined || (await hasWritten(server, thread, last, ports));
  if (isKnown && cut !== true) return seedItems(news);
  const past = await turn.past();
  const bound = located(binding, past);
  if (isKnown) return [...cutTurnItems(past.history, bound), ...seedItems(news)];
  if (!(await hasWritten(server, thread, null, ports))) return undefined;
  await takeBack(server, thread, last, ports);
  return seedItems(past.history.slice(bound.at));
}

/** The words may be written without the item that shows them. Where nothing is written there is nothing to take back. */
async function takeBack(server: AppServer, thread: string, turn: string, ports: Ports): Promise<void> {
  const params = { threadId: thread, beforeTurnId: turn };
  await request(server, "thread/revert", params, ports).catch((error: unknown) => {
    if (!(error instanceof RpcError)) throw error;
  });
}

/** Has codex written down anything of the turn, or of the whole thread? If it cannot tell, we trust it. */
async function hasWritten(
  server: AppServer,
  thread: string,
  turn: string | null,
  ports: Ports,
): Promise<boolean> {
  try {
    const params = { threadId: thread, turnId: turn, limit: 1 };
    return listOf(fieldsOf(await request(server, "thread/items/list", params, ports))["data"]).length > 0;
  } catch (error) {
    if (error instanceof RpcError) return listsTurn(server, thread, turn);
    throw error;
  }
}

/**
 * Before 0.151 a thread can only be read as a whole. A turn that is listed may have left its words without an item that
 * shows them, and cannot be taken back: it is not told again.
 */
async function listsTurn(server: AppServer, thread: string, turn: string | null): Promise<boolean> {
  try {
    const turns = await readThreadTurns(server, thread);
    return turns.some(({ id }) => turn === null || id === turn);
  } catch (error) {
    if (error instanceof RpcError) return true;
    throw error;
  }
}
