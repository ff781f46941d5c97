import { type StoredApproval, decisionOf } from "../core/ledger.ts";
import type { Announcer } from "./announcer.ts";
import { type PendingQuestion, type Outcome, failed, newRow } from "./case.ts";
import { questionWithdrawn, questionExpired } from "./stale-question.ts";
import { offeredAnswers } from "./offered-answers.ts";
import { waitForDecision } from "./waiting.ts";

/** Stored before anybody sees it, then open until it is decided or expires. `unusable`: why an earlier yes does not apply. */
export async function askPerson(
  pending: PendingQuestion,
  announce: Announcer,
  unusable: string | undefined,
): Promise<Outcome> {
  const { shared, turn, signal } = pending;
  const row = await openRow(pending, unusable);
  using waiter = shared.waiting.open(row.id, turn.from, signal);
  await shared.store.approvals.add(row, shared.owner, pending.call);
  announce.asked(row, shared.isFollowed(turn.session));
  try {
    const { expiresAt, id } = row;
    const { clock, timeoutMs } = shared;
    const closed = await waitForDecision({
      clock,
      signal,
      expiresAt,
      timeoutMs,
      waiter,
      isFollowed: () => shared.isFollowed(turn.session),
      arrived: () => announce.askedAgain(row),
      postpone: (until) => shared.store.approvals.postpone(id, until),
      look: () => decidedRow(pending, id),
      close: (how) => close(pending, id, how),
    });
    return { decision: decisionOf(closed) ?? failed("the row is open"), row: closed, asked: true };
  } catch (error) {
    shared.log(`${row.id} cannot be waited for any longer: ${String(error)}`);
    await close(pending, row.id, "withdrawn").catch(() => {});
    return { decision: failed(error), row, asked: true };
  }
}

async function openRow(pending: PendingQuestion, unusable: string | undefined): Promise<StoredApproval> {
  const { shared, turn, hash, tie } = pending;
  const before = await shared.store.approvals.askedBefore(turn.session, hash);
  const row = newRow(pending, "pending", {
    ...(before === undefined ? {} : { before }),
    ...(unusable === undefined ? {} : { unusable }),
    ...(tie !== undefined && "open" in tie ? { open: tie.open } : {}),
  });
  return { ...row, choices: offeredAnswers(pending), expiresAt: row.askedAt + shared.timeoutMs };
}

async function decidedRow(
  pending: PendingQuestion,
  id: StoredApproval["id"],
): Promise<StoredApproval | undefined> {
  const row = await pending.shared.store.approvals.get(id);
  if (row === undefined) throw new Error("the question was deleted with its session");
  return row.state === "pending" ? undefined : row;
}

function close(
  { shared }: PendingQuestion,
  id: StoredApproval["id"],
  how: "expired" | "withdrawn",
): Promise<boolean> {
  const at = shared.clock.now();
  return shared.store.approvals.resolve(id, how === "expired" ? questionExpired(at) : questionWithdrawn(at));
}
