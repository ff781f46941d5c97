import { cutEnd } from "../cut-middle.ts";

/** What a server says about itself, for people and models: nothing in it is invisible or steers a screen. */
export function foreignText(text: string, max: number): string {
  const shown = text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`)
    .trim();
  return shown.length <= max ? shown : `${cutEnd(shown, max - 1)}…`;
}

/** The same as one line. */
export const foreignLine = (text: string, max: number): string =>
  foreignText(text.replaceAll(/\s+/g, " "), max);

/** Tabs and line ends stay, and joiners, which scripts and emoji need. */
const unseen = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
