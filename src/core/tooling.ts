import type { SideEffect } from "./asking.ts";

/** A tool in a list for people. */
export type ListedTool = {
  readonly name: string;
  /** The first sentence of what models are told about it. */
  readonly about: string;
  readonly effect: SideEffect;
  /** Runtimes whose turns have it. Codex brings its own for commands and files. */
  readonly runtimes: readonly string[];
  /** Why it cannot be used here. */
  readonly unavailable?: string;
};
