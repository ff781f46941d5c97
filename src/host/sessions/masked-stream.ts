import { redactStream } from "../../lib/redact/redact-stream.ts";
import type { Redactor } from "../../lib/redact/redact.ts";

export type MaskedStream = {
  add(chunk: Uint8Array): void;
  /** Tells what was held back, and gives the last of all that was told. */
  end(): { readonly output: string; readonly cut: boolean };
};

/** Bytes that come in pieces, told on as text with secrets masked, in bounded memory. */
export function maskedStream(redact: Redactor, keep: number, tell: (text: string) => void): MaskedStream {
  const decoder = new TextDecoder();
  const stream = redactStream(redact);
  let tail = "";
  let total = 0;

  const pass = (masked: string): void => {
    if (masked === "") return;
    total += masked.length;
    tail += masked;
    if (tail.length > 2 * keep) tail = tail.slice(-keep); // now and then, not with each line
    tell(masked);
  };
  return {
    add: (chunk) => pass(stream.add(decoder.decode(chunk, { stream: true }))),
    end() {
      pass(stream.add(decoder.decode()) + stream.end());
      return { output: tail.slice(-keep).toWellFormed(), cut: total > keep };
    },
  };
}
