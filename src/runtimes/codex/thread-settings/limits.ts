import type { CodexPlan } from "../plan.ts";

/** What the person's own codex settings say about limits. */
export type OwnLimits = {
  /** A sandbox, in one way or another. */
  readonly limitsAreSet: boolean;
  readonly sandbox: unknown;
  readonly profile: unknown;
  /** How `workspace-write` is to be. */
  readonly workspace?: OwnWorkspace;
  /** What may be written by profiles of theirs, in the words of these. */
  readonly written?: readonly string[];
  /** When codex asks. */
  readonly policyIsSet: boolean;
};

/** Folders besides the working one, whether there is a network, and which folders for temporary files are left out. */
export type OwnWorkspace = {
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
export const areOurs = ({ sandbox }: CodexPlan, { limitsAreSet }: OwnLimits): boolean =>
  sandbox !== undefined || !limitsAreSet;

/**
 * Codex's sandbox lets commands write everywhere in their folder, and nobody is asked. Where our own settings and memory are
 * in it, they may write nothing by themselves: what they ask for is then looked at.
 */
export function isNarrowed(plan: CodexPlan, own: OwnLimits): boolean {
  if (plan.holdsGuarded !== true) return false;
  const chosen = areOurs(plan, own) ? (plan.sandbox ?? "workspace-write") : (own.profile ?? own.sandbox);
  return !String(chosen).includes("danger");
}

/**
 * Sandbox and approval policy. What nobody set stays with the person's codex settings, with two exceptions: codex's own
 * sandbox, read-only, would block or ask at every write; and its own policy for a folder that is not trusted would run
 * each command that was allowed once more, outside of the sandbox.
 */
export function limits(plan: CodexPlan, own: OwnLimits): Limits {
  const { sandbox, network } = plan;
  if (isNarrowed(plan, own)) {
    const asks = areOurs(plan, own) || !own.policyIsSet;
    return { sandbox: "read-only", ...(asks ? { approvalPolicy: "on-request" } : {}) };
  }
  if (areOurs(plan, own)) return { sandbox: sandbox ?? "workspace-write", approvalPolicy: "on-request" };
  const policy = own.policyIsSet ? {} : ({ approvalPolicy: "on-request" } as const);
  // The profile never has a network; the sandbox that it stands for can be given one.
  return network && own.profile === ":workspace" ? { sandbox: "workspace-write", ...policy } : policy;
}
