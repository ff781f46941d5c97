/**
 * What was received of a growing text: its beginning and its end, in bounded memory. Of both a little more than is shown,
 * so that a secret which the cut goes through is whole when it is masked.
 */
export type SeenText = { readonly head: string; readonly tail: string; readonly length: number };

export const nothingSeen: SeenText = { head: "", tail: "", length: 0 };

/** Half of the most that is kept of an output or a half-finished answer. */
const half = 32 * 1024;
/** No secret is longer. */
const longestSecret = 4096;
const heldHalf = half + longestSecret;

export function appendSeen({ head, tail, length }: SeenText, text: string): SeenText {
  const room = heldHalf - head.length;
  const end = tail + text.slice(Math.max(0, room));
  return {
    head: room > 0 ? head + text.slice(0, room) : head,
    tail: end.length > 2 * heldHalf ? end.slice(-heldHalf) : end,
    length: length + text.length,
  };
}

/** The same bytes however the text was cut into pieces, secrets masked; a line between counts what was left out. */
export function seenText({ head, tail, length }: SeenText, mask: (text: string) => string): string {
  if (length <= 2 * heldHalf) return boundedText(mask(head + tail));
  const [first, last] = [mask(head), mask(tail.slice(-heldHalf))];
  return withGap(
    first.slice(0, Math.min(half, first.length - longestSecret)),
    last.slice(-Math.min(half, last.length - longestSecret)),
    length,
  );
}

/** The beginning and the end of a text in which nothing is secret. */
export const boundedText = (text: string): string =>
  text.length <= 2 * half ? text : withGap(text.slice(0, half), text.slice(-half), text.length);

const withGap = (first: string, last: string, length: number): string =>
  `${first.toWellFormed()}\n[${length - first.length - last.length} characters left out]\n${last.toWellFormed()}`;
