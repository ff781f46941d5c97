import type { CommandContext, CommandReply } from "../core/host.ts";
import { type CommandHost, parseCommand } from "./command.ts";
import { commands, findCommand, isOffered } from "./table.ts";

/** Runs one command line. Whatever is wrong with it comes back as text: a mistyped command never reaches the model. */
export async function dispatch(
  line: string,
  context: CommandContext & { readonly owner: boolean; readonly busy: boolean },
  host: CommandHost,
): Promise<CommandReply> {
  const parsed = parseCommand(line);
  if (parsed === undefined) return { text: `"${line}" is not a command. Commands look like /help.` };
  const command = findCommand(parsed.name);
  if (command === undefined) return { text: unknownText(parsed.name) };
  if (!isOffered(command, context.surface))
    return { text: `/${command.name} is not available on ${context.surface}.` };
  if (command.who === "owner" && !context.owner) return { text: `/${command.name} is for the owner only.` };
  if (command.busy === "refused" && context.busy) {
    return {
      text: `/${command.name} has to wait: a turn is running. Stop it first, or try again when it has ended.`,
    };
  }
  if (command.args === "" && parsed.arg !== "")
    return { text: `/${command.name} takes no arguments. ${command.help}.` };
  return command.run(parsed.arg, context, host);
}

function unknownText(name: string): string {
  const near = commands.find((command) => command.name.startsWith(name.slice(0, 2)) && name.length > 1);
  const hint = near === undefined ? "/help lists them." : `Did you mean /${near.name}? /help lists all.`;
  return `There is no command /${name}. ${hint}`;
}
