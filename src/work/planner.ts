import type { Schedule } from "../core/work/work.ts";
import type { DutyLease } from "../store/schema/lease-tables.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { SkillReader } from "./make-schedule.ts";
import { occurrence, skillsOf } from "./occurrence.ts";
import { workPause } from "./pause.ts";
import { fates } from "./schedules/fate.ts";
import { instantsBetween, nextAfter } from "./schedules/instants.ts";

type Deps = {
  readonly store: Pick<Store, "schedules" | "outcomes" | "meta">;
  readonly clock: Clock;
  readonly skill?: SkillReader | undefined;
};

/** Rows that are written together: more would keep others waiting. */
const page = 200;

/**
 * Every instant of every schedule that is due by now becomes one row. When the next one is due is read off the rows that are
 * there, and kept nowhere.
 */
export async function planDue({ store, clock, skill }: Deps, lease: DutyLease): Promise<number | undefined> {
  const isPaused = (await workPause(store)) !== undefined;
  let next: number | undefined;
  const schedules = await store.schedules.list();
  // Read once: whoever has the lease is the only one who adds to them.
  const known = await store.outcomes.lastInstants();
  for (const schedule of schedules) {
    if (schedule.state !== "active") continue;
    const now = clock.now();
    const from = Math.max(schedule.since, known.get(schedule.id) ?? 0);
    const instants = await allBetween(schedule, from, now);
    if (instants.length > 0) await planAll(store, lease, schedule, instants, { now, isPaused, skill });
    const coming = nextAfter(schedule.timing, Math.max(from, now));
    if (coming !== undefined) next = Math.min(coming, next ?? coming);
  }
  return next;
}

/** Instants up to this one have their row, or are none of its own. */
export const lastKnown = async (
  { outcomes }: Pick<Store, "outcomes">,
  { id, since }: Pick<Schedule, "id" | "since">,
): Promise<number> => Math.max(since, (await outcomes.lastInstant(id)) ?? 0);

async function planAll(
  { outcomes }: Pick<Store, "outcomes">,
  lease: DutyLease,
  schedule: Schedule,
  instants: readonly number[],
  { now, isPaused, skill }: Pick<Deps, "skill"> & { readonly now: number; readonly isPaused: boolean },
): Promise<void> {
  const isRunning = (await outcomes.planned(schedule.id)).length > 0;
  const { catchUp, overlap } = schedule.job;
  const all = fates(instants, { now, catchUp, overlap, isRunning, isPaused });
  const skills = await skillsOf(schedule.job, skill);
  for (let at = 0; at < all.length; at += page) {
    const rows = all.slice(at, at + page).map((fate) => occurrence(schedule, fate, now, skills));
    // Changed meanwhile: the next look sees it as it is.
    if ((await outcomes.plan({ schedule, lease }, rows)) === undefined) return;
  }
}

/** After a long time there may be many, and to find one takes a while: others are let in between. */
async function allBetween({ timing }: Schedule, from: number, to: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (;;) {
    const some = instantsBetween(timing, found.at(-1) ?? from, to, page);
    found.push(...some);
    if (some.length < page) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
