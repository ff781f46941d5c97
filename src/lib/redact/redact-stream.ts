import type { Redactor } from "./redact.ts";
import { openKeyBlock } from "./secret-patterns.ts";

/** A redactor, or any function that masks; only a redactor can say which of its values span several lines. */
export type Masking = ((text: string) => string) & Partial<Pick<Redactor, "values" | "manyLines">>;

/** Masks a text that comes in pieces: what `add` and `end` give makes together what the redactor makes of the whole. */
export type RedactStream = {
  add(piece: string): string;
  /** The part of the unfinished line that cannot be the beginning of a secret: a prompt that waits for an answer has no line end. */
  pause(): string;
  end(): string;
};

/** At most so much is held back. Beyond it, all but the last part is released: no secret is longer than that. */
const ofOneLine = { most: 64 * 1024, longestSecret: 4096 };
const ofManyLines = { most: 128 * 1024, longestSecret: 64 * 1024 };

/**
 * A secret may come in two pieces, so what could be the beginning of one is held back: a line that has not ended, a key
 * block without its end, a value that goes over several lines.
 */
export function redactStream(redact: Masking): RedactStream {
  let held = "";
  let line = "";
  const release = (end: number): string => {
    const text = held.slice(0, end);
    held = held.slice(end);
    return text === "" ? "" : redact(text);
  };
  const overflow = (): string => {
    const { most, longestSecret } = held === "" ? ofOneLine : ofManyLines;
    if (held.length + line.length <= most) return "";
    const masked = redact(held + line);
    [held, line] = ["", masked.slice(-longestSecret)];
    return masked.slice(0, -longestSecret);
  };
  return {
    add(piece) {
      const ended = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf("\r")) + 1;
      if (ended > 0) held += line + piece.slice(0, ended);
      line = ended > 0 ? piece.slice(ended) : line + piece;
      const released = ended > 0 ? release(safeEnd(held, redact.manyLines?.() ?? [])) : "";
      return released + overflow();
    },
    pause() {
      if (held !== "") return "";
      const shown = line.slice(
        0,
        Math.min(lastWord(line), openAt(line, line.length, redact.values?.() ?? [])),
      );
      line = line.slice(shown.length);
      return redact(shown);
    },
    end() {
      held += line;
      line = "";
      return release(held.length);
    },
  };
}
/** Up to where nothing that comes later can change what is masked: always the end of a line. */
function safeEnd(text: string, values: readonly string[]): number {
  let end = lineStart(text, text.length);
  for (;;) {
    const first = Math.min(openKeyBlock(text.slice(0, end)) ?? end, openAt(text, end, values));
    if (first >= end) return end;
    end = lineStart(text, first);
  }
}

/** A carriage return ends a line as well: what counts up in place would not be seen otherwise. */
const lineStart = (text: string, at: number): number =>
  at === 0 ? 0 : Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;

/** Where a word begins that may go on, with what tells that it is a token. */
function lastWord(line: string): number {
  const start = Math.max(line.lastIndexOf(" "), line.lastIndexOf("\t")) + 1;
  const [before = ""] = /bearer[ \t]{1,4}$/i.exec(line.slice(Math.max(0, start - 10), start)) ?? [];
  return start - before.length;
}

const openAt = (text: string, end: number, values: readonly string[]): number =>
  values.reduce((first, value) => Math.min(first, openValue(text, end, value) ?? first), end);

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
