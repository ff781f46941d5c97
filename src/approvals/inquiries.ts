import type { Answered, Answers, Inquire, InquiryState } from "../core/asking.ts";
import { type Caller, principalName } from "../core/principal.ts";
import { type InquiryId, newId } from "../core/ids.ts";
import type { StoredInquiry } from "../core/ledger.ts";
import type { Announcer } from "./announcer.ts";
import type { AskingTurn, Shared } from "./broker-types.ts";
import { staleResolution } from "./stale-question.ts";
import { whyMayNotReply } from "./principal.ts";
import { type Closing, waitForDecision } from "./waiting.ts";

/** Questions for information are kept and waited for like those for permission. Silence is no answer. */
export function makeInquire(shared: Shared, turn: AskingTurn, announce: Announcer): Inquire {
  return async (form, signal) => {
    const isThere = turn.attended === "ask" || turn.attended === "yolo";
    if (!isThere || signal.aborted) return undefined;
    const { clock, timeoutMs, store } = shared;
    const askedAt = clock.now();
    const { session, turn: asking } = turn;
    const expiresAt = askedAt + timeoutMs;
    const id = newId("inq", askedAt);
    const row: StoredInquiry = { id, session, turn: asking, form, state: "pending", askedAt, expiresAt };
    using waiter = shared.waiting.open(id, turn.from, signal);
    try {
      await store.inquiries.add(row, shared.owner);
    } catch (error) {
      shared.log(`the question "${form.title}" could not be asked: ${String(error)}`);
      return undefined;
    }
    const isFollowed = (): boolean => shared.isFollowed(session);
    announce.inquired(isFollowed() ? { id, form } : { id, form, expiresAt });
    const closed = await settled(shared, row, () =>
      waitForDecision({
        clock,
        signal,
        expiresAt,
        timeoutMs,
        waiter,
        isFollowed,
        arrived: () => announce.inquiredAgain({ id, form }),
        postpone: (until) => store.inquiries.postpone(id, until),
        look: () => decidedRow(shared, id),
        close: (how) => close(shared, id, how),
      }),
    );
    const last =
      signal.aborted && closed.state === "answered" ? { ...row, state: "withdrawn" as const } : closed;
    announce.closed(stateOf(last));
    return last.answers;
  };
}

/** `undefined` declines to answer. */
export async function replyTo(
  shared: Shared,
  id: InquiryId,
  answers: Answers | undefined,
  by: Caller,
): Promise<Answered> {
  const { inquiries } = shared.store;
  const row = await inquiries.get(id);
  if (row === undefined) return { outcome: "unknown" };
  const why = whyMayNotReply(by, shared.waiting.askerOf(id));
  if (why !== undefined) return { outcome: "refused", why };
  if (row.state !== "pending" || (await closeIfStale(shared, id))) return { outcome: "late" };
  const at = shared.clock.now();
  const taken = await inquiries.resolve(id, {
    by: principalName(by),
    at,
    ...(answers === undefined ? { state: "declined" } : { state: "answered", answers }),
  });
  shared.waiting.wake(id);
  return { outcome: taken ? "taken" : "late" };
}

/** If the store fails, the question counts as withdrawn. */
async function settled(
  shared: Shared,
  row: StoredInquiry,
  wait: () => Promise<StoredInquiry>,
): Promise<StoredInquiry> {
  try {
    return await wait();
  } catch (error) {
    shared.log(`${row.id} cannot be waited for any longer: ${String(error)}`);
    await close(shared, row.id, "withdrawn").catch(() => {});
    return { ...row, state: "withdrawn" };
  }
}

async function decidedRow(shared: Shared, id: InquiryId): Promise<StoredInquiry | undefined> {
  const row = await shared.store.inquiries.get(id);
  if (row === undefined) throw new Error("the question was deleted with its session");
  return row.state === "pending" ? undefined : row;
}

const close = (shared: Shared, id: InquiryId, state: Closing): Promise<boolean> =>
  shared.store.inquiries.resolve(id, { state, at: shared.clock.now() });

/** Closes a question for which nobody waits any more, so that no answer can be accepted. */
async function closeIfStale(shared: Shared, id: InquiryId): Promise<boolean> {
  const waiting = (await shared.store.inquiries.waiting()).find(({ row }) => row.id === id);
  if (waiting === undefined) return true;
  const found = staleResolution(shared, waiting.row, waiting.owner);
  if (found === undefined) return false;
  await close(shared, id, found.state === "withdrawn" ? "withdrawn" : "expired");
  return true;
}

const closings = {
  answered: "answered",
  declined: "declined",
  expired: "timeout",
  withdrawn: "withdrawn",
} as const;

const stateOf = ({ id, form, answers, state }: StoredInquiry): InquiryState => ({
  id,
  form,
  ...(answers === undefined ? {} : { answers }),
  ...(state === "pending" ? {} : { closed: closings[state] }),
});
