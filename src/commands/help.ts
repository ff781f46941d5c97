import { columns } from "./text/columns.ts";
import { type Command, type CommandCall, commandUsage, groups, commandDefaults } from "./command.ts";
import { lookUp, notFoundText } from "./look-up.ts";

/** The list of commands, or one of them explained. */
export const helpCommand = (all: () => readonly Command[]): Command => ({
  ...commandDefaults,
  group: "About",
  name: "help",
  aliases: ["?", "commands"],
  args: "[command]",
  help: "List the commands, or explain one",
  run: async (arg, call) => {
    const name = arg.replace(/^\//, "").toLowerCase();
    const offered = all().filter((command) => isOffered(command, call.surface));
    if (name === "") return { text: listText(offered, call) };
    const found = lookUp(name, offered);
    return { text: "command" in found ? explain(found.command) : notFoundText(name, found) };
  },
});

export const isOffered = ({ where }: Command, surface: string): boolean =>
  where === "everywhere" || where.includes(surface);

function listText(offered: readonly Command[], { owner }: CommandCall): string {
  const mine = offered.filter(({ who }) => owner || who === "anyone");
  const width = Math.max(...mine.map(({ name }) => name.length)) + 1;
  const parts = groups.flatMap((group) => {
    const rows = mine.filter((command) => command.group === group);
    if (rows.length === 0) return [];
    return [[group, ...rows.map(({ name, help }) => `  ${`/${name}`.padEnd(width)}  ${help}`)].join("\n")];
  });
  return [...parts, "/help COMMAND explains one. The beginning of a name is enough."].join("\n\n");
}

function explain(command: Command): string {
  const { aliases, help, more, words, busy, where, who } = command;
  const rows = [
    ["also", aliases.map((alias) => `/${alias}`).join(", ")],
    ["first word", (words ?? []).join(", ")],
    ["while a turn runs", busy === "allowed" ? "works" : "refused; /stop first, or wait"],
    ["where", where === "everywhere" ? "everywhere" : where.join(", ")],
    ["who", who === "owner" ? "the owner only" : "anyone"],
  ].filter(([, value]) => value !== "");
  return [commandUsage(command), `${help}.${more === undefined ? "" : ` ${more}`}`, columns(rows)].join("\n");
}
