import type { Benefit, Revision, UseSum } from "../../core/learning.ts";
import { short } from "../../core/plain-text.ts";
import { dayMs, dayStart } from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import { activeSince } from "../files/bookkeeping.ts";
import { entryKey, entryOrigins } from "./uses.ts";

export type BenefitDeps = { readonly store: Pick<Store, "revisions" | "learnedUses">; readonly clock: Clock };

/** Fewer turns than this on either side say nothing. */
const fewestTurns = 5;
const mostTurns = 100;
const mostCompared = 100;
const mostRevisions = 5000;

/** What each skill and memory entry was used for, and how many calls turns made with it and before it. */
export async function benefit({ store }: BenefitDeps): Promise<readonly Benefit[]> {
  const origins = await learnedOrigins(store);
  const sums = [...(await store.learnedUses.sums("skill")), ...(await store.learnedUses.sums("memory"))];
  const rows: Benefit[] = [];
  for (const sum of sums.slice(0, mostCompared)) {
    const origin = origins.get(`${sum.kind} ${sum.name}`);
    // An entry that is not in any revision's text was forgotten or replaced; its uses say nothing to anybody.
    if (origin === undefined && sum.kind === "memory") continue;
    const { kind, uses, done, failed } = sum;
    const calls = origin === undefined ? {} : await comparison(store, sum, origin.since);
    rows.push({ kind, name: origin?.name ?? sum.name, uses, done, failed, ...calls });
  }
  return rows;
}

type Origin = { readonly name: string; readonly since: number };

/** By kind and the name under which uses are counted. */
async function learnedOrigins(store: BenefitDeps["store"]): Promise<ReadonlyMap<string, Origin>> {
  const active = async (kind: Revision["kind"]): Promise<readonly Revision[]> =>
    store.revisions.list({ kind, states: ["active"], limit: mostRevisions });
  const origins = new Map<string, Origin>();
  for (const [text, row] of entryOrigins(await active("memory")))
    origins.set(`memory ${entryKey(text)}`, { name: short(text, 80), since: activeSince(row) });
  for (const row of await active("skill")) {
    const name = /^skills\/(?:.*\/)?([^/]+)\/SKILL\.md$/.exec(row.file)?.[1];
    // Newest first: the last one that is seen is the one that made it.
    if (name !== undefined) origins.set(`skill ${name}`, { name, since: activeSince(row) });
  }
  return origins;
}

async function comparison(
  store: BenefitDeps["store"],
  { kind, name }: UseSum,
  learnedAt: number,
): Promise<Pick<Benefit, "callsWith" | "callsBefore">> {
  const { having, before } = await store.learnedUses.compare({ kind, name, learnedAt, most: mostTurns });
  // `before` never has more turns than `having`, so this one check covers both.
  if (before.turns < fewestTurns) return {};
  return { callsWith: having.calls / having.turns, callsBefore: before.calls / before.turns };
}

export type LearnedDay = {
  readonly day: string;
  readonly learned: number;
  readonly used: number;
  readonly calls?: number;
};

/** Each of the last days, today included. `calls`: of the turns of that day, each on average. */
export async function history({ store, clock }: BenefitDeps, days: number): Promise<readonly LearnedDay[]> {
  const from = dayStart(clock.now()) - (days - 1) * dayMs;
  const rows = await store.revisions.list({ since: from, states: ["active"], limit: mostRevisions });
  const learned = rows.filter(({ by }) => by === "agent" || by === "review").map(({ at }) => dayName(at));
  const turns = new Map((await store.learnedUses.days(from)).map((row) => [row.day, row]));
  return Array.from({ length: days }, (_, at) => {
    const day = dayName(from + at * dayMs);
    const known = turns.get(day);
    return {
      day,
      learned: learned.filter((each) => each === day).length,
      used: known?.uses ?? 0,
      ...(known === undefined || known.turns === 0 ? {} : { calls: known.calls / known.turns }),
    };
  });
}

const dayName = (at: number): string => new Date(at).toISOString().slice(0, 10);
