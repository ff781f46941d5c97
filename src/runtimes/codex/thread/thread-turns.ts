import type { AppServer } from "../process/app-server.ts";
import { fieldsOf, listOf } from "../wire/fields.ts";
import { type ThreadStatus, type WireTurn, readThreadStatus, readTurn } from "../wire/turn.ts";

/** A stuck process does not answer in this time; a working one does in milliseconds, also in the middle of a turn. */
const answerMs = 5_000;

/** What codex itself says of a thread. Rejects like any request. */
export async function readThread(server: AppServer, threadId: string): Promise<ThreadStatus> {
  const reply = await ask(server, { threadId });
  return readThreadStatus(fieldsOf(reply["thread"])["status"]);
}

/** The thread's turns with their items, oldest first. */
export async function readThreadTurns(server: AppServer, threadId: string): Promise<readonly WireTurn[]> {
  const reply = await ask(server, { threadId, includeTurns: true });
  return listOf(fieldsOf(reply["thread"])["turns"]).map(readTurn);
}

const ask = async (server: AppServer, params: object): Promise<ReturnType<typeof fieldsOf>> =>
  fieldsOf(
    await server.request("thread/read", params, {
      signal: new AbortController().signal,
      timeoutMs: answerMs,
    }),
  );
