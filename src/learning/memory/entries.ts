/** One thing that is remembered, its lines ended by \n, and where it stands in its file. */
export type Entry = { readonly text: string; readonly start: number; readonly end: number };

/** A file of memory, taken apart. Changes are made to its text, so that all that is not touched stays to the byte. */
export type Entries = { readonly text: string; readonly entries: readonly Entry[] };

/** A line of its own between two entries. */
export const separator = "§";

/** The beginning of a file that says what it belongs to; it is no entry. */
const head = /^\uFEFF?(?:\s*<!--[^]*?-->)?/;

/** What would be lost or torn if the file were written. `undefined`: nothing. */
export function unwritable(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/.test(text)) return "it has control characters in it";
  if (/\r(?!\n)/.test(text)) return "its lines end with a carriage return alone";
  if (/^(?:<{7}|>{7})(?: |$)/m.test(text)) return "it has the marks of a merge that is not finished";
  return undefined;
}

export function entriesOf(text: string): Entries {
  const begin = head.exec(text)?.[0].length ?? 0;
  const entries: Entry[] = [];
  let from = begin;
  const add = (to: number): void => {
    const piece = text.slice(from, to);
    const trimmed = piece.trim();
    if (trimmed === "") return;
    const start = from + piece.indexOf(trimmed);
    entries.push({ text: trimmed.replaceAll("\r\n", "\n"), start, end: start + trimmed.length });
  };
  const lines = /^[ \t]*§[ \t]*\r?$/gm;
  lines.lastIndex = begin;
  for (let found = lines.exec(text); found; found = lines.exec(text)) {
    add(found.index);
    from = lines.lastIndex;
  }
  add(text.length);
  return { text, entries };
}

export const textsOf = (text: string | undefined): readonly string[] =>
  entriesOf(text ?? "").entries.map((entry) => entry.text);

/** In characters as people count them, over the entries as they are joined. */
export function joinedLength(texts: readonly string[]): number {
  const joined = texts.join(`\n${separator}\n`);
  return joined.length - (joined.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** Behind the last one. `first`: what a file begins with that does not exist yet. */
export function withAdded(now: string | undefined, entry: string, first = ""): string {
  const { text, entries } = entriesOf(now ?? first);
  const last = entries.at(-1);
  if (last !== undefined) return splice(text, last.end, last.end, between(text) + inLines(text, entry));
  const ended = text === "" || text.endsWith("\n") ? text : `${text}${lineEnd(text)}`;
  return `${ended}${inLines(text, entry)}${lineEnd(text)}`;
}

export const withReplaced = (now: string, old: Entry, entry: string): string =>
  splice(now, old.start, old.end, inLines(now, entry));

/** With one of the separators beside it. */
export function withRemoved(now: string, old: Entry): string {
  const { entries } = entriesOf(now);
  const at = entries.findIndex(({ start }) => start === old.start);
  const [previous, next] = [at > 0 ? entries[at - 1] : undefined, entries[at + 1]];
  if (next !== undefined) return splice(now, old.start, next.start, "");
  if (previous !== undefined) return splice(now, previous.end, old.end, "");
  const rest = splice(now, old.start, old.end, "");
  return rest.trim() === "" ? "" : rest;
}

/** Before the entry that stands at this place; behind all if there is none. */
export function withInserted(now: string | undefined, place: number, entry: string, first = ""): string {
  const { text, entries } = entriesOf(now ?? "");
  const next = entries[place];
  if (next === undefined) return withAdded(now, entry, first);
  return splice(text, next.start, next.start, inLines(text, entry) + between(text));
}

const splice = (text: string, start: number, end: number, piece: string): string =>
  text.slice(0, start) + piece + text.slice(end);

const between = (text: string): string => `${lineEnd(text)}${separator}${lineEnd(text)}`;

/** With the line ends of the file. */
const inLines = (text: string, entry: string): string => entry.replaceAll(/\r?\n/g, lineEnd(text));

const lineEnd = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");
