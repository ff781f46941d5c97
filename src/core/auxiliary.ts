import type { Usage } from "./events.ts";
import type { SessionId } from "./ids.ts";
import type { Json } from "./json.ts";

/** Small jobs for a model beside the conversation. The names are those of `auxiliary.*` in config.yaml. */
export type AuxiliaryTask =
  | "title_generation"
  | "compression"
  | "vision"
  | "background_review"
  | "goal_judge"
  | "approval";

export type AuxiliaryCall = {
  readonly task: AuxiliaryTask;
  readonly instructions: string;
  readonly input: string;
  /** JSON Schema that the answer must follow. */
  readonly outputSchema?: Json;
  /** Whose cost it is. */
  readonly session?: SessionId;
};

/** `unavailable`: no model could be asked, or it gave no answer, and why. */
export type AuxiliaryAnswer =
  | {
      readonly text: string;
      /** Where it was answered: a provider, or codex. */
      readonly provider: string;
      readonly model: string;
      readonly usage?: Usage;
    }
  | { readonly unavailable: string };

/** Never rejects. Every call is in the ledger of costs with its task as the cause. */
export type Auxiliary = (call: AuxiliaryCall, signal: AbortSignal) => Promise<AuxiliaryAnswer>;
