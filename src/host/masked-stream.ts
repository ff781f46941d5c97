export type MaskedStream = {
  add(chunk: Uint8Array): void;
  /** Tells what was held back. The last of all that was told, masked once more as a whole. */
  end(): { readonly output: string; readonly cut: boolean };
};

/** A line that does not end is told when it is longer than this, all but its end: no secret is longer than that. */
const longestLine = 64 * 1024;
const longestSecret = 4096;

/**
 * Text that comes in pieces, told on with secrets masked. An unfinished line is held back, because a secret may come in
 * two pieces.
 */
export function maskedStream(
  redact: (text: string) => string,
  keep: number,
  tell: (text: string) => void,
): MaskedStream {
  const decoder = new TextDecoder();
  let held = "";
  let tail = "";
  let total = 0;

  const pass = (text: string): void => {
    if (text === "") return;
    const masked = redact(text);
    total += masked.length;
    tail += masked;
    if (tail.length > 2 * keep) tail = tail.slice(-keep); // now and then, not with each line
    tell(masked);
  };
  const release = (): void => {
    // A carriage return ends a line as well: what counts up on one line would not be seen otherwise.
    const lineEnd = Math.max(held.lastIndexOf("\n"), held.lastIndexOf("\r")) + 1;
    pass(held.slice(0, lineEnd));
    held = held.slice(lineEnd);
    if (held.length <= longestLine) return;
    const masked = redact(held);
    pass(masked.slice(0, -longestSecret));
    held = masked.slice(-longestSecret);
  };
  return {
    add(chunk) {
      held += decoder.decode(chunk, { stream: true });
      release();
    },
    end() {
      pass(held + decoder.decode());
      held = "";
      return { output: redact(tail.slice(-keep).toWellFormed()), cut: total > keep };
    },
  };
}
