import type { CommandContext, CommandReply, Host } from "../core/host.ts";

/** What a command may use of the host. */
export type CommandHost = Pick<Host, "sessions" | "status" | "checks" | "approvals" | "usage" | "compress">;

/** A slash command. Dispatch, help and completion of every surface derive from the one table of these. */
export type Command = {
  readonly name: string;
  readonly aliases: readonly string[];
  /** One line, for people. */
  readonly help: string;
  /** How its arguments are written, empty when it takes none. */
  readonly args: string;
  readonly where: readonly string[] | "everywhere";
  /** What happens while a turn of the session runs. */
  readonly busy: "allowed" | "refused";
  /** `owner`: only the person whose machine this is, never a chat's guest. */
  readonly who: "anyone" | "owner";
  run(arg: string, context: CommandContext, host: CommandHost): Promise<CommandReply>;
};

/** A line that starts with one slash and a letter is a command; `//` and paths like `/usr` with a second slash are text. */
export function parseCommand(line: string): { readonly name: string; readonly arg: string } | undefined {
  const match = /^\/([a-z][a-z0-9_-]*)(?:\s+([\s\S]*))?$/i.exec(line.trim());
  if (match === null) return undefined;
  return { name: (match[1] ?? "").toLowerCase(), arg: (match[2] ?? "").trim() };
}
