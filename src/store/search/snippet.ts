/** Marks around found words that no text has; people see « and ». */
export const mark = { open: "\u0001", close: "\u0002" } as const;

const longest = 200;
const before = 60;

/** One line around the first found place, from text with marks. */
export function snippet(marked: string): string {
  const line = marked.replaceAll(/[^\S ]\s*| \s+/g, " ").trim();
  return clip(line).replaceAll(mark.open, "«").replaceAll(mark.close, "»");
}

/** The same from plain text, for searches that only say that a text has the terms. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const pattern = new RegExp(terms.map(escaped).join("|"), "giu");
  const first = Math.max(0, text.search(pattern));
  const from = Math.max(0, first - before);
  const part = text.slice(from, first + 2 * longest);
  const marked = part.replaceAll(pattern, (found) => `${mark.open}${found}${mark.close}`);
  return snippet(`${from > 0 ? "…" : ""}${marked}${part.length < text.length - from ? "…" : ""}`);
}

function clip(line: string): string {
  if (line.length <= longest) return line;
  const first = Math.max(0, line.indexOf(mark.open));
  const from = Math.max(0, Math.min(first - before, line.length - longest));
  // A cut through a character leaves a half at an end.
  const part = line.slice(from, from + longest).replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  const unclosed = part.lastIndexOf(mark.open) > part.lastIndexOf(mark.close);
  const after = from + longest < line.length ? "…" : "";
  return `${from > 0 ? "…" : ""}${part}${unclosed ? mark.close : ""}${after}`;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
