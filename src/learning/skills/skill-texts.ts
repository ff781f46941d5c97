import { frontMatter } from "./skill-format.ts";

/**
 * The lines that a change adds or takes away, without what a SKILL.md needs to be one: what has to rest on somebody's
 * words. A line that is taken away can turn the meaning of the rest around.
 */
export function changedText(before: string | undefined, after: string | undefined): string {
  const [old, fresh] = [telling(before ?? ""), telling(after ?? "")];
  const [known, kept] = [new Set(old), new Set(fresh)];
  return [...fresh.filter((line) => !known.has(line)), ...old.filter((line) => !kept.has(line))].join("\n");
}

function telling(text: string): readonly string[] {
  const matter = frontMatter(text);
  if (matter === undefined) return lines(text);
  const head = lines(matter.yaml)
    .filter((line) => !/^(name|version|license):/.test(line))
    .map((line) => line.replace(/^\s*[\w-]+:(\s|$)/, ""));
  return [...head, ...lines(text.slice(matter.end))].filter((line) => line !== "");
}

const lines = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
