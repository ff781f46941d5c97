import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import { isSkillName } from "./skill-names.ts";

/** What a SKILL.md says of itself. Keys that are not known here stay in the file and mean nothing. */
export type SkillHead = {
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  readonly category?: string;
  readonly tags: readonly string[];
  /** Systems it is for; empty: all. */
  readonly platforms: readonly string[];
  /** Names of tools or toolsets that it cannot do without. */
  readonly requires: readonly string[];
  /** Variables of the environment that it needs. */
  readonly environment: readonly string[];
};

/** `bad`: why it is no skill, as the end of a sentence. */
export type ParsedSkill = { readonly head: SkillHead } | { readonly bad: string };

export const maxSkillChars = 100_000;
const maxDescriptionChars = 1024;

/**
 * Reads the front matter of a SKILL.md. `folder`: the name of the folder that it stands in. The text may be the beginning
 * of a file only; then it has to have all of the front matter.
 */
export function parseSkill(text: string, folder: string): ParsedSkill {
  const matter = frontMatter(text);
  if (matter === undefined) return bad("it does not begin with front matter between two lines of `---`");
  const fields = fieldsIn(matter.yaml);
  if (typeof fields === "string") return bad(fields);
  const { name = folder, description } = fields;
  if (typeof name !== "string" || !isSkillName(name))
    return bad("its name may have only lowercase letters, digits and dashes, and at most 64 of them");
  if (name !== folder) return bad(`its name is ${name}, but its folder is called ${folder.slice(0, 80)}`);
  if (typeof description !== "string" || description.trim() === "") return bad("it has no description");
  if (description.length > maxDescriptionChars)
    return bad(
      `its description has ${description.length} characters, and ${maxDescriptionChars} are allowed`,
    );
  return { head: { name, description: description.trim(), ...otherFields(fields) } };
}

/** `end`: where the body begins. */
export function frontMatter(
  text: string,
): { readonly yaml: string; readonly start: number; readonly end: number } | undefined {
  const open = /^\uFEFF?---[ \t]*\r?\n/.exec(text);
  if (open === null) return undefined;
  const close = /^---[ \t]*(?:\r?\n|$)/gm;
  close.lastIndex = open[0].length;
  const found = close.exec(text);
  if (found === null) return undefined;
  const start = open[0].length;
  return { yaml: text.slice(start, found.index), start, end: found.index + found[0].length };
}

type Fields = Readonly<Record<string, unknown>>;

const load = createRequire(import.meta.url);

function fieldsIn(yaml: string): Fields | string {
  const fields = parsed(yaml);
  if (typeof fields !== "string") return fields;
  const repaired = parsed(withQuotes(yaml));
  return typeof repaired === "string" ? fields : repaired;
}

function parsed(yaml: string): Fields | string {
  try {
    // It is 80 modules, and most starts read no skill.
    const { parse } = load("yaml") as typeof Yaml;
    const fields: unknown = parse(yaml, { logLevel: "error", maxAliasCount: 20 });
    return isFields(fields) ? fields : "its front matter is not a map of names and values";
  } catch (error) {
    const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
    return `its front matter is not YAML: ${first.replace(/:$/, "").slice(0, 200)}`;
  }
}

/** Authors write `description: Use when: …`, which is no YAML, and mean the whole line. */
const withQuotes = (yaml: string): string =>
  yaml.replaceAll(
    /^(description|compatibility|license):[ \t]+([^"'|>\s[{&*!].*?)[ \t]*\r?$/gm,
    (_line, key: string, text: string) => `${key}: ${JSON.stringify(text)}`,
  );

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Some hosts keep these at the top, some in `metadata`, and some in a map of their own inside it. */
function otherFields(fields: Fields): Omit<SkillHead, "name" | "description"> {
  const metadata = mapIn(fields, "metadata");
  const maps = [fields, metadata, mapIn(metadata, "talaria"), mapIn(metadata, "hermes")];
  const found = (key: string): unknown => maps.find((map) => map[key] !== undefined)?.[key];
  const version = found("version");
  const category = found("category");
  return {
    ...(typeof version === "string" || typeof version === "number" ? { version: String(version) } : {}),
    ...(typeof category === "string" && isSkillName(category) ? { category } : {}),
    tags: words(found("tags")),
    platforms: words(found("platforms")).map((name) => name.toLowerCase()),
    requires: [...words(found("requires_tools")), ...words(found("requires_toolsets"))],
    environment: variables(found("required_environment_variables")),
  };
}

function mapIn(fields: Fields, key: string): Fields {
  const value = fields[key];
  return isFields(value) ? value : {};
}

/** A list, or one text with commas or spaces. */
function words(value: unknown): readonly string[] {
  const some = typeof value === "string" ? value.split(/[,\s]+/) : Array.isArray(value) ? value : [];
  return some.filter((each): each is string => typeof each === "string" && each !== "").slice(0, 50);
}

/** Names, or maps with a name and words about it. */
const variables = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : words(value))
    .map((each: unknown) => (isFields(each) ? each["name"] : each))
    .filter((name): name is string => typeof name === "string" && /^[A-Za-z_]\w{0,99}$/.test(name))
    .slice(0, 20);

const bad = (why: string): ParsedSkill => ({ bad: why });
