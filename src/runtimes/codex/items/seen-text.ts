/** What was received of a growing text: its beginning and its end, in bounded memory. */
export type SeenText = { readonly head: string; readonly tail: string; readonly length: number };

export const nothingSeen: SeenText = { head: "", tail: "", length: 0 };

/** Half of the most that is kept of an output or a half-finished answer. */
const half = 32 * 1024;

export function see({ head, tail, length }: SeenText, text: string): SeenText {
  const room = half - head.length;
  const end = tail + text.slice(Math.max(0, room));
  return {
    head: room > 0 ? head + text.slice(0, room) : head,
    tail: end.length > 2 * half ? end.slice(-half) : end,
    length: length + text.length,
  };
}

/** The same bytes however the text was cut into pieces; a line between counts what was left out. */
export function seenText({ head, tail, length }: SeenText): string {
  if (length <= 2 * half) return head + tail;
  const gap = `\n[${length - 2 * half} characters left out]\n`;
  return head.toWellFormed() + gap + tail.slice(-half).toWellFormed();
}

export const boundedText = (text: string): string => seenText(see(nothingSeen, text));
