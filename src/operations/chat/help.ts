import { columns } from "../text/columns.ts";
import { type SlashCommand, commandUsage, isOffered, mayType, slashCommands, whoText } from "../slash.ts";
import { slashGroups } from "../table.ts";
import type { Run } from "./command.ts";
import { lookUp, notFoundText } from "./look-up.ts";

/** The list of commands for whoever asks, or one of them explained. */
export const help: Run = async (arg, { surface, by }) => {
  const name = arg.replace(/^\//, "").toLowerCase();
  const offered = slashCommands.filter((command) => isOffered(command, surface) && mayType(command, by));
  if (name === "") return { text: listText(offered) };
  const found = lookUp(name, offered);
  return { text: "command" in found ? explain(found.command) : notFoundText(name, found) };
};

function listText(mine: readonly SlashCommand[]): string {
  const width = Math.max(...mine.map(({ name }) => name.length)) + 1;
  const parts = Object.keys(slashGroups).flatMap((group) => {
    const rows = mine.filter((command) => command.group === group);
    if (rows.length === 0) return [];
    return [
      [group, ...rows.map(({ name, help: text }) => `  ${`/${name}`.padEnd(width)}  ${text}`)].join("\n"),
    ];
  });
  return [...parts, "/help COMMAND explains one. The beginning of a name is enough."].join("\n\n");
}

function explain(command: SlashCommand): string {
  const { aliases, help: text, more, words, busy, where, chats } = command;
  const rows = [
    ["also", aliases.map((alias) => `/${alias}`).join(", ")],
    ["first word", words.join(", ")],
    ["while a turn runs", busy === "allowed" ? "works" : "refused; /stop first, or wait"],
    ["where", where === "everywhere" ? "everywhere" : where.join(", ")],
    ["who", whoText(command) === "owner" ? "the owner only" : whoText(command)],
    ["in chat apps", ["owner", ...chats].join(", ")],
  ].filter(([, value]) => value !== "");
  return [commandUsage(command), `${text}.${more === undefined ? "" : ` ${more}`}`, columns(rows)].join("\n");
}
