import type { ApprovalId, InquiryId } from "./ids.ts";
import type { Json } from "./json.ts";

/** What an action does to the world, from nothing to things that cannot be taken back. */
export type SideEffect = "none" | "local" | "external" | "destructive";

/** A question whether an action may happen. */
export type Question = {
  readonly tool: string;
  readonly args: Json;
  readonly cwd: string;
  readonly effect: SideEffect;
  /** What the person is shown, whole. */
  readonly summary: string;
  readonly reason?: string;
};

export type Decision = {
  readonly choice: "once" | "session" | "always" | "deny";
  /** `not_asked`: nobody was there; never reported as a person's No. */
  readonly why: "person" | "policy" | "timeout" | "not_asked" | "withdrawn";
  readonly by?: string;
};

/** Fails closed: it always answers, and silence is a No with its reason. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Decision>;

export type ApprovalState = {
  readonly id: ApprovalId;
  readonly question: Question;
  readonly decision?: Decision;
};

/** A question whose answer is information, not permission. */
export type Form = {
  readonly title: string;
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly options?: readonly string[];
  }[];
};
export type Answers = { readonly [field: string]: string };
/** `undefined`: nobody answered. */
export type Inquire = (form: Form, signal: AbortSignal) => Promise<Answers | undefined>;

export type InquiryState = {
  readonly id: InquiryId;
  readonly form: Form;
  readonly answers?: Answers;
  readonly closed?: boolean;
};
