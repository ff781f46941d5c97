import { oneLine } from "../../core/plain-text.ts";
import { joinedLength, textsOf } from "./entries.ts";
import { type MemoryFile, memoryFileName } from "./memory-files.ts";

/** A file of memory as it is now. */
export type MemorySection = Pick<MemoryFile, "target" | "limit" | "root"> & {
  readonly text: string | undefined;
  /** Since when an entry stands there, where that is known. */
  readonly since: ReadonlyMap<string, number>;
  /** Why it cannot be read. */
  readonly trouble?: string;
};

export const leftOut = "[left out: looks like an instruction to the agent; see talaria learned]";

/**
 * What a model is told of memory; empty when there is nothing. Entries are indented, so that no line of theirs can be
 * taken for a heading, and one that looks like an instruction is not told at all. Of a file that a person made too long
 * only so much is told as it may have.
 */
export function memoryPrompt(
  sections: readonly MemorySection[],
  suspicion: (text: string) => string | undefined,
): string {
  return sections.flatMap((section) => sectionText(section, suspicion)).join("\n\n");
}

function sectionText(
  { target, root, limit, text, since, trouble }: MemorySection,
  suspicion: (text: string) => string | undefined,
): readonly string[] {
  const heading = `## ${headings[target]}${root === undefined ? "" : ` ${oneLine(root)}`}`;
  if (trouble !== undefined) return [`${heading}\n- [${oneLine(trouble)}]`];
  const entries = [...new Set(textsOf(text))];
  if (entries.length === 0) return [];
  const size = joinedLength(textsOf(text));
  const usage = `${Math.round((size / limit) * 100)}%: ${size} of ${limit} characters, ${entries.length} ${entries.length === 1 ? "entry" : "entries"}`;
  const fitting = within(entries, limit);
  const lines = fitting.map(
    (entry) => `- ${suspicion(entry) === undefined ? datedEntry(entry, since.get(entry)) : leftOut}`,
  );
  const rest = entries.length - fitting.length;
  const more = rest === 0 ? [] : [`- [left out: ${rest} more, ${memoryFileName({ target })} is too long]`];
  return [`${heading} (${usage})\n${[...new Set(lines), ...more].join("\n")}`];
}

/** The first ones, as many as may stand in the file. */
function within(entries: readonly string[], limit: number): readonly string[] {
  const end = entries.findIndex((_, at) => joinedLength(entries.slice(0, at + 1)) > limit);
  return end === -1 ? entries : entries.slice(0, end);
}

const headings: Readonly<Record<MemorySection["target"], string>> = {
  user: "Memory of the person, USER.md",
  memory: "Memory, MEMORY.md",
  project: "Memory of the project",
};

/** What was true on a day may not be so any more: the model sees how old it is. */
const datedEntry = (entry: string, at: number | undefined): string =>
  entry.replaceAll(/\r?\n/g, "\n  ") +
  (at === undefined ? "" : ` (${new Date(at).toISOString().slice(0, 10)})`);
