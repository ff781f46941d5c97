import type { StoredTurn } from "../../core/session.ts";
import type { BatchResult } from "../../core/work/batch.ts";

/** What is known of an attempt that runs no more. */
export type EndedAttempt = {
  /** `undefined`: it could not be begun. */
  readonly turn: Pick<StoredTurn, "state" | "fault"> | undefined;
  /** It has called a tool. */
  readonly hasCalls: boolean;
  /** It has said or done something. */
  readonly hasItems: boolean;
  /** What it wanted to do, and nobody was there to allow. */
  readonly notAsked: readonly string[];
  /** Somebody has stopped it: it was neither cut off by a crash nor by the end of its host. */
  readonly wasStopped: boolean;
};

export type Verdict = Pick<BatchResult, "status" | "error"> | { readonly againInMs: number };

/** After which times a line is tried again whose model was not reached. */
const againAfterMs = [5000, 30_000];
/** A line that is cut off every time does something to its host. */
const mostAttempts = 5;

/** Whether that is its result, or it is tried again. Pure: whoever looks, before or after a crash, sees the same. */
export function verdictOf(ended: EndedAttempt, attempt: number): Verdict {
  const { turn, hasCalls, hasItems, notAsked, wasStopped } = ended;
  if (turn === undefined) return { status: "failed", error: "it could not be begun" };
  const { state, fault } = turn;
  const again = againAfterMs[attempt - 1];
  if (fault !== undefined && unreached.has(fault.code) && !hasItems && again !== undefined)
    return { againInMs: again };
  if (state === "interrupted" || state === "unconfirmed") {
    if (wasStopped) return { status: "interrupted", error: "it was stopped" };
    if (!hasCalls && attempt < mostAttempts) return { againInMs: 0 };
    return { status: "interrupted", error: hasCalls ? cutOff : `it was cut off ${attempt} times` };
  }
  if (notAsked.length > 0)
    return {
      status: "refused",
      error: `it needed an approval, and nobody was there to ask: ${notAsked.join("; ")}`,
    };
  if (state === "done") return { status: "done" };
  return { status: "failed", error: fault?.message ?? "it has failed" };
}

const cutOff = "it was cut off after it had begun to do something, which is not done twice by itself";

/** The model was not reached, or would not begin. */
const unreached: ReadonlySet<string> = new Set(["network", "overloaded", "rate_limited"]);
