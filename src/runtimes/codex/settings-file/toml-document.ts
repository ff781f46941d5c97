import { type Layout, LayoutError, layoutOf } from "./toml-layout.ts";
import { type Meaning, type Problem, readMeaning } from "./toml-meaning.ts";

/** A TOML text with what it says and where that stands. */
export type Document = { readonly text: string; readonly meaning: Meaning; readonly layout: Layout };

/**
 * Two parsers read it, and both must be able to: only one knows where comments and keys stand, and what that one makes of
 * a text (a table `__proto__` becomes part of every object) is not fit to judge whether somebody's file says the same.
 */
export function readDocument(text: string): Document | { readonly problem: Problem } {
  const read = readMeaning(text);
  if ("problem" in read) return read;
  try {
    return { text, meaning: read.meaning, layout: layoutOf(text) };
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return { problem: { why: error.message, line: error.lineNumber } };
  }
}
