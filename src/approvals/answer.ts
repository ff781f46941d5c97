import type { Answered, Choice } from "../core/asking.ts";
import { type Caller, type Principal, principalName } from "../core/principal.ts";
import { type ApprovalId, newId } from "../core/ids.ts";
import { type StoredApproval, type StoredGrant, decisionOf } from "../core/ledger.ts";
import type { Shared } from "./broker-types.ts";
import { staleResolution } from "./stale-question.ts";
import { whyMayNotAnswer } from "./principal.ts";

/** How long a yes for the session holds when the session does not end. */
export const sessionGrantMs = 8 * 60 * 60 * 1000;

/** The first answer from somebody who may answer decides; any other changes nothing. */
export async function answerQuestion(
  shared: Shared,
  id: ApprovalId,
  choice: Choice,
  by: Caller,
): Promise<Answered> {
  const { approvals } = shared.store;
  const row = await approvals.get(id);
  if (row === undefined) return { outcome: "unknown" };
  const why = whyMayNotAnswer(by, choice, row);
  if (why !== undefined) return { outcome: "refused", why };
  if (row.state !== "pending") return late(row);
  if (await closeIfStale(shared, row)) return late(await approvals.get(id));
  const at = shared.clock.now();
  const grant = grantOf(row, choice, by, at);
  const taken = await approvals.resolve(id, {
    state: choice === "deny" ? "denied" : choice,
    why: "person",
    by: principalName(by),
    at,
    ...(grant === undefined ? {} : { grant }),
  });
  shared.waiting.wake(id);
  return taken ? { outcome: "taken" } : late(await approvals.get(id));
}

/** Closes a question for which nobody waits any more, so that no answer can be accepted. */
async function closeIfStale(shared: Shared, { id }: StoredApproval): Promise<boolean> {
  const { approvals } = shared.store;
  const waiting = (await approvals.waiting()).find(({ row }) => row.id === id);
  if (waiting === undefined) return true;
  const resolution = staleResolution(shared, waiting.row, waiting.owner);
  if (resolution === undefined) return false;
  await approvals.resolve(id, resolution);
  return true;
}

function late(row: StoredApproval | undefined): Answered {
  const decision = row && decisionOf(row);
  return decision === undefined ? { outcome: "late" } : { outcome: "late", decision };
}

/** `session` and `always` become grants for exactly this action. */
function grantOf(row: StoredApproval, choice: Choice, by: Principal, at: number): StoredGrant | undefined {
  if (choice !== "session" && choice !== "always") return undefined;
  const { question, hash, bound, session } = row;
  return {
    id: newId("grn", at),
    scope: choice,
    hash,
    ...(bound === undefined ? {} : { bound }),
    summary: question.summary,
    tool: question.tool,
    cwd: question.cwd,
    by: principalName(by),
    madeAt: at,
    ...(choice === "session" ? { session, expiresAt: at + sessionGrantMs } : {}),
  };
}
