import type { Redactor } from "./redact.ts";
import { openKeyBlock } from "./secret-patterns.ts";

/** Masks a text that comes in pieces: what `add` and `end` give makes together what the redactor makes of the whole. */
export type RedactStream = { add(piece: string): string; end(): string };

/**
 * A secret may come in two pieces, so what could be the beginning of one is held back: a line that has not ended, a key
 * block without its end, a value that goes over several lines.
 */
export function redactStream(redact: Redactor): RedactStream {
  let held = "";
  const release = (end: number): string => {
    const text = held.slice(0, end);
    held = held.slice(end);
    return text === "" ? "" : redact(text);
  };
  return {
    add(piece) {
      held += piece;
      return release(safeEnd(held, redact.manyLines()));
    },
    end: () => release(held.length),
  };
}

/** Up to where nothing that comes later can change what is masked: always the end of a line. */
function safeEnd(text: string, values: readonly string[]): number {
  let end = lineStart(text, text.length);
  for (;;) {
    const begun = [openKeyBlock(text.slice(0, end)), ...values.map((value) => openValue(text, end, value))];
    const first = Math.min(...begun.filter((at) => at !== undefined));
    if (first >= end) return end;
    end = lineStart(text, first);
  }
}

/** A carriage return ends a line as well: what counts up in place would not be seen otherwise. */
const lineStart = (text: string, at: number): number =>
  at === 0 ? 0 : Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;

/** Where a value begins that goes over this place, or may do so once more has come. */
function openValue(text: string, place: number, value: string): number | undefined {
  const from = Math.max(0, place - value.length + 1);
  for (let at = text.indexOf(value.slice(0, 1), from); at !== -1 && at < place;) {
    const there = text.slice(at, at + value.length);
    if (value.startsWith(there)) return at;
    at = text.indexOf(value.slice(0, 1), at + 1);
  }
  return undefined;
}
