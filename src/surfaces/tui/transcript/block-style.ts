import type { Chunk } from "./prose-chunks.ts";
import type { ProseStyle } from "./prose-lines.ts";
import type { Theme } from "../theme.ts";

/** All that decides how a block looks. */
export type BlockStyle = {
  readonly theme: Theme;
  readonly width: number;
  readonly reasoning: "fold" | "show" | "hide";
  /** Everything of outputs and diffs, not only the beginning or end. */
  readonly whole: boolean;
  readonly prose: (chunks: readonly Chunk[], look: ProseStyle) => readonly string[];
};
