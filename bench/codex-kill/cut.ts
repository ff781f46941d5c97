/** One run in which something was killed, and what became of the conversation. */
export type Cut = {
  readonly killed: boolean;
  /** Frames of the first codex. */
  readonly frames: number;
  /** Those that told of a finished command. */
  readonly commandFrames: readonly number[];
  /** The turns after the kill went on in the thread of those before it. */
  readonly resumed: boolean;
  /** From the kill to the end of the turn that it hit. */
  readonly noticedMs?: number;
  readonly broken: readonly string[];
};
