import type { CodexPlan } from "../plan.ts";

/** What the person's own codex settings say about limits. */
export type UserLimits = {
  /** A sandbox, in one way or another. */
  readonly limitsAreSet: boolean;
  readonly sandbox: unknown;
  readonly profile: unknown;
  /** The network is open in that profile. */
  readonly profileHasNetwork?: boolean;
  /** How `workspace-write` is to be. */
  readonly workspace?: UserWorkspace;
  /** What may be written by profiles of theirs, in the words of these. */
  readonly written?: readonly string[];
  /** When codex asks. */
  readonly policyIsSet: boolean;
};

/** Folders besides the working one, whether there is a network, and which folders for temporary files are left out. */
export type UserWorkspace = {
  readonly roots: readonly string[];
  readonly network: boolean;
  readonly withoutTmp?: boolean;
  readonly withoutTmpdir?: boolean;
};

/** Fields of `thread/start` and `thread/resume`. */
export type Limits = {
  readonly sandbox?: NonNullable<CodexPlan["sandbox"]>;
  readonly approvalPolicy?: "on-request";
};

/** Is the sandbox ours to choose? */
export const sandboxIsOurs = ({ sandbox }: CodexPlan, { limitsAreSet }: UserLimits): boolean =>
  sandbox !== undefined || !limitsAreSet;

/**
 * Codex's sandbox lets commands write everywhere in their folder, and nobody is asked. Where our own settings and memory are
 * in it, they may write nothing by themselves: what they ask for is then looked at.
 */
export function isNarrowed(plan: CodexPlan, user: UserLimits): boolean {
  if (plan.holdsGuarded !== true) return false;
  const chosen = sandboxIsOurs(plan, user)
    ? (plan.sandbox ?? "workspace-write")
    : (user.profile ?? user.sandbox);
  return !String(chosen).includes("danger");
}

/**
 * Sandbox and approval policy. What nobody set stays with the person's codex settings, with two exceptions: codex's own
 * sandbox, read-only, would block or ask at every write; and its own policy for a folder that is not trusted would run
 * each command that was allowed once more, outside of the sandbox.
 */
export function limits(plan: CodexPlan, user: UserLimits): Limits {
  const { sandbox, network } = plan;
  if (isNarrowed(plan, user)) {
    const asks = sandboxIsOurs(plan, user) || !user.policyIsSet;
    return { sandbox: "read-only", ...(asks ? { approvalPolicy: "on-request" } : {}) };
  }
  if (sandboxIsOurs(plan, user))
    return { sandbox: sandbox ?? "workspace-write", approvalPolicy: "on-request" };
  const policy = user.policyIsSet ? {} : ({ approvalPolicy: "on-request" } as const);
  // The profile never has a network; the sandbox that it stands for can be given one.
  return network && user.profile === ":workspace" ? { sandbox: "workspace-write", ...policy } : policy;
}
