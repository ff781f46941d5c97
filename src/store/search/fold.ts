/**
 * Text as search compares it, on both engines: what SQLite's tokenizer `unicode61 remove_diacritics 2` does to it. Case is
 * dropped everywhere, accents from Latin letters alone (in others they make another letter), and loose accents are nothing.
 */
export function fold(text: string): string {
  const letters = text.replaceAll(looseAccents, "").toLowerCase();
  const plain = letters.normalize("NFD").replaceAll(/([a-z])[\u0300-\u036f]+/gu, "$1");
  return plain.normalize("NFC").replaceAll(/[ςſµ]/gu, (letter) => sameLetter[letter] ?? letter);
}

const looseAccents = new RegExp(`[${looseAccentRanges()}]`, "gu");

/** In the words of a regular expression, for PostgreSQL's functions as well. */
export function looseAccentRanges(): string {
  return String.raw`\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331`;
}

const sameLetter: Readonly<Record<string, string>> = { ς: "σ", ſ: "s", µ: "μ" };

/** Letters and digits make words; everything else stands between them. */
export const wordsOf = (text: string): readonly string[] =>
  fold(text)
    .split(/[^\p{L}\p{N}\p{Co}]+/u)
    .filter((word) => word !== "");

export const hasWord = (text: string): boolean => /[\p{L}\p{N}\p{Co}]/u.test(text);
