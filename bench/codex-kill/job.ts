import type { SessionId } from "../../src/core/ids.ts";

/** One conversation on codex, in a home of its own. */
export type Job = {
  /** TALARIA_HOME. */
  readonly home: string;
  readonly cwd: string;
  readonly codexHome: string;
  /** Path of the codex, real or not. */
  readonly binary: string;
  /** Address of the model. */
  readonly model: string;
  readonly session: SessionId;
  readonly inputs: readonly string[];
  /** The process that does this job kills itself when so many frames have come. */
  readonly dieAfter?: number;
  readonly mutant?: Mutant;
  /** Name of the variable that marks the children of this home. */
  readonly marker: string;
};

/** Deliberate faults: not noting the thread of a conversation, and not asking codex what became of an open turn. */
export type Mutant = "forget-thread" | "no-recovery";
