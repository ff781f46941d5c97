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
