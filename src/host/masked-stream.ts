import { redactStream } from "../lib/redact-stream.ts";
import type { Redactor } from "../lib/redact.ts";

export type MaskedStream = {
  add(chunk: Uint8Array): void;
  /** Tells what was held back, and gives the last of all that was told. */
  end(): { readonly output: string; readonly cut: boolean };
};

/** A line that does not end is told when it is longer than this, all but its end: no secret is longer than that. */
const longestLine = 64 * 1024;
const longestSecret = 4096;

/** Bytes that come in pieces, told on as text with secrets masked, in bounded memory. */
export function maskedStream(redact: Redactor, keep: number, tell: (text: string) => void): MaskedStream {
  const decoder = new TextDecoder();
  const stream = redactStream(redact);
  let line = "";
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
    add(chunk) {
      line += decoder.decode(chunk, { stream: true });
      const ended = Math.max(line.lastIndexOf("\n"), line.lastIndexOf("\r")) + 1;
      pass(stream.add(line.slice(0, ended)));
      line = line.slice(ended);
      if (line.length <= longestLine) return;
      const masked = redact(line);
      pass(stream.add(masked.slice(0, -longestSecret)) + stream.end());
      line = masked.slice(-longestSecret);
    },
    end() {
      pass(stream.add(line + decoder.decode()) + stream.end());
      line = "";
      return { output: tail.slice(-keep).toWellFormed(), cut: total > keep };
    },
  };
}
