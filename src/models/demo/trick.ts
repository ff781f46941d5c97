import type { Json } from "../../core/json.ts";
import type { DemoRequest } from "./demo-request.ts";

/** What the named groups of a trick's words caught. */
export type Found = Readonly<Record<string, string | undefined>>;

/** One row per trick. The first whose words fit, and whose tool is on offer, is done. */
export type Trick = PlainTrick | ToolTrick;

/** Answers from the conversation alone. */
type PlainTrick = {
  readonly words: readonly RegExp[];
  /** A line for the list of what can be tried; empty for none. */
  readonly help: string;
  say(found: Found, conversation: DemoRequest): string;
};

/** Calls a tool, then phrases what it gave back. */
export type ToolTrick = {
  readonly words: readonly RegExp[];
  readonly help: string;
  /** Any of these tools will do. */
  readonly needs: readonly string[];
  /** An argument under the first of its names that the tool knows. A tool that takes free text gets the first one. */
  args(found: Found): readonly { readonly names: readonly string[]; readonly value: Json }[];
  answer(output: string, found: Found): string;
};

/** Patterns for what people say. */

const polite = String.raw`^\s*(?:please,?\s+|(?:can|could|would) you\s+(?:please\s+)?)?`;
export const asked = (rest: string): RegExp => new RegExp(polite + rest, "i");
export const words = (group: string): string => String.raw`["“]?(?<${group}>[^"”\n]+?)["”]?\s*[.?!]*\s*$`;
export const oneWord = (group: string): string =>
  String.raw`["'“\x60]?(?<${group}>[^\s"'”\x60]+?)["'”\x60]?[?!,.]*\s*$`;
export const commandLine = String.raw`\x60?(?<line>[^\x60\n]+?)\x60?\s*$`;
