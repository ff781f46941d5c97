import type { Host } from "../core/host.ts";
import type { CommandContext, CommandReply } from "../core/chat-state.ts";

/** What a command may use of the host. */
export type CommandHost = Pick<
  Host,
  | "approvals"
  | "checks"
  | "choose"
  | "compress"
  | "context"
  | "delegated"
  | "diff"
  | "endRunning"
  | "fork"
  | "learned"
  | "mcp"
  | "migration"
  | "readiness"
  | "recordings"
  | "redo"
  | "running"
  | "sessions"
  | "setDefaultRuntime"
  | "status"
  | "stop"
  | "switchTools"
  | "tools"
  | "undo"
  | "usage"
>;

/** From where and in which situation a command was typed. */
export type CommandCall = CommandContext & {
  /** The person whose machine this is. */
  readonly owner: boolean;
  /** A turn of the session runs in this process. */
  readonly busy: boolean;
};

export const groups = [
  "Session",
  "Turn",
  "Model and runtime",
  "Safety",
  "Learning",
  "Tools and records",
  "About",
] as const;

/** A slash command. Dispatch, help, completion and the page of every surface derive from the one table of these. */
export type Command = {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly group: (typeof groups)[number];
  /** One line for lists, short enough for a narrow screen. */
  readonly help: string;
  /** The rest, for whoever asks about this one. */
  readonly more?: string;
  /** How its arguments are written, empty when it takes none. */
  readonly args: string;
  /** First arguments that can be completed. */
  readonly words?: readonly string[];
  /** What may follow behind the first one. */
  readonly laterWords?: (first: string, host: Pick<Host, "tools" | "learned">) => Promise<readonly string[]>;
  readonly where: readonly string[] | "everywhere";
  /** What happens while a turn of the session runs. */
  readonly busy: "allowed" | "refused";
  /** `owner`: only the person whose machine this is, never a chat's guest. */
  readonly who: "anyone" | "owner";
  run(arg: string, call: CommandCall, host: CommandHost): Promise<CommandReply>;
};

/** What most commands have in common. */
export const commandDefaults = {
  aliases: [],
  args: "",
  where: "everywhere",
  busy: "allowed",
  who: "anyone",
} as const;

/** How a command is typed. */
export const commandUsage = ({ name, args }: Pick<Command, "name" | "args">): string =>
  `/${name}${args === "" ? "" : ` ${args}`}`;

/** A line that starts with one slash and a letter or digit is a command; `//` and paths like `/usr` with a second slash are text. */
export function parseCommand(line: string): { readonly name: string; readonly arg: string } | undefined {
  const match = /^\/([a-z0-9][a-z0-9_-]*|\?)(?:\s+([\s\S]*))?$/i.exec(line.trim());
  if (match === null) return undefined;
  return { name: (match[1] ?? "").toLowerCase(), arg: (match[2] ?? "").trim() };
}
