import type { Command } from "./command.ts";

/** `several`: all that begin like this. `near`: what was most likely meant. */
export type Found =
  | { readonly command: Command }
  | { readonly several: readonly Command[] }
  | { readonly near?: Command };

/**
 * An exact name or alias, else the only command that begins like this; aliases count where no name does. `name` is in
 * small letters.
 */
export function lookUp(name: string, commands: readonly Command[]): Found {
  const exact = exactly(name, commands);
  if (exact !== undefined) return { command: exact };
  const byName = commands.filter((command) => command.name.startsWith(name));
  const several = byName.length > 0 ? byName : commands.filter((command) => begins(command.aliases, name));
  const [only, ...more] = several;
  if (only !== undefined) return more.length === 0 ? { command: only } : { several };
  const near = nearest(name, commands);
  return near === undefined ? {} : { near };
}

export const exactly = (name: string, commands: readonly Command[]): Command | undefined =>
  commands.find((command) => namesOf(command).includes(name));

export const namesOf = ({ name, aliases }: Command): readonly string[] => [name, ...aliases];

const begins = (names: readonly string[], name: string): boolean =>
  names.some((each) => each.startsWith(name));

/** What to say where no one command is meant. */
export function missText(name: string, found: Exclude<Found, { readonly command: Command }>): string {
  if ("several" in found)
    return `/${name} could be ${found.several.map((command) => `/${command.name}`).join(", ")}. Write more of it.`;
  const hint =
    found.near === undefined ? "/help lists them." : `Did you mean /${found.near.name}? /help lists all.`;
  return `There is no command /${name}. ${hint}`;
}

function nearest(name: string, commands: readonly Command[]): Command | undefined {
  const limit = name.length < 4 ? 1 : 2;
  const ranked = commands
    .map((command) => ({ command, typos: Math.min(...namesOf(command).map((each) => typos(name, each))) }))
    .filter((each) => each.typos <= limit)
    .toSorted((a, b) => a.typos - b.typos);
  return ranked[0]?.command;
}

/** Letters added, dropped or replaced between two short words. A longer one is no typing error. */
function typos(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [done, letter] of [...a].entries()) {
    const next = [done + 1];
    for (const [at, other] of [...b].entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? Infinity;
}
