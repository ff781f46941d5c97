/**
 * How many columns a character takes in the terminals of today, for xterm, whose own table is so old that an emoji has one.
 * `before`: what was returned for the character before it, 0 at the start.
 */
export function characterProperties(codePoint: number, before: number): number {
  const beforeWidth = (before >> 1) & 3;
  const join = (width: number, state: number): number =>
    beforeWidth === 0 ? pack(0, 0, false) : pack(Math.max(width, beforeWidth), state, true);
  const text = String.fromCodePoint(codePoint);
  if (codePoint === joiner) return join(0, afterJoiner);
  if (codePoint === emojiStyle) return join(2, 0);
  if (nothing.test(text)) return join(0, 0);
  const state = before >> 3;
  if (state === afterJoiner || skinTone.test(text)) return join(2, 0) || pack(2, 0, false);
  if (flagLetter.test(text)) return state === afterFlagLetter ? join(2, 0) : pack(2, afterFlagLetter, false);
  return pack(characterWidth(codePoint), 0, false);
}

export function characterWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x300) return codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0) ? 0 : 1;
  const text = String.fromCodePoint(codePoint);
  if (nothing.test(text)) return 0;
  return wide.test(text) && !half.test(text) ? 2 : 1;
}

const joiner = 0x200d;
const emojiStyle = 0xfe0f;
const nothing = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const skinTone = /^\p{Emoji_Modifier}$/u;
const flagLetter = /^\p{Regional_Indicator}$/u;
const wide =
  /^[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]$/u;
/** Half-width forms, and the Hangul vowels and finals that are written into the syllable before them. */
const half = /^[\uff61-\uffdc]$/u;

const afterJoiner = 1;
const afterFlagLetter = 2;

/** As xterm packs it: a state of one's own, the width in two bits, whether it is drawn into the cell before. */
const pack = (width: number, state: number, joins: boolean): number =>
  (state << 3) | (width << 1) | (joins ? 1 : 0);
