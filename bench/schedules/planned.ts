import { newId } from "../../src/core/ids.ts";
import { localOwner } from "../../src/core/principal.ts";
import type { Schedule, StoredOutcome } from "../../src/core/work/work.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { type Store, leaseExpiryMs } from "../../src/store/store.ts";
import { planDue } from "../../src/work/planner.ts";
import { cron } from "../../src/work/cron.ts";
import { type Random, randomFrom } from "../random.ts";
import { wallInstants } from "./enumerator.ts";
import { type Mutant, killed } from "./mutants.ts";

export type Plan = { readonly zones: readonly string[]; readonly days: number };

export type Planned = {
  readonly schedules: number;
  /** As our own enumerator has them. */
  readonly instants: number;
  readonly looks: number;
  readonly backwards: number;
  readonly kills: number;
  readonly doubled: number;
  readonly missing: number;
  readonly unknown: number;
  readonly wrong: number;
  readonly lines: readonly string[];
};

const minute = 60_000;
const day = 86_400_000;
/** Beside those that are due once a day, some that are due in hours that are there twice or not at all. */
const expressions = ["30 2 * * *", "0 9 * * 1-5", "15 0 1,15 * *", "*/20 1-3 * * 0", "5 */6 10 * 1"];

/** Lets two schedulers look at the same schedules until the time is over, and compares. */
export async function planned(
  stores: readonly [Store, Store],
  plan: Plan,
  seed: number,
  change: Mutant,
): Promise<Planned> {
  const random = randomFrom(seed);
  const from = Date.UTC(2026, 1, 20);
  const to = from + plan.days * day;
  const clock = movedClock(from);
  const made = await makeSchedules(stores[0], plan.zones, from);
  const counts = { looks: 0, backwards: 0, kills: 0 };
  const schedulers = change(stores, clock).map((store, n) => scheduler(store, clock, random, n + 1, counts));
  while (clock.now() < to) {
    if (move(clock, random, to) < 0) counts.backwards += 1;
    await Promise.all(schedulers.filter(() => !random.oneIn(3)).map((one) => one.look()));
  }
  clock.set(to);
  for (const one of schedulers) await one.last();
  return { ...(await compared(stores[0], made, { from, to })), ...counts };
}

/** From minutes to days ahead, and now and then back. */
function move(clock: MovedClock, random: Random, to: number): number {
  const by = random.oneIn(6)
    ? -random.below(6 * 60) * minute
    : random.below(random.oneIn(4) ? 5 * 1440 : 1440) * minute;
  clock.set(Math.min(to, clock.now() + by + random.below(minute)));
  return by;
}

type Scheduler = { look(): Promise<void>; last(): Promise<void> };

function scheduler(
  store: Store,
  clock: MovedClock,
  random: Random,
  pid: number,
  counts: { looks: number; kills: number },
): Scheduler {
  const owner = { host: "here", pid, startTime: String(pid) };
  const reader = cron({
    store,
    clock,
    settings: {} as never,
    defaults: {} as never,
    isGone: () => false,
    changed: () => {},
  });
  const look = async (mayDie: boolean): Promise<boolean> => {
    // The other one hangs: its lease is over, and it goes on with it all the same.
    const taken = await store.leases.acquireDuty(
      "tick",
      owner,
      clock.now() + leaseExpiryMs + day,
      () => true,
    );
    if ("busy" in taken) return false;
    const dies = mayDie && random.oneIn(5);
    counts.looks += 1;
    if (dies) counts.kills += 1;
    const seen = dies ? killed(store, random.below(6)) : store;
    if (random.oneIn(10)) await reader.list();
    return planDue({ store: seen, clock }, taken.lease).then(
      () => true,
      () => false,
    );
  };
  return {
    look: async () => void (await look(true)),
    async last() {
      for (let tries = 0; tries < 20; tries += 1) if (await look(false)) return;
    },
  };
}

async function makeSchedules(
  store: Store,
  zones: readonly string[],
  at: number,
): Promise<readonly Schedule[]> {
  const made = zones.flatMap((zone) =>
    expressions.map((expression): Schedule => ({
      id: newId("sch", at),
      name: `${zone} ${expression}`,
      timing: { kind: "cron", expression, zone },
      job: { text: "Look.", cwd: "/", runtime: "loop", allow: [], ...terms },
      state: "active",
      by: localOwner("cli"),
      madeAt: at,
      since: at,
      depth: 1,
      byModel: false,
      revision: 1,
    })),
  );
  for (const schedule of made) await store.schedules.add(schedule);
  return made;
}

const terms = { target: "local", catchUp: "skip", overlap: "queue", jitterMs: 0 } as const;

type Compared = Omit<Planned, "looks" | "backwards" | "kills">;

async function compared(
  store: Store,
  schedules: readonly Schedule[],
  span: { readonly from: number; readonly to: number },
): Promise<Compared> {
  let [instants, doubled, missing, unknown] = [0, 0, 0, 0];
  const lines: string[] = [];
  for (const { id, name, timing } of schedules) {
    if (timing.kind !== "cron") continue;
    const expected = new Set(wallInstants(timing.expression, timing.zone, span));
    const rows = (await store.outcomes.list({ limit: 1_000_000, subject: id })).map(
      ({ instant }: StoredOutcome) => instant,
    );
    const found = new Set(rows);
    const [lost, foreign] = [without(expected, found), without(found, expected)];
    instants += expected.size;
    doubled += rows.length - found.size;
    missing += lost.length;
    unknown += foreign.length;
    for (const [what, all] of Object.entries({ "no row": lost, "not due": foreign }))
      for (const at of all) lines.push(`${name}, ${new Date(at).toISOString()}: ${what}`);
    if (rows.length > found.size) lines.push(`${name}: ${rows.length - found.size} rows too many`);
  }
  const wrong = doubled + missing + unknown;
  return {
    schedules: schedules.length,
    instants,
    doubled,
    missing,
    unknown,
    wrong,
    lines: lines.slice(0, 20),
  };
}

const without = (all: ReadonlySet<number>, some: ReadonlySet<number>): readonly number[] =>
  [...all].filter((at) => !some.has(at));

export type MovedClock = Clock & { set(at: number): void };

/** It is as late as it is set to; nobody sleeps by it. */
function movedClock(from: number): MovedClock {
  let at = from;
  return {
    now: () => at,
    monotonic: () => at,
    sleep: () => Promise.reject(new Error("nobody sleeps here")),
    set: (to) => void (at = Math.max(from, to)),
  };
}
