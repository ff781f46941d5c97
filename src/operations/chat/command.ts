import type { CommandContext, CommandReply } from "../../core/chat-state.ts";
import type { Client } from "../../core/calls.ts";
import type { Principal } from "../../core/principal.ts";

/** From where and in which situation a command was typed. */
export type CommandCall = CommandContext & {
  readonly now: number;
  /** Who has typed it. */
  readonly by: Principal;
  /** A turn of the session runs in this process. */
  readonly busy: boolean;
};

/** What a slash command does with the words behind its name. */
export type Run = (arg: string, call: CommandCall, client: Client) => Promise<CommandReply>;

/** A line that starts with one slash and a letter or digit is a command; `//` and paths like `/usr` with a second slash are text. */
export function parseCommand(line: string): { readonly name: string; readonly arg: string } | undefined {
  const match = /^\/([a-z0-9][a-z0-9_-]*|\?)(?:\s+([\s\S]*))?$/i.exec(line.trim());
  if (match === null) return undefined;
  return { name: (match[1] ?? "").toLowerCase(), arg: (match[2] ?? "").trim() };
}
