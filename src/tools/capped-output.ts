/** What a program writes, in bounded memory: its beginning, its end, and how much was between them. */
export type CappedOutput = {
  add(chunk: Uint8Array): void;
  text(): string;
  /** The same, and afterwards it holds nothing. */
  take(): string;
};

export function cappedOutput(limits: { readonly head: number; readonly tail: number }): CappedOutput {
  const decoder = new TextDecoder();
  let head = "";
  let tail = "";
  let dropped = 0;

  const text = (): string => {
    const missing = dropped + Math.max(0, tail.length - limits.tail);
    if (missing === 0) return head + tail;
    // A cut may have gone through a pair of surrogates.
    return `${head}\n[${missing} characters left out]\n${tail.slice(-limits.tail)}`.toWellFormed();
  };
  return {
    add(chunk) {
      const more = decoder.decode(chunk, { stream: true });
      const room = limits.head - head.length;
      head += more.slice(0, room);
      tail += more.slice(room);
      if (tail.length <= 2 * limits.tail) return; // cut now and then, not with each chunk
      dropped += tail.length - limits.tail;
      tail = tail.slice(-limits.tail);
    },
    text,
    take() {
      const taken = text();
      [head, tail, dropped] = ["", "", 0];
      return taken;
    },
  };
}
