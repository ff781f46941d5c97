import { isPlatform } from "../core/gateway/chat.ts";
import type { Principal, Role } from "../core/principal.ts";
import type { SlashGrammar } from "./operation.ts";
import { operations, slashGroups } from "./table.ts";

/** A slash command with all that the table says or leaves out. */
export type SlashCommand = Required<Omit<SlashGrammar, "more" | "where" | "busy">> & {
  readonly group: string;
  readonly more?: string;
  readonly where: readonly string[] | "everywhere";
  readonly busy: "allowed" | "refused";
  readonly who: readonly Role[];
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
      chats: [],
      ...grammar,
      group,
    })),
);

/** How a command is typed. */
export const commandUsage = ({ name, args }: Pick<SlashCommand, "name" | "args">): string =>
  `/${name}${args === "" ? "" : ` ${args}`}`;

export const isOffered = ({ where }: Pick<SlashCommand, "where">, surface: string): boolean =>
  where === "everywhere" || where.includes(surface);

/** In a chat app others have less than elsewhere: what is said there is read by whoever is in the chat. */
export const mayType = (
  { who, chats }: Pick<SlashCommand, "who" | "chats">,
  { role, surface }: Pick<Principal, "role" | "surface">,
): boolean => who.includes(role) && (role === "owner" || !isPlatform(surface) || chats.includes(role));

/** For lists and pages. */
export function whoText({ who }: Pick<SlashCommand, "who">): "anyone" | "owner" | "owner and members" {
  if (who.includes("guest")) return "anyone";
  return who.includes("member") ? "owner and members" : "owner";
}

/** By its name or an alias. */
export const findSlash = (name: string): SlashCommand | undefined =>
  slashCommands.find((command) => [command.name, ...command.aliases].includes(name.toLowerCase()));
