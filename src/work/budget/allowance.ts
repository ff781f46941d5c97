import { type SessionId, newId } from "../../core/ids.ts";
import type { Limit } from "../../core/spend.ts";
import { tokenCount } from "../../core/usage.ts";
import type { Origin, StoredOutcome } from "../../core/work/work.ts";
import type { Clock } from "../../lib/clock.ts";
import { dayStartIn } from "../../lib/time-zone.ts";
import type { Reservation, WorkLimit, WorkUse } from "../../store/schema/work-tables.ts";
import type { Store } from "../../store/store.ts";
import { workPause } from "../pause.ts";
import { type WorkBudget, alerts, amount, limitsFor } from "./limits.ts";

type BudgetDeps = {
  readonly store: Pick<Store, "workSpend" | "outcomes" | "meta" | "goals" | "usage" | "sessions">;
  readonly settings: { readonly budget: WorkBudget; readonly zone: string; readonly run: Limit };
  readonly clock: Clock;
};

/** A piece of work that has no row of its own in a schedule: a turn of a goal, a delegated task, a review. */
export type Piece = {
  /** No other piece has it. */
  readonly id: string;
  readonly origin: "goal" | "delegate" | "review";
  readonly subject: string;
  /** What it may use. */
  readonly may: Limit;
  /** The session that has handed it on: what such a piece takes counts with that one, if it is work itself. */
  readonly within?: SessionId;
};

type PieceEnd = Pick<StoredOutcome, "reason"> & { readonly state: "ran" | "failed" };

/** All that a session has used since then, with those that it began. */
type SpentIn = { readonly session: SessionId; readonly since: number };

export type Allowance = {
  /** What a turn may use of which nothing else is said. */
  readonly may: Limit;
  /** Why nothing of this origin may begin now, of which no row is made. */
  closed(origin: Piece["origin"]): Promise<string | undefined>;
  /** Takes what it may use out of all budgets, before it begins. A text: why it may not, which is its outcome then. */
  take(piece: Piece): Promise<string | undefined>;
  /** What it took takes the place of what it might have, once. `end`: that is its outcome. */
  settle(
    piece: Pick<Piece, "id" | "origin" | "subject">,
    spent: Required<Limit> | SpentIn,
    end?: PieceEnd,
  ): Promise<void>;
  /** What became of something as a whole. */
  note(of: Pick<Piece, "origin" | "subject">, end: PieceEnd): Promise<void>;
};

export function allowance(deps: BudgetDeps): Allowance {
  const { store, clock, settings } = deps;
  const note = async (
    { origin, subject }: Pick<Piece, "origin" | "subject">,
    { state, reason }: Pick<StoredOutcome, "state" | "reason">,
  ): Promise<void> => {
    const at = clock.now();
    const about = { id: newId("out", at), kind: origin, subject, instant: at, at, settledAt: at } as const;
    // Whoever wanted it is told where they are.
    const told = { target: "local", delivery: "none", lateMs: 0 } as const;
    await store.outcomes.note({ ...about, ...told, state, ...(reason === undefined ? {} : { reason }) });
  };
  return {
    may: settings.run,
    note,
    async closed(origin) {
      const paused = await pausedWords(store);
      if (paused !== undefined) return paused;
      const full = await fullLimit(deps, origin);
      return full && notAllowed(full);
    },
    async take(piece) {
      const why = (await pausedWords(store)) ?? (await reserveFor(deps, piece));
      if (why !== undefined) await note(piece, { state: "skipped", reason: why });
      return why;
    },
    async settle(piece, spent, end) {
      const known = "session" in spent ? await spentSince(store, spent) : spent;
      const isFirst = await store.workSpend.settle(piece.id as Reservation["inbox"], known);
      if (end !== undefined && isFirst) await note(piece, end);
    },
  };
}

async function spentSince(
  { usage }: BudgetDeps["store"],
  { session, since }: SpentIn,
): Promise<Required<Limit>> {
  const sum = await usage.sum({ session, from: since });
  return { tokens: tokenCount(sum), usd: sum.cost ?? 0 };
}

async function pausedWords(store: BudgetDeps["store"]): Promise<string | undefined> {
  const paused = await workPause(store);
  return paused && `all work that nobody types is paused, by ${paused.by} (talaria work resume)`;
}

/** Of those of today, one that leaves nothing for this origin. */
export async function fullLimit(
  { store, settings, clock }: ReserveDeps,
  origin: Origin,
): Promise<WorkUse | undefined> {
  const limits = limitsFor(settings.budget, dayStartIn(settings.zone, clock.now()), { origin, subject: "" });
  return (await store.workSpend.uses(limits)).find(({ used, limit }) => used >= limit);
}

async function reserveFor(deps: BudgetDeps, piece: Piece): Promise<string | undefined> {
  const { id, origin, subject, may, within } = piece;
  if (within !== undefined && (await isWork(deps.store, within))) return undefined;
  const { tokens = 0, usd = 0 } = may;
  return reserve(deps, { inbox: id as Reservation["inbox"], origin, subject, tokens, usd });
}

const isWork = async (
  { outcomes, goals, sessions }: BudgetDeps["store"],
  session: SessionId,
): Promise<boolean> =>
  (await outcomes.ofSession(session))?.state === "planned" ||
  (await goals.of(session))?.state === "active" ||
  ["card", "delegate"].includes((await sessions.get(session))?.surface ?? "");

type ReserveDeps = {
  readonly store: Pick<Store, "workSpend" | "outcomes">;
  readonly settings: Pick<BudgetDeps["settings"], "budget" | "zone">;
  readonly clock: Clock;
};

/** Within all limits of today. A text: which of them does not allow it. */
export async function reserve(
  deps: ReserveDeps,
  wanted: Omit<Reservation, "at">,
): Promise<string | undefined> {
  const full = await takeOut(deps, wanted);
  return full && notAllowed(full);
}

/**
 * Takes it out of all limits of today, whose marks are told of, and of those `beside` them. Gives the one that does not
 * allow it; nothing is taken then.
 */
export async function takeOut(
  { store, settings, clock }: ReserveDeps,
  wanted: Omit<Reservation, "at">,
  beside: readonly WorkLimit[] = [],
): Promise<WorkUse | undefined> {
  const now = clock.now();
  const limits = limitsFor(settings.budget, dayStartIn(settings.zone, now), wanted);
  const reserved = await store.workSpend.reserve({ ...wanted, at: now }, [...limits, ...beside]);
  const uses = "full" in reserved ? [reserved.full] : reserved.uses;
  const marked = uses.filter(({ key }) => limits.some((limit) => limit.key === key));
  for (const alert of alerts(marked, now)) await store.outcomes.note(alert);
  return "full" in reserved ? reserved.full : undefined;
}

const notAllowed = (full: WorkUse): string =>
  `${full.key} does not allow it: ${amount(full)} are taken or reserved today`;
