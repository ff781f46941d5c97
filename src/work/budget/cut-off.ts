import type { SessionId } from "../../core/ids.ts";
import type { Limit } from "../../core/spend.ts";
import { tokenCount } from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Owner, Store } from "../../store/store.ts";
import type { Allowance } from "./allowance.ts";

type CutOffDeps = {
  readonly store: Pick<Store, "workSpend" | "sessions" | "reviews" | "usage">;
  readonly allowance: Pick<Allowance, "settle">;
  readonly isGone: (owner: Owner) => boolean;
  readonly clock: Clock;
};

type Left = Awaited<ReturnType<Store["workSpend"]["open"]>>[number];

/**
 * Delegated tasks and reviews of processes that are gone have their outcome, and give back what was reserved for them. After
 * turns that were cut off are closed. Gives how many there were.
 */
export async function settleCutOff(deps: CutOffDeps): Promise<number> {
  let found = 0;
  for (const origin of ["delegate", "review"] as const)
    for (const left of await deps.store.workSpend.open(origin)) {
      if (await isAtWork[origin](deps, left)) continue;
      const piece = { id: left.inbox, origin, subject: left.subject };
      await deps.allowance.settle(piece, await spentOn[origin](deps, left), { state: "failed", reason });
      found += 1;
    }
  return found;
}

const reason = "Talaria was ended or has crashed while it ran; it is not begun again by itself";

/** Between its reservation and its session lie milliseconds. */
const begunWithinMs = 600_000;

type OfEach<T> = Readonly<Record<"delegate" | "review", (deps: CutOffDeps, left: Left) => Promise<T>>>;

const isAtWork: OfEach<boolean> = {
  /** It ends before the turn that handed it on. */
  async delegate({ store, clock }, { subject, at }) {
    const session = await store.sessions.get(subject as SessionId);
    if (session === undefined) return clock.now() - at < begunWithinMs;
    const of = [session.id, ...(session.parent === undefined ? [] : [session.parent])];
    const last = await Promise.all(of.map(async (id) => (await store.sessions.lastTurns(id, 1))[0]));
    return last.some((turn) => turn?.state === "open");
  },
  async review({ store, isGone }, { subject }) {
    const all = await store.reviews.list(subject as SessionId);
    return all.some(({ state, owner }) => state === "running" && !isGone(owner));
  },
};

const spentOn: OfEach<Required<Limit>> = {
  async delegate({ store }, { subject }) {
    const sum = await store.usage.sum({ session: subject as SessionId });
    return { tokens: tokenCount(sum), usd: sum.cost ?? 0 };
  },
  async review({ store }, { subject, at }) {
    const all = await store.usage.groups({ session: subject as SessionId, from: at });
    const own = all.filter(({ cause }) => cause === "background_review");
    return {
      tokens: own.reduce((sum, group) => sum + tokenCount(group), 0),
      usd: own.reduce((sum, { cost = 0 }) => sum + cost, 0),
    };
  },
};
