import type { Redirect } from "./shell-syntax.ts";

/** How much work one command may cause in all its layers. What goes beyond it is not looked at, and that is said. */
export type Effort = { left: number; cut: boolean };

export const newEffort = (steps: number): Effort => ({ left: steps, cut: false });

/** False once the effort is used up. */
export function spend(effort: Effort, steps: number): boolean {
  if (effort.cut) return false;
  effort.cut = effort.left < steps;
  effort.left = effort.cut ? 0 : effort.left - steps;
  return !effort.cut;
}

/** A place in a text. Every read costs effort; when none is left, the text ends. */
export type Reader = {
  readonly text: string;
  at: number;
  readonly effort: Effort;
  /** A quote, bracket or here-document was left open, or something stood where nothing may stand. */
  broken: boolean;
  depth: number;
  /** Between `in` or `;;` and the `)` of a `case` stand patterns, not commands. */
  pattern: boolean;
  /** Here-documents whose lines begin after the next newline. */
  awaited: { readonly redirect: Redirect; readonly end: string; readonly literal: boolean; tabs: boolean }[];
};

export const newReader = (text: string, effort: Effort, depth = 0): Reader => ({
  text,
  at: 0,
  effort,
  broken: false,
  depth,
  pattern: false,
  awaited: [],
});

/** Deeper than people nest, shallow enough for the stack. */
const deepest = 100;

/** The character here, `""` at the end. */
export function peek(reader: Reader): string {
  return reader.effort.cut ? "" : reader.text.charAt(reader.at);
}

export function take(reader: Reader): string {
  if (!spend(reader.effort, 1)) return "";
  const char = reader.text.charAt(reader.at);
  reader.at++;
  return char;
}

export const looksAt = (reader: Reader, text: string): boolean =>
  !reader.effort.cut && reader.text.startsWith(text, reader.at);

export function takeIf(reader: Reader, text: string): boolean {
  if (!looksAt(reader, text)) return false;
  spend(reader.effort, text.length);
  reader.at += text.length;
  return true;
}

/** As much as a sticky pattern takes from here. */
export function takeRun(reader: Reader, pattern: RegExp): string {
  if (reader.effort.cut) return "";
  pattern.lastIndex = reader.at;
  const [run = ""] = pattern.exec(reader.text) ?? [];
  spend(reader.effort, run.length);
  reader.at += run.length;
  return run;
}

/** Up to `end`, which is taken too; an `end` that never comes breaks the text. */
export function takeUntil(reader: Reader, end: string): string {
  const found = reader.text.indexOf(end, reader.at);
  const stop = found < 0 ? reader.text.length : found;
  const taken = reader.text.slice(reader.at, stop);
  spend(reader.effort, taken.length + end.length);
  reader.at = stop + end.length;
  if (found < 0) reader.broken = true;
  return taken;
}

/** Reads something nested, unless it is nested too deeply: then the rest is not looked at. */
export function nested<T>(reader: Reader, otherwise: T, read: () => T): T {
  if (reader.depth >= deepest) {
    reader.effort.cut = true;
    return otherwise;
  }
  reader.depth++;
  const value = read();
  reader.depth--;
  return value;
}
