import type { Decision, Question } from "../core/asking.ts";
import { newId } from "../core/ids.ts";
import type { BegunCall } from "../core/items.ts";
import type { ApprovalRowState, StoredApproval } from "../core/ledger.ts";
import type { AskingTurn, Shared } from "./broker-types.ts";
import type { Verdict } from "./policy/policy.ts";
import { type ShownExtras, shownLines } from "./shown.ts";
import { type Tie, boundOf } from "./tie.ts";

/** One question on its way to a decision. */
export type PendingQuestion = {
  readonly shared: Shared;
  readonly turn: AskingTurn;
  readonly question: Question;
  readonly signal: AbortSignal;
  /** The identity of its cwd when it was asked. */
  readonly folder: string | undefined;
  readonly hash: string;
  /** What a lasting yes to it would be tied to when it was asked. */
  readonly tie: Tie | undefined;
  readonly verdict: Verdict;
  /** The call that a yes begins. */
  readonly call: BegunCall | undefined;
};

/** A decision and the row it rests on. `asked`: surfaces have seen the question. */
export type Outcome = { readonly decision: Decision; readonly row: StoredApproval; readonly asked: boolean };

/** Decided without a question. A yes that cannot be recorded does not count; a no does. */
export async function recordDecision(pending: PendingQuestion, decision: Decision): Promise<Outcome> {
  const { shared, verdict } = pending;
  const { choice, why, by, reason = verdict.reason } = decision;
  const row: StoredApproval = {
    ...newRow(pending, choice === "deny" ? "refused" : "allowed"),
    why,
    ...(by === undefined ? {} : { by }),
    ...(why === "grant" ? {} : { reason }),
    decidedAt: shared.clock.now(),
  };
  try {
    await shared.store.approvals.add(row, shared.owner, choice === "deny" ? undefined : pending.call);
  } catch (error) {
    if (choice !== "deny") throw error;
    shared.log(`a refusal of ${pending.question.tool} could not be written down: ${String(error)}`);
  }
  return { decision, row, asked: false };
}

/** A decided row does not change, so a yes that was not used is recorded in a second row. */
export async function recordUnused(
  pending: PendingQuestion,
  allowed: StoredApproval,
  why: string,
): Promise<void> {
  const { shared } = pending;
  const row: StoredApproval = {
    ...newRow(pending, "withdrawn"),
    shown: allowed.shown,
    why: "withdrawn",
    reason: `allowed as ${allowed.id}, but not used: ${why}`,
    decidedAt: shared.clock.now(),
  };
  await shared.store.approvals.add(row, shared.owner).catch((error: unknown) => {
    shared.log(
      `${allowed.id} was allowed and not used (${why}); that could not be written down: ${String(error)}`,
    );
  });
}

export function newRow(
  pending: PendingQuestion,
  state: ApprovalRowState,
  also: ShownExtras = {},
): StoredApproval {
  const { turn, question, hash, tie, verdict, shared } = pending;
  const askedAt = shared.clock.now();
  const bound = boundOf(tie);
  return {
    id: newId("apr", askedAt),
    session: turn.session,
    turn: turn.turn,
    runtime: turn.runtime,
    surface: turn.surface,
    asker: turn.from,
    hash,
    ...(bound === undefined ? {} : { bound }),
    question,
    shown: shownLines(question, turn.runtime, { because: verdict.reason, labels: verdict.labels, ...also }),
    choices: [],
    labels: verdict.labels,
    state,
    askedAt,
    expiresAt: askedAt,
  };
}

export const withdrawn = (reason = ""): Decision => ({ choice: "deny", why: "withdrawn", reason });

export const failed = (error: unknown): Decision => ({
  choice: "deny",
  why: "policy",
  reason: `not allowed: the question could not be asked (${error instanceof Error ? error.message : String(error)})`,
});
