import { closest } from "../../core/suggestion.ts";
import type { SlashCommand } from "../slash.ts";

/** `several`: all that begin like this. `near`: what was most likely meant. */
export type LookUp =
  | { readonly command: SlashCommand }
  | { readonly several: readonly SlashCommand[] }
  | { readonly near?: SlashCommand };

/**
 * An exact name or alias, else the only command that begins like this; aliases count where no name does. `name` is in
 * small letters.
 */
export function lookUp(name: string, commands: readonly SlashCommand[]): LookUp {
  const exact = findExact(name, commands);
  if (exact !== undefined) return { command: exact };
  const byName = commands.filter((command) => command.name.startsWith(name));
  const several = byName.length > 0 ? byName : commands.filter((command) => begins(command.aliases, name));
  const [only, ...more] = several;
  if (only !== undefined) return more.length === 0 ? { command: only } : { several };
  const near = nearest(name, commands);
  return near === undefined ? {} : { near };
}

export const findExact = (name: string, commands: readonly SlashCommand[]): SlashCommand | undefined =>
  commands.find((command) => namesOf(command).includes(name));

export const namesOf = ({ name, aliases }: SlashCommand): readonly string[] => [name, ...aliases];

const begins = (names: readonly string[], name: string): boolean =>
  names.some((each) => each.startsWith(name));

/** What to say where no one command is meant. */
export function notFoundText(
  name: string,
  found: Exclude<LookUp, { readonly command: SlashCommand }>,
): string {
  if ("several" in found)
    return `/${name} could be ${found.several.map((command) => `/${command.name}`).join(", ")}. Write more of it.`;
  const hint =
    found.near === undefined ? "/help lists them." : `Did you mean /${found.near.name}? /help lists all.`;
  return `There is no command /${name}. ${hint}`;
}

function nearest(name: string, commands: readonly SlashCommand[]): SlashCommand | undefined {
  const near = closest(name, commands.flatMap(namesOf));
  return near === undefined ? undefined : findExact(near, commands);
}
