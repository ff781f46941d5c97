import type { Client } from "../../core/calls.ts";
import { short } from "../../core/plain-text.ts";
import { learnedIds } from "./learned-commands.ts";
import { lookUp, namesOf } from "./look-up.ts";
import { type SlashCommand, commandUsage, isOffered, slashCommands } from "../slash.ts";
import { switchable } from "./tool-commands.ts";

/** `value` takes the place of the last word of the line. */
export type Completion = { readonly value: string; readonly label: string; readonly detail: string };

/** What could follow on a line that begins a command: names, then the first word behind one. Empty for any other line. */
export function completions(line: string, surface: string): readonly Completion[] {
  const match = /^\/([a-z0-9_-]*|\?)(\s+\S*)?$/i.exec(line);
  if (match === null) return [];
  const name = (match[1] ?? "").toLowerCase();
  const offered = slashCommands.filter((command) => isOffered(command, surface));
  const word = match[2]?.trim().toLowerCase();
  // The first entry is preselected, so names come before aliases, which fewer people know.
  if (word === undefined) return [...offered.flatMap(byName(name)), ...offered.flatMap(byAlias(name))];
  const found = lookUp(name, offered);
  if (!("command" in found)) return [];
  const { words, help } = found.command;
  return words
    .filter((each) => each.startsWith(word))
    .map((each) => ({ value: each, label: each, detail: help }));
}

/** Skills that a line begins to name, behind others too. The host is asked only where one could follow. */
export async function skillCompletions(
  line: string,
  cwd: string,
  client: () => Promise<Client>,
): Promise<readonly Completion[]> {
  const match = /^(?:\/[a-z0-9-]+\s+)*\/([a-z0-9-]*)$/i.exec(line);
  if (match === null) return [];
  const prefix = (match[1] ?? "").toLowerCase();
  const skills = await (await client()).call("skills.list", { cwd });
  return skills
    .filter(({ name, state }) => isUsable(state) && name.startsWith(prefix) && isFree(name))
    .slice(0, mostSkills)
    .map(({ name, description }) => ({
      value: `/${name}`,
      label: `/${name} [text]`,
      detail: short(description, 80),
    }));
}

const mostSkills = 100;

const isUsable = (state: string): boolean => state === "active" || state === "stale";

/** A command of the same name comes first. */
const isFree = (name: string): boolean => !slashCommands.some((command) => namesOf(command).includes(name));

/** What could follow behind the first word. The host is asked only where there is something. */
export async function laterCompletions(
  line: string,
  surface: string,
  client: () => Promise<Client>,
): Promise<readonly Completion[]> {
  const match = /^\/([a-z0-9_-]+)\s+(\S+)((?:\s+\S+)*)\s+(\S*)$/i.exec(line);
  if (match === null) return [];
  const [, name = "", first = "", between = "", prefix = ""] = match;
  const found = lookUp(
    name.toLowerCase(),
    slashCommands.filter((command) => isOffered(command, surface)),
  );
  const later = "command" in found ? laterWords[found.command.name] : undefined;
  if (later === undefined) return [];
  const words = await later(first.toLowerCase(), await client());
  const used = between.trim().split(/\s+/);
  return words
    .filter((each) => each.startsWith(prefix.toLowerCase()) && !used.includes(each))
    .map((each) => ({ value: each, label: each, detail: "" }));
}

/** What may follow behind the first word of some commands. */
const laterWords: Readonly<Record<string, (first: string, client: Client) => Promise<readonly string[]>>> = {
  tools: async (first, client) => switchable(await client.call("tools.list", {}), first),
  learned: learnedIds,
};

const byName =
  (prefix: string) =>
  (command: SlashCommand): readonly Completion[] =>
    command.name.startsWith(prefix) ? [named(command, command.name)] : [];

/** Nothing is offered twice. */
const byAlias =
  (prefix: string) =>
  (command: SlashCommand): readonly Completion[] => {
    const alias = command.aliases.find((each) => each.startsWith(prefix));
    return alias === undefined || command.name.startsWith(prefix) ? [] : [named(command, alias)];
  };

const named = ({ args, help }: SlashCommand, name: string): Completion => ({
  value: `/${name}`,
  label: commandUsage({ name, args }),
  detail: help,
});
