import type { ApprovalId, InquiryId } from "./ids.ts";
import type { BegunCall } from "./items.ts";
import type { Json } from "./json.ts";

/** What an action does to the world, from nothing to things that cannot be taken back. */
export type SideEffect = "none" | "local" | "external" | "destructive";

/** A question whether an action may happen. */
export type Question = {
  readonly tool: string;
  /** What exactly would be done: two questions about other arguments are two questions. */
  readonly args: Json;
  readonly cwd: string;
  readonly effect: SideEffect;
  readonly action: Action;
  /** One line that names it. */
  readonly summary: string;
  readonly reason?: string;
  /** Why nobody may allow it, whatever it is. It is asked only so that it is written down and said. */
  readonly refused?: string;
  /** Where a runtime of its own (codex) asked, so that an answer cannot reach another question. */
  readonly origin?: QuestionOrigin;
};

/** What the policy can look into. Of a plain `tool` it knows the effect alone. */
export type Action =
  | {
      readonly kind: "command";
      /** As it would be given to a shell. */
      readonly command: string;
      /** Would it run inside a sandbox? `unknown` counts as outside. */
      readonly fence: "sandbox" | "none" | "unknown";
    }
  | {
      readonly kind: "change";
      /** Undefined: nobody knows what would be changed. */
      readonly changes: readonly FileChange[] | undefined;
      /** A folder in which everything may be written from then on. */
      readonly root?: string;
    }
  | { readonly kind: "permissions"; readonly wanted: Json }
  | {
      readonly kind: "tool";
      /** Nobody knows all of its arguments. */
      readonly unseen?: true;
    };

export type FileChange = {
  /** Absolute. */
  readonly path: string;
  readonly kind: "add" | "update" | "delete" | "move";
  readonly diff?: string;
};

export type QuestionOrigin = {
  readonly thread?: string;
  readonly item?: string;
  readonly request: string;
  /** One connection to one process of the runtime. */
  readonly epoch: string;
};

export type Choice = "once" | "session" | "always" | "deny";

export type Decision = {
  readonly choice: Choice;
  /** `not_asked`: nobody was there; never reported as a person's No. */
  readonly why: "person" | "policy" | "grant" | "timeout" | "not_asked" | "withdrawn";
  readonly by?: string;
  /** What the model and the person hear of a No that no person said. */
  readonly reason?: string;
};

/**
 * Fails closed: it always answers, and silence is a No with its reason. `call`: what the question is about; with a yes it
 * counts as begun, in the same commit.
 */
export type Ask = (question: Question, signal: AbortSignal, call?: BegunCall) => Promise<Decision>;

/** A question as it goes to every surface the session is open on, and again once it is decided. */
export type ApprovalState = {
  readonly id: ApprovalId;
  readonly question: Question;
  /** What the person is to see, line by line: whole, and nothing in it can steer a screen. */
  readonly shown: readonly string[];
  /** What may be chosen. */
  readonly choices: readonly Choice[];
  /** Milliseconds since 1970. Not set while somebody at this machine follows the session: then it has no end. */
  readonly expiresAt?: number;
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
  /** As for approvals. */
  readonly expiresAt?: number;
  readonly answers?: Answers;
  /** Nobody can answer it any more; why, unless it was answered. */
  readonly closed?: "answered" | "declined" | "timeout" | "withdrawn";
};

/** What became of an answer. Only `taken` had an effect. */
export type Answered =
  | { readonly outcome: "taken" }
  /** Somebody or something was first. */
  | { readonly outcome: "late"; readonly decision?: Decision }
  | { readonly outcome: "refused"; readonly why: string }
  | { readonly outcome: "unknown" };
