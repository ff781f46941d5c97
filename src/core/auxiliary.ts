import type { Usage } from "./events.ts";
import type { SessionId } from "./ids.ts";
import type { Json } from "./json.ts";
import type { InputPart } from "./messages.ts";

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
  /** Come after the input. */
  readonly images?: readonly AuxiliaryImage[];
  /** JSON Schema that the answer must follow. */
  readonly outputSchema?: Json;
  /** Whose cost it is. */
  readonly session?: SessionId;
};

export type AuxiliaryImage = { readonly mediaType: string; readonly base64: string };

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

/** What the model is asked, as a person would send it. */
export const auxiliaryInput = ({
  input,
  images = [],
}: Pick<AuxiliaryCall, "input" | "images">): readonly InputPart[] => [
  { type: "text", text: input },
  ...images.map((image, at) => ({ type: "image", name: `picture ${at + 1}`, ...image }) as const),
];
