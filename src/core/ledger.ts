import type { Answers, Choice, Decision, Form, Question } from "./asking.ts";
import type { Principal } from "./principal.ts";
import type { StoredInput, StoredTurn } from "./session.ts";
import type { ApprovalId, GrantId, InquiryId, SessionId, TurnId } from "./ids.ts";

/**
 * One transition, from `pending`: to what was chosen, or to why nobody chose. `allowed` and `refused` were decided
 * without a question.
 */
export type ApprovalRowState =
  | "pending"
  | "once"
  | "session"
  | "always"
  | "denied"
  | "expired"
  | "withdrawn"
  | "allowed"
  | "refused";

/** A row of the ledger: what was to be done, what was shown, who decided. */
export type StoredApproval = {
  readonly id: ApprovalId;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly runtime: string;
  readonly surface: string;
  /** Whose turn it belongs to. */
  readonly asker: Principal;
  /** Names the exact action: tool, arguments, folder. */
  readonly hash: string;
  /** What a lasting yes to it is tied to. */
  readonly bound?: Bound;
  readonly question: Question;
  readonly shown: readonly string[];
  readonly choices: readonly Choice[];
  readonly labels: readonly string[];
  readonly state: ApprovalRowState;
  readonly why?: Decision["why"];
  readonly by?: string;
  readonly reason?: string;
  readonly askedAt: number;
  readonly expiresAt: number;
  readonly decidedAt?: number;
};

export type StoredInquiry = {
  readonly id: InquiryId;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly form: Form;
  readonly state: "pending" | "answered" | "declined" | "expired" | "withdrawn";
  readonly answers?: Answers;
  readonly by?: string;
  readonly askedAt: number;
  readonly expiresAt: number;
  readonly decidedAt?: number;
};

/** `asks`: open questions of its turn. */
export type InputFate = StoredInput & { readonly ran?: StoredTurn; readonly asks: readonly StoredApproval[] };

/** Files that an action rests on, each with what it was: its place and its content. */
export type Bound = { readonly [file: string]: string };

/** A standing yes to one exact action. */
export type StoredGrant = {
  readonly id: GrantId;
  /** `session`: ends with the session or at `expiresAt` · `always`: until revoked · `work`: for unattended work. */
  readonly scope: "session" | "always" | "work";
  readonly session?: SessionId;
  readonly hash: string;
  /** It holds only while these files are what they were. */
  readonly bound?: Bound;
  readonly summary: string;
  readonly tool: string;
  readonly cwd: string;
  readonly by: string;
  readonly madeAt: number;
  readonly expiresAt?: number;
  /** How often it may still be used; unlimited when it is not set. */
  readonly left?: number;
  readonly revokedAt?: number;
};

/** Names a command that work may run without a question, in place of the hash of an action: its arguments are not known before. */
export const grantedCommandKey = (command: string, cwd: string): string =>
  `command ${JSON.stringify([cwd, command.trim()])}`;

/** Names a tool that work may use without a question, whatever its arguments are. */
export const grantedToolKey = (tool: string): string => `tool ${JSON.stringify(tool)}`;

/** The decision that a row holds; undefined while there is none. */
export function decisionOf({ state, why, by, reason }: StoredApproval): Decision | undefined {
  const who = { ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) };
  switch (state) {
    case "pending":
      return undefined;
    case "once":
    case "session":
    case "always":
      return { choice: state, why: why ?? "person", ...who };
    case "denied":
      return { choice: "deny", why: why ?? "person", ...who };
    case "expired":
      return { choice: "deny", why: why ?? "timeout", ...who };
    case "withdrawn":
      return { choice: "deny", why: why ?? "withdrawn", ...who };
    case "allowed":
      return { choice: "once", why: why ?? "policy", ...who };
    case "refused":
      return { choice: "deny", why: why ?? "policy", ...who };
  }
}
