import { short } from "../../core/plain-text.ts";
import type { UseSum } from "../../core/learning.ts";
import type { Skill } from "./skill.ts";

const maxLineChars = 120;

/** Begins the list. */
export const indexHeading = "## Skills";
const about = "How things are done here. Before a task that one fits, read it with skill_view and follow it.";

/**
 * The skills in a few lines for the prompt, the most used first, then those saved last. Never more than `maxBytes`; the
 * last line says how many are missing. Empty when there is none. `leftOut`: what stands in place of a description that
 * is not to be shown.
 */
export function skillIndex(
  skills: readonly Pick<Skill, "name" | "description" | "modified" | "withheld">[],
  uses: readonly Pick<UseSum, "name" | "uses">[],
  maxBytes = 3072,
  leftOut: (description: string) => string | undefined = () => undefined,
): string {
  const offered = skills.filter(({ withheld }) => withheld === undefined);
  if (offered.length === 0) return "";
  const used = new Map(uses.map((sum) => [sum.name, sum.uses]));
  const usesOf = ({ name }: { readonly name: string }): number => used.get(name) ?? 0;
  const ordered = offered.toSorted(
    (a, b) => usesOf(b) - usesOf(a) || b.modified - a.modified || (a.name < b.name ? -1 : 1),
  );
  const lines = [indexHeading, about];
  let bytes = size(lines.join("\n"));
  for (const [at, { name, description }] of ordered.entries()) {
    const line = short(`- ${name}: ${leftOut(description) ?? description}`, maxLineChars);
    const rest = ordered.length - at - 1;
    const needed = size(line) + 1 + (rest === 0 ? 0 : size(more(rest)) + 1);
    if (bytes + needed > maxBytes) return [...lines, more(rest + 1)].join("\n");
    lines.push(line);
    bytes += size(line) + 1;
  }
  return lines.join("\n");
}

const more = (count: number): string => `${count} more: skills_list`;

const size = (text: string): number => Buffer.byteLength(text);
