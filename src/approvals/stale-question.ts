import type { SessionId } from "../core/ids.ts";
import { isSameProcess } from "../lib/process/process-identity.ts";
import type { Owner, Resolution } from "../store/store.ts";
import type { Shared } from "./broker-types.ts";

/** Why nobody can use an answer to this row any more; undefined when somebody waits for it. */
export function staleResolution(
  shared: Shared,
  row: { readonly id: string; readonly session: SessionId; readonly expiresAt: number },
  owner: Owner,
): Resolution | undefined {
  const at = shared.clock.now();
  if (shared.isGone(owner)) return processEnded(at);
  const isOurs = isSameProcess(owner, shared.owner);
  if (isOurs && shared.waiting.askerOf(row.id) === undefined) return questionWithdrawn(at);
  // After the machine has slept, the time in the row may be past although the person still sees the question.
  if (isOurs && shared.isFollowed(row.session)) return undefined;
  return at >= row.expiresAt ? questionExpired(at) : undefined;
}

/** The process that would have told the person is gone, so they are told later. */
export const processEnded = (at: number): Resolution => ({
  state: "expired",
  why: "withdrawn",
  reason: "Talaria was ended while the question was open",
  at,
  tell: true,
});

export const questionWithdrawn = (at: number): Resolution => ({
  state: "withdrawn",
  why: "withdrawn",
  reason: "question withdrawn: the turn was stopped",
  at,
});

export const questionExpired = (at: number): Resolution => ({
  state: "expired",
  why: "timeout",
  reason: "not allowed: nobody answered in time",
  at,
});
