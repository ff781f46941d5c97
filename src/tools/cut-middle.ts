/** At most `max` characters of the text, its beginning and its end, with a line between that says how much is missing. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = cutEnd(text, Math.ceil(max / 2));
  const tail = cutStart(text, Math.floor(max / 2));
  const missing = text.length - head.length - tail.length;
  return `${head}\n[${missing} characters left out]\n${tail}`;
}

/** The first `max` characters, without half of a surrogate pair at the end. */
export function cutEnd(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max);
}

function cutStart(text: string, max: number): string {
  const from = text.length - max;
  return text.slice(isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from);
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
