import type { SessionId } from "../ids.ts";
import type { Limit } from "../spend.ts";
import type { Tokens } from "../usage.ts";

/** One prompt of a batch. The same batch and line mean the same work, whoever asks and however often. */
export type BatchLine = {
  /** Named by what its file says: another text is another batch. */
  readonly batch: string;
  readonly line: number;
  readonly text: string;
  /** What its session is called. */
  readonly title: string;
  readonly cwd: string;
  readonly runtime?: string;
  readonly model?: string;
  /** What this line may use. */
  readonly budget?: Limit;
  /** What all lines of the batch may use together. */
  readonly total?: Limit;
  /** Once more, if it did not go well before. */
  readonly again?: boolean;
};

/**
 * What came of a line. refused: it needed an approval that nobody was there to give · interrupted: it was stopped, or cut off
 * after it had done something, and is not done twice by itself
 */
export type BatchResult = {
  readonly line: number;
  readonly status: "done" | "refused" | "failed" | "interrupted";
  readonly session: SessionId;
  readonly attempts: number;
  readonly answer: string;
  /** Of all attempts. */
  readonly usage: Tokens;
  /** USD, as far as prices are known; missing where none is. */
  readonly cost?: number;
  readonly error?: string;
};

/** It was not begun, and what would have to change first. */
export type BatchStop = {
  readonly stopped: "paused" | "budget";
  readonly why: string;
  readonly next: string;
};
