import type { SessionId } from "../../core/ids.ts";
import type { Limit } from "../../core/spend.ts";

/** A part of a turn's work, as the model hands it on. */
export type Task = { readonly goal: string; readonly context?: string; readonly runtime?: string };

/** What the person has set about such tasks. */
export type TaskSettings = {
  readonly runtime?: string;
  readonly model?: string;
  readonly maxConcurrent: number;
  /** How long one may work, the wait for a person not counted. */
  readonly maxMs: number;
  readonly budget: Limit;
};

/** What came of one. `session` is missing when it never began. */
export type TaskResult = {
  readonly end: "done" | "unconfirmed" | "failed" | "stopped";
  /** Why it is not simply done. */
  readonly why?: string;
  /** The answer, or what it had said so far. */
  readonly text: string;
  readonly runtime: string;
  readonly calls: number;
  readonly tokens: number;
  readonly session?: SessionId;
  /** What did not go the ordinary way. */
  readonly notices: readonly string[];
};
