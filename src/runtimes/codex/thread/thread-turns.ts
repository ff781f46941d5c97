import type { AppServer } from "../process/app-server.ts";
import { fieldsOf, listOf, textIn } from "../wire/fields.ts";
import { type ThreadStatus, type WireTurn, readThreadStatus, readTurn } from "../wire/turn.ts";

/** A stuck process does not answer in this time; a working one does in milliseconds, also in the middle of a turn. */
const answerMs = 5_000;

/** What codex itself says of a thread. Rejects like any request. */
export async function readThread(server: AppServer, threadId: string): Promise<ThreadStatus> {
  const reply = await ask(server, { threadId });
  return readThreadStatus(fieldsOf(reply["thread"])["status"]);
}

/** The thread's turns with their items, oldest first. */
export const readThreadTurns = async (server: AppServer, threadId: string): Promise<readonly WireTurn[]> =>
  (await readWholeThread(server, threadId)).turns;

/** `file`: where codex writes it down. */
export async function readWholeThread(
  server: AppServer,
  threadId: string,
): Promise<{ readonly turns: readonly WireTurn[]; readonly file?: string }> {
  const reply = await ask(server, { threadId, includeTurns: true });
  const thread = fieldsOf(reply["thread"]);
  const file = textIn(thread, "path");
  return { turns: listOf(thread["turns"]).map(readTurn), ...(file === undefined ? {} : { file }) };
}

const ask = async (server: AppServer, params: object): Promise<ReturnType<typeof fieldsOf>> =>
  fieldsOf(
    await server.request("thread/read", params, {
      signal: new AbortController().signal,
      timeoutMs: answerMs,
    }),
  );
