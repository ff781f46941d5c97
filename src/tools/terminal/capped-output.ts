import { redactStream } from "../../lib/redact/redact-stream.ts";
import type { Redactor } from "../../lib/redact/redact.ts";

/**
 * What a program writes, in bounded memory: its beginning, its end, and how much was between them. Secrets are masked
 * before anything is left out, so that no half of one is shown.
 */
export type CappedOutput = {
  add(chunk: Uint8Array): void;
  text(): string;
  /** The same, and afterwards it holds nothing but what may be the beginning of a secret. */
  take(): string;
  /** Nothing more comes. */
  end(): void;
};

export function cappedOutput(
  limits: { readonly head: number; readonly tail: number },
  redact: Redactor,
): CappedOutput {
  const decoder = new TextDecoder();
  const masked = redactStream(redact);
  let head = "";
  let tail = "";
  let dropped = 0;

  const text = (): string => {
    const missing = dropped + Math.max(0, tail.length - limits.tail);
    if (missing === 0) return head + tail;
    // A cut may have gone through a pair of surrogates.
    return `${head}\n[${missing} characters left out]\n${tail.slice(-limits.tail)}`.toWellFormed();
  };
  const keep = (more: string): void => {
    const room = limits.head - head.length;
    head += more.slice(0, room);
    tail += more.slice(room);
    if (tail.length <= 2 * limits.tail) return; // cut now and then, not with each chunk
    dropped += tail.length - limits.tail;
    tail = tail.slice(-limits.tail);
  };
  return {
    add: (chunk) => keep(masked.add(decoder.decode(chunk, { stream: true }))),
    end: () => keep(masked.add(decoder.decode()) + masked.end()),
    text,
    take() {
      keep(masked.pause());
      const taken = text();
      [head, tail, dropped] = ["", "", 0];
      return taken;
    },
  };
}
