import { Refusal } from "../core/host.ts";
import type { ScheduleId } from "../core/ids.ts";
import { short } from "../core/plain-text.ts";
import { type Principal, principalName } from "../core/principal.ts";
import type {
  AskedRun,
  ListedSchedule,
  MadeSchedule,
  NewSchedule,
  Occurrence,
  Runner,
  Schedule,
  ScheduleChange,
  StoredOutcome,
  WorkPause,
  WorkStatus,
} from "../core/work/work.ts";
import type { Clock } from "../lib/clock.ts";
import { dayStartIn } from "../lib/time-zone.ts";
import { type Owner, type Store, leaseExpiryMs } from "../store/store.ts";
import { limitsFor } from "./budget/limits.ts";
import { modelLimits } from "./by-model.ts";
import { type Maker, type ScheduleDefaults, changedSchedule, newSchedule } from "./make-schedule.ts";
import { manualRun, skillsOf } from "./occurrence.ts";
import { lastKnown } from "./planner.ts";
import { pauseWork, workPause } from "./pause.ts";
import type { WorkSettings } from "./runner.ts";
import { upcoming } from "./schedules/instants.ts";

export type CronDeps = {
  readonly store: Store;
  readonly settings: WorkSettings;
  readonly defaults: ScheduleDefaults;
  readonly clock: Clock;
  readonly isGone: (owner: Owner) => boolean;
  /** What is due may have changed. */
  readonly changed: () => void;
};

/** Schedules as people and models use them. Whatever is wrong rejects with a Refusal, and then nothing was written. */
const pausedNow = async (store: CronDeps["store"]): Promise<{ readonly paused?: WorkPause }> => {
  const paused = await workPause(store);
  return paused === undefined ? {} : { paused };
};

export type Cron = ReturnType<typeof cron>;

export function cron(deps: CronDeps) {
  const { store, clock } = deps;
  const { schedules, outcomes } = store;

  const change = async (schedule: Schedule, to: ScheduleChange): Promise<Schedule> => {
    const changed = await schedules.change(schedule.id, schedule.revision, to);
    deps.changed();
    if (changed !== undefined) return changed;
    throw new Refusal("busy", `“${schedule.name}” was changed just now.`, "Look at it, and try again.");
  };
  const begin = async (schedule: Schedule): Promise<StoredOutcome> => {
    const skills = await skillsOf(schedule.job, deps.defaults.skill);
    const row = manualRun(schedule, clock.now(), skills);
    const planned = await outcomes.plan({ schedule }, [row]);
    deps.changed();
    const stored = await outcomes.get(row.id);
    if (planned !== undefined && stored !== undefined) return stored;
    throw new Refusal("busy", `“${schedule.name}” was changed just now.`, "Try again.");
  };
  const made = async (schedule: Schedule): Promise<MadeSchedule> => ({
    ...(await listed(deps, schedule)),
    runner: await runnerOf(deps),
  });

  return {
    async add(wanted: NewSchedule, maker: Maker): Promise<MadeSchedule> {
      const schedule = await newSchedule(wanted, maker, deps.defaults, clock.now());
      await addTo(store, schedule);
      deps.changed();
      if (wanted.tryNow !== true) return made(schedule);
      const { id: tried } = await begin(schedule);
      return { ...(await made(schedule)), tried, ...(await pausedNow(store)) };
    },
    list: async (): Promise<readonly ListedSchedule[]> =>
      Promise.all((await schedules.list()).map((schedule) => listed(deps, schedule))),
    async edit(id: string, wanted: Partial<NewSchedule>): Promise<MadeSchedule> {
      const schedule = await named(store, id);
      const now = clock.now();
      const changed = await changedSchedule(schedule, wanted, deps.defaults, now);
      // Instants of its new times before now are none of its own.
      const since = wanted.when === undefined && wanted.zone === undefined ? {} : { since: now };
      return made(await change(schedule, { ...changed, ...since }));
    },
    async pause(id: string, by: Principal): Promise<ListedSchedule> {
      const schedule = await named(store, id);
      if (schedule.state === "paused") return listed(deps, schedule);
      return listed(deps, await change(schedule, { state: "paused", why: `paused by ${principalName(by)}` }));
    },
    async resume(id: string): Promise<MadeSchedule> {
      const schedule = await named(store, id);
      if (schedule.state === "active") return made(schedule);
      return made(await change(schedule, { state: "active", why: null, since: clock.now() }));
    },
    async run(id: string): Promise<AskedRun> {
      const schedule = await named(store, id);
      return askedRun(deps, occurrenceOf(schedule, await begin(schedule)));
    },
    remove: async (id: string): Promise<ListedSchedule> =>
      listed(deps, await change(await named(store, id), { state: "removed" })),
    runs: (id: string | undefined, limit: number) => runsOf(store, id, limit),
    ...whole(deps),
  };
}

