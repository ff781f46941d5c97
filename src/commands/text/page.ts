import { type Command, commandUsage, groups } from "../command.ts";
import { commands } from "../table.ts";

/** `docs/user/commands.md`, whole: it is written from the table, never by hand. */
export function commandsPage(): string {
  const parts = groups.map((group) => {
    const rows = commands.filter((command) => command.group === group).map(row);
    return [`## ${group}`, "", head, ...rows].join("\n");
  });
  return `${[intro, ...parts].join("\n\n")}\n`;
}

const intro = `# Commands

Generated from the table of commands in \`src/commands\` by \`npm run docs\`; changes by hand are lost.

A line that begins with a slash is a command and never reaches a model. The beginning of a name is enough where only one command
begins like that, and capitals do not matter. \`/help\` lists the commands of the place where you are, \`/help NAME\` explains one.
Commands for the owner cannot be used by guests of a chat.`;

const head = "| command | also | what it does | where | while a turn runs |\n|---|---|---|---|---|";

function row(command: Command): string {
  const { aliases, help, more, where, who, busy } = command;
  const cells = [
    `\`${commandUsage(command)}\``,
    aliases.map((alias) => `\`/${alias}\``).join(" "),
    `${help}.${more === undefined ? "" : ` ${more}`}`,
    `${where === "everywhere" ? "everywhere" : where.join(", ")}${who === "owner" ? "; owner" : ""}`,
    busy === "allowed" ? "works" : "refused",
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
