import type { CommandReply } from "../../core/chat-state.ts";
import type { Client } from "../../core/calls.ts";
import { type SlashCommand, findSlash, isOffered, mayType, slashCommands, whoText } from "../slash.ts";
import { type CommandCall, parseCommand } from "./command.ts";
import { lookUp, notFoundText } from "./look-up.ts";
import { short } from "../../core/plain-text.ts";
import { errorText } from "../text/error-text.ts";
import { skillCommand } from "./skill-commands.ts";
import { runs } from "./table.ts";

/** Runs one command line. Whatever is wrong with it comes back as text: a mistyped command never reaches the model. */
export async function dispatch(line: string, call: CommandCall, client: Client): Promise<CommandReply> {
  const parsed = parseCommand(line);
  if (parsed === undefined)
    return { text: `"${short(line, 60)}" is not a command. Commands look like /help.` };
  const known = findSlash(parsed.name);
  try {
    // The whole name of a skill counts for more than the beginning of a command's.
    const skill =
      known === undefined && call.by.role === "owner"
        ? await skillCommand(parsed.name, parsed.arg, call, client)
        : undefined;
    if (skill !== undefined) return skill;
    const command = known ?? byPrefix(parsed.name, call);
    if (typeof command === "string") return { text: command };
    const refused = refusalText(command, parsed.arg, call);
    if (refused !== undefined) return { text: refused };
    return (await runs[command.name]?.(parsed.arg, call, client)) ?? { text: "" };
  } catch (error) {
    return { text: errorText(error) };
  }
}

/** The only command for them here that begins like this, or what to say. */
function byPrefix(name: string, { surface, by }: CommandCall): SlashCommand | string {
  const found = lookUp(
    name,
    slashCommands.filter((command) => isOffered(command, surface) && mayType(command, by)),
  );
  return "command" in found ? found.command : notFoundText(short(name, 40), found);
}

const surfaceText = (surface: string): string => (surface === "acp" ? "in an editor" : `on ${surface}`);

function forWhom(command: SlashCommand, surface: string): string {
  if (mayType(command, { role: "member", surface })) return "the owner and members";
  return whoText(command) === "owner" ? "the owner" : "the owner here";
}

function refusalText(
  command: SlashCommand,
  arg: string,
  { surface, by, busy }: CommandCall,
): string | undefined {
  const { name, help, args } = command;
  if (!isOffered(command, surface)) return `/${name} is not available ${surfaceText(surface)}.`;
  if (!mayType(command, by))
    return `/${name} is for ${forWhom(command, surface)} only. /help lists what is for you.`;
  if (command.busy === "refused" && busy)
    return `/${name} has to wait: a turn is running. Stop it first (/stop), or try again when it has ended.`;
  if (args === "" && arg !== "") return `/${name} takes no arguments. ${help}.`;
  return undefined;
}
