import { clean, oneLine } from "../../../core/plain-text.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../toolkit.ts";

/**
 * Text of a model, a tool or a person as it may be painted: nothing in it steers the terminal, and its width is certain.
 * Only line breaks are left of what is not printed.
 */
export const shownText = (text: string): string =>
  clean(text.replaceAll(/\r\n?/g, "\n").replaceAll("\t", "    ").toWellFormed())
    .replaceAll(uncertain, "")
    .replaceAll(/[\u115F\u1160\u3164\uFFA0]/g, "\uFFFD");

/**
 * Terminals do not agree on how wide these are, so they are left out: what joins emoji or gives them the colour of a
 * skin (they stand side by side, in yellow), and what is invisible. The rest of a screen would be torn by them.
 */
const uncertain =
  /(?<=[\p{Extended_Pictographic}\uFE0F])\p{Emoji_Modifier}?\u200D(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})\p{Emoji_Modifier}|[\u00AD\u180E\u200B\u2060\uFEFF]/gu;

/** Scanning a megabyte for the few characters that fit would be noticeable. */
const longestLine = 4_000;

/** The beginning of it as one line, for titles. */
export const shownLine = (text: string): string => oneLine(shownText(text.slice(0, longestLine)));

/** One line of plain text, cut to a width. */
export const cut = (text: string, width: number): string =>
  truncateToWidth(text, width, "…").replaceAll("\u001B[0m", "");

/** Lines of plain text, broken at words. */
export const wrapped = (text: string, width: number): readonly string[] =>
  text.split("\n").flatMap((line) => pieces(line).flatMap((piece) => wrapTextWithAnsi(piece, width)));

function pieces(line: string): readonly string[] {
  if (line.length <= longestLine) return [line];
  const found: string[] = [];
  for (let at = 0; at < line.length;) {
    const end = wholeCharacters(line, at + longestLine);
    found.push(line.slice(at, end));
    at = end;
  }
  return found;
}

/** `at`, or one less if that would split a surrogate pair. */
export function wholeCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return at < text.length && code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

/** The final guard before a line is painted: one column has no room for a wide character. */
export const within = (line: string, width: number): string =>
  visibleWidth(line) > width ? truncateToWidth(line, width, "") : line;
