import type { SlashGrammar } from "./operation.ts";
import { operations, slashGroups } from "./table.ts";

/** A slash command with all that the table says or leaves out. */
export type SlashCommand = Required<Omit<SlashGrammar, "more" | "where" | "busy">> & {
  readonly group: string;
  readonly more?: string;
  readonly where: readonly string[] | "everywhere";
  readonly busy: "allowed" | "refused";
  /** `owner`: only the person whose machine this is, never a chat's guest. */
  readonly who: "anyone" | "owner";
};

const grammars = operations.flatMap(({ slash = [], who, help }) =>
  [slash].flat().map((grammar: SlashGrammar) => ({ help, who, ...grammar })),
);

/** Every slash command there is, in the order of the groups. */
export const slashCommands: readonly SlashCommand[] = Object.entries(slashGroups).flatMap(([group, names]) =>
  names
    .flatMap((name) => grammars.filter((grammar) => grammar.name === name))
    .map((grammar): SlashCommand => ({
      aliases: [],
      args: "",
      words: [],
      where: "everywhere",
      busy: "allowed",
      ...grammar,
      group,
      who: grammar.who.includes("guest") ? "anyone" : "owner",
    })),
);

/** How a command is typed. */
export const commandUsage = ({ name, args }: Pick<SlashCommand, "name" | "args">): string =>
  `/${name}${args === "" ? "" : ` ${args}`}`;

export const isOffered = ({ where }: Pick<SlashCommand, "where">, surface: string): boolean =>
  where === "everywhere" || where.includes(surface);

/** By its name or an alias. */
export const findSlash = (name: string): SlashCommand | undefined =>
  slashCommands.find((command) => [command.name, ...command.aliases].includes(name.toLowerCase()));
