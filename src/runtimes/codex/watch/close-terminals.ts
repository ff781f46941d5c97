import { isRunning } from "../items/strays.ts";
import type { LiveTurn } from "../live-turn.ts";
import type { AppServer } from "../process/app-server.ts";
import { fieldsOf, idIn, listOf, textIn } from "../wire/fields.ts";
import { plainCommand, readsCommands } from "./plain-command.ts";

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

/**
 * Ends the shells that a turn has left open, and says so. What is typed into one in a later turn is a command that codex
 * asks nobody about, and tells of when it is done. Resolves with their items.
 */
export async function endShells({ server, state, out }: LiveTurn): Promise<readonly string[]> {
  const shells = new Map<string, string>();
  for (const [id, entry] of state.open) {
    const { body } = entry;
    if (body.type !== "commandExecution" || !isRunning(entry) || !readsCommands(body.command)) continue;
    shells.set(id, plainCommand(body.command));
  }
  if (shells.size === 0) return [];
  await endTerminals(server, state.threadId, (itemId) => shells.has(itemId));
  const names = [...shells.values()].map((command) => `\`${command}\``).join(", ");
  const text = `Closed with the turn: ${names}. What is typed into a shell later is a command that nobody is asked about.`;
  out.push({ type: "notice", code: "shell_closed", text });
  return [...shells.keys()];
}
