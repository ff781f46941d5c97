/** What comes from a model or a tool may not steer the terminal: only line breaks and tabs pass. */
export const clean = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, "\uFFFD");

/** Without line breaks, and with one blank where there were several. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** One line of it, cut to `max` characters. */
export function short(text: string, max: number): string {
  // Cut first: a line of a megabyte is not worth going through.
  const line = oneLine(clean(text.slice(0, max * 8)));
  const letters = [...line];
  return letters.length > max ? `${letters.slice(0, max - 1).join("")}…` : line;
}

/** With a full stop, unless it has its end. */
export const sentence = (text: string): string =>
  /[.!?…]\s*$/.test(text) ? text.trimEnd() : `${text.trimEnd()}.`;

/** `1 turn`, `2 turns`, `2 processes`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
