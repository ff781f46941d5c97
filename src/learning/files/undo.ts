import { Refusal } from "../../core/host.ts";
import type { Revision } from "../../core/learning.ts";
import {
  entriesOf,
  separator,
  textsOf,
  unwritable,
  withInserted,
  withRemoved,
  withReplaced,
} from "../memory/entries.ts";

type Texts = Pick<Revision, "kind" | "before" | "after">;

/**
 * The file without a revision: byte for byte as it was before when nothing came after it, else only its own entries or
 * lines are taken back. Throws a Refusal when those were changed since.
 */
export function withoutRevision({ kind, before, after }: Texts, now: string | undefined): string | undefined {
  if (now === after) return before;
  if (now === undefined) throw changedSince("The file was removed since.");
  if (after === undefined) throw changedSince("The file was removed by it, and somebody has made a new one.");
  const isMemory =
    kind === "memory" && [before, after, now].every((text) => unwritable(text ?? "") === undefined);
  return isMemory ? withoutEntries(before, after, now) : withoutLines(before, after, now);
}

function withoutEntries(before: string | undefined, after: string, now: string): string | undefined {
  const [old, fresh] = [textsOf(before), textsOf(after)];
  const added = fresh.filter((text) => !old.includes(text));
  const gone = old.filter((text) => !fresh.includes(text));
  if (added.length === 0 && gone.length === 0) return withoutLines(before, after, now);
  let text = now;
  for (const entry of added) {
    const found = entriesOf(text).entries.find((one) => one.text === entry);
    if (found === undefined) throw changedSince("An entry that it made was changed or removed since.");
    // What was replaced comes back to the same place.
    const back = added.length === gone.length ? gone[added.indexOf(entry)] : undefined;
    text = back === undefined ? withRemoved(text, found) : withReplaced(text, found, back);
  }
  if (added.length !== gone.length) for (const entry of gone) text = withBack(text, entry, old);
  return before === undefined && textsOf(text).length === 0 ? undefined : text;
}

/** Puts it back behind its former neighbour. */
function withBack(text: string, entry: string, old: readonly string[]): string {
  const now = textsOf(text);
  if (now.includes(entry)) return text;
  const before = old.slice(0, old.indexOf(entry)).findLast((one) => now.includes(one));
  return withInserted(text, before === undefined ? 0 : now.indexOf(before) + 1, entry);
}

/** Unchanged lines on either side by which the changed ones are found again. */
const around = 3;

function withoutLines(before: string | undefined, after: string, now: string): string {
  if (before === undefined) throw changedSince("It made the file, and the file was changed since.");
  const [old, fresh, lines] = [before.split("\n"), after.split("\n"), now.split("\n")];
  const least = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < least && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < least - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - around);
  const known = fresh.slice(from, fresh.length - Math.max(0, tail - around));
  const matches = lines.flatMap((_, at) => (known.every((line, by) => lines[at + by] === line) ? [at] : []));
  const [match, another] = matches;
  if (match === undefined || another !== undefined)
    throw changedSince("The lines that it changed, or those around them, were changed since.");
  const start = match + head - from;
  const end = start + fresh.length - tail - head;
  return [...lines.slice(0, start), ...old.slice(head, old.length - tail), ...lines.slice(end)].join("\n");
}

const changedSince = (why: string): Refusal =>
  new Refusal(
    "refused",
    `It cannot be taken back on its own. ${why}`,
    "Take back what came after it first, or change the file in an editor.",
  );

/** Did a change happen that a crash left open? By the file as it is, which somebody may have changed since. */
export function hasHappened({ before, after }: Texts, now: string | undefined): boolean {
  if (now === after) return true;
  if (now === before || now === undefined || after === undefined) return false;
  const [old, fresh, lines] = [countsOf(before ?? ""), countsOf(after), countsOf(now)];
  const changed = [...new Set([...old.keys(), ...fresh.keys()])].filter(
    (line) => countIn(old, line) !== countIn(fresh, line),
  );
  return (
    changed.length > 0 &&
    changed.every((line) => {
      const [was, wanted, is] = [countIn(old, line), countIn(fresh, line), countIn(lines, line)];
      return wanted > was ? is >= wanted : is <= wanted;
    })
  );
}

/** How often each line occurs; blank lines and separators do not count. */
function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n").map((one) => one.trim()))
    if (line !== "" && line !== separator) counts.set(line, countIn(counts, line) + 1);
  return counts;
}

const countIn = (counts: ReadonlyMap<string, number>, line: string): number => counts.get(line) ?? 0;
