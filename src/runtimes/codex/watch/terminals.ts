import type { AppServer } from "../process/app-server.ts";
import { fieldsOf, idIn, listOf, textIn } from "../wire/fields.ts";

/** A process that codex has started for a command and that has not ended. */
export type Terminal = { readonly itemId: string; readonly processId: string; readonly command: string };

const requestMs = 2_000;

/** `undefined`: this codex cannot tell, or does not answer. */
export async function terminalsOf(
  server: AppServer,
  threadId: string,
): Promise<readonly Terminal[] | undefined> {
  try {
    const reply = await ask(server, "thread/backgroundTerminals/list", { threadId });
    return listOf(fieldsOf(reply)["data"]).flatMap((entry) => {
      const fields = fieldsOf(entry);
      const [itemId, processId] = [idIn(fields, "itemId"), idIn(fields, "processId")];
      if (itemId === undefined || processId === undefined) return [];
      return [{ itemId, processId, command: textIn(fields, "command") ?? "" }];
    });
  } catch {
    return undefined;
  }
}

/** Ends those that are wanted. A codex that cannot end one alone ends them all. */
export async function endTerminals(
  server: AppServer,
  threadId: string,
  isWanted: (itemId: string) => boolean,
): Promise<void> {
  const all = await terminalsOf(server, threadId);
  const wanted = all?.filter(({ itemId }) => isWanted(itemId)) ?? [];
  try {
    if (all === undefined) return void (await ask(server, "thread/backgroundTerminals/clean", { threadId }));
    for (const { processId } of wanted)
      await ask(server, "thread/backgroundTerminals/terminate", { threadId, processId });
  } catch {
    // It ends with the process of codex; until then it is listed.
  }
}

const ask = (server: AppServer, method: string, params: object): Promise<unknown> =>
  server.request(method, params, { signal: new AbortController().signal, timeoutMs: requestMs });
