import { type SlashCommand, commandUsage, slashCommands, whoText } from "../src/operations/slash.ts";
import { slashGroups } from "../src/operations/table.ts";

/** `docs/user/commands.md`, whole: it is written from the table, never by hand. */
export function commandsPage(): string {
  const parts = Object.keys(slashGroups).map((group) => {
    const rows = slashCommands.filter((command) => command.group === group).map(row);
    return [`## ${group}`, "", head, ...rows].join("\n");
  });
  return `${[intro, ...parts].join("\n\n")}\n`;
}

const intro = `# Commands

Generated from the table of operations in \`src/operations\` by \`npm run docs\`; changes by hand are lost.

A line that begins with a slash is a command and never reaches a model. The beginning of a name is enough where only one command
begins like that, and capitals do not matter. \`/help\` lists the commands of the place where you are, \`/help NAME\` explains one.
In chat apps members and guests have only those that name them; \`/help\` there lists what whoever asks may use.`;

const head =
  "| command | also | what it does | where | in chat apps, by | while a turn runs |\n|---|---|---|---|---|---|";

function row(command: SlashCommand): string {
  const { aliases, help, more, where, chats, busy } = command;
  const cells = [
    `\`${commandUsage(command)}\``,
    aliases.map((alias) => `\`/${alias}\``).join(" "),
    `${help}.${more === undefined ? "" : ` ${more}`}`,
    `${where === "everywhere" ? "everywhere" : where.join(", ")}${whoText(command) === "anyone" ? "" : `; ${whoText(command)}`}`,
    ["owner", ...chats].join(", "),
    busy === "allowed" ? "works" : "refused",
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
