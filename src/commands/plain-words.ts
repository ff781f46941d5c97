/** Text of models, files and people may not steer a screen: only line breaks and tabs pass. */
export const plain = (text: string): string =>
  text.replaceAll(/(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD");

/** One line of it, cut to `max` characters. */
export function oneLine(text: string, max: number): string {
  const letters = [
    ...plain(text.slice(0, max * 8))
      .replaceAll(/\s+/g, " ")
      .trim(),
  ];
  return letters.length > max ? `${letters.slice(0, max - 1).join("")}…` : letters.join("");
}

/** `1 turn`, `2 turns`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** In UTC, to the minute. */
export const minute = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
