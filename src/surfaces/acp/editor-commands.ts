import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { parseCommand } from "../../operations/chat/command.ts";
import { skillCompletions } from "../../operations/chat/completions.ts";
import { lookUp } from "../../operations/chat/look-up.ts";
import { type SlashCommand, isOffered, slashCommands } from "../../operations/slash.ts";
import type { Client } from "../../core/calls.ts";
import type { InputPart } from "../../core/messages.ts";

/** The slash commands an editor can complete. */
export const offeredCommands = (): readonly AvailableCommand[] =>
  offered()
    .filter(({ name }) => !editorsOwn.has(name))
    .map(({ name, help, args }) => ({
      name,
      description: help,
      ...(args === "" ? {} : { input: { hint: args } }),
    }));

/** The skills among them. */
export async function offeredSkills(client: Client, cwd: string): Promise<readonly AvailableCommand[]> {
  const found = await skillCompletions("/", cwd, async () => client);
  return found.map(({ value, detail }) => ({
    name: value.slice(1),
    description: detail,
    input: { hint: "[text]" },
  }));
}

const offered = (): readonly SlashCommand[] => slashCommands.filter((command) => isOffered(command, "acp"));

/** The one line of a prompt that is a command and nothing else. */
export function commandLine(input: readonly InputPart[]): string | undefined {
  const [first, ...more] = input;
  if (first?.type !== "text" || more.length > 0) return undefined;
  return parseCommand(first.text) === undefined ? undefined : first.text.trim();
}

/** Why a command has no place here: a thread of an editor is one session, and the editor has its own ways to others. */
export function whyNotHere(line: string): string | undefined {
  const found = lookUp(parseCommand(line)?.name ?? "", offered());
  return "command" in found ? editorsOwn.get(found.command.name) : undefined;
}

const editorsOwn: ReadonlyMap<string, string> = new Map([
  ["new", "This thread is one session. Open a new thread in your editor to begin another one."],
  [
    "resume",
    "This thread is one session. Open another one from the list of threads in your editor, or with `talaria --resume` in a terminal.",
  ],
  [
    "fork",
    "This thread is one session. If your editor can fork a thread, use that; else `/fork` in a terminal (`talaria --resume ID`) makes a copy that your editor can open.",
  ],
]);