async function askedRun(deps: CronDeps, run: Occurrence): Promise<AskedRun> {
  return { run, runner: await runnerOf(deps), ...(await pausedNow(deps.store)) };
}

async function addTo({ schedules }: Pick<Store, "schedules">, schedule: Schedule): Promise<void> {
  const { hourly: recent, alive } = modelLimits;
  const most = { alive, recent, since: schedule.madeAt - 3_600_000 };
  const added = await schedules.add(schedule, schedule.byModel ? most : undefined);
  if (added === "named")
    throw new Refusal("usage", `There is a schedule “${schedule.name}” already.`, "Name it otherwise.");
  if (added === "many")
    throw new Refusal("refused", `Models make ${recent} schedules an hour at most, and ${alive} in all.`, "");
}

async function runsOf(
  store: Pick<Store, "schedules" | "outcomes">,
  id: string | undefined,
  limit: number,
): Promise<readonly Occurrence[]> {
  const { schedules, outcomes } = store;
  const of = id === undefined ? {} : { subject: await subjectOf(store, id) };
  const rows = await outcomes.list({ limit, ...of });
  const known = new Map<string, Schedule | undefined>();
  for (const { subject } of rows)
    if (!known.has(subject)) known.set(subject, await schedules.get(subject as ScheduleId));
  return rows.map((row) => occurrenceOf(known.get(row.subject), row));
}

/** All work at once. */
function whole(deps: CronDeps) {
  const { store, clock } = deps;
  return {
    status: () => statusOf(deps),
    async pauseAll(by: Principal): Promise<WorkStatus> {
      await pauseWork(store, { at: clock.now(), by: principalName(by) });
      return statusOf(deps);
    },
    async resumeAll(): Promise<WorkStatus> {
      await pauseWork(store, undefined);
      deps.changed();
      return statusOf(deps);
    },
  };
}

async function statusOf(deps: CronDeps): Promise<WorkStatus> {
  const { store, settings, clock } = deps;
  const paused = await workPause(store);
  const uses = await store.workSpend.uses(limitsFor(settings.budget, dayStartIn(settings.zone, clock.now())));
  return {
    ...(paused === undefined ? {} : { paused }),
    runner: await runnerOf(deps),
    planned: (await store.outcomes.planned()).length,
    budgets: uses.map(({ key, used, limit }) => ({ key, spent: used, limit })),
  };
}

/** One, by its name, its id or a unique beginning of that. */
export async function named({ schedules }: Pick<Store, "schedules">, text: string): Promise<Schedule> {
  if (text.trim() === "") throw new Refusal("usage", "Which schedule?", "`talaria cron list` has them.");
  const [found, ...more] = await schedules.find(text);
  if (found !== undefined && more.length === 0) return found;
  throw new Refusal(
    "not_found",
    `${found === undefined ? "There is no schedule" : "There are several schedules"} ${short(text, 60)}.`,
    "`talaria cron list` has them.",
  );
}

/** Also of one that was removed, by its whole id. */
async function subjectOf(store: Pick<Store, "schedules">, text: string): Promise<string> {
  return (await store.schedules.get(text as ScheduleId))?.id ?? (await named(store, text)).id;
}

async function listed({ store, clock }: CronDeps, schedule: Schedule): Promise<ListedSchedule> {
  const [last] = await store.outcomes.list({ limit: 1, subject: schedule.id });
  const from = Math.max(clock.now(), await lastKnown(store, schedule));
  return {
    ...schedule,
    next: schedule.state === "active" ? upcoming(schedule.timing, from, 3) : [],
    ...(last === undefined ? {} : { last }),
  };
}

/** Is there a host that starts what is due? */
export async function runnerOf({
  store,
  clock,
  isGone,
}: Pick<CronDeps, "store" | "clock" | "isGone">): Promise<Runner> {
  const holder = await store.leases.dutyHolder("tick");
  if (holder === undefined || isGone(holder.owner)) return "none";
  return clock.now() - holder.heartbeat < leaseExpiryMs ? "running" : "none";
}

const occurrenceOf = (schedule: Schedule | undefined, row: StoredOutcome): Occurrence => ({
  id: row.id,
  job: row.subject as ScheduleId,
  name: schedule?.name ?? row.subject,
  due: new Date(row.instant).toISOString(),
  state: row.state,
  ...(row.reason === undefined ? {} : { reason: row.reason }),
  late_ms: row.lateMs,
  delivery: row.delivery,
  ...(row.session === undefined ? {} : { session: row.session }),
});
