import type { LiveTurn } from "../live-turn.ts";
import { isRunning } from "../items/strays.ts";
import { plainCommand, readsCommands } from "./plain-command.ts";
import { endTerminals } from "./terminals.ts";

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
