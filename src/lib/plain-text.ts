/** What comes from a model or a tool may not steer the terminal: only line breaks and tabs pass. */
export const clean = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, "\uFFFD");

/** One line of it, cut to `max` characters. */
export function short(text: string, max: number): string {
  const line = clean(text).replaceAll(/\s+/g, " ").trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
