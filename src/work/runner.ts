import type { Agent } from "../agent/index.ts";
import { FaultError } from "../core/faults.ts";
import { Refusal } from "../core/host.ts";
import { messageText } from "../core/messages.ts";
import type { StoredInput } from "../core/session.ts";
import type { Limit } from "../core/spend.ts";
import type { Schedule, StoredOutcome } from "../core/work/work.ts";
import type { Clock } from "../lib/clock.ts";
import type { Settled } from "../store/schema/work-tables.ts";
import type { Store } from "../store/store.ts";
import { reserve } from "./budget/allowance.ts";
import type { WorkBudget } from "./budget/limits.ts";
import type { WorkSource } from "./dispatch/dispatcher.ts";
import { type Ended, endingOf } from "./ending.ts";
import type { SkillReader } from "./make-schedule.ts";
import { notAskedIn } from "./not-asked.ts";
import { skillsOf, workFor } from "./occurrence.ts";
import { planDue } from "./planner.ts";
import { workPause } from "./pause.ts";

/** What the person has set about work that nobody typed. */
export type WorkSettings = {
  readonly maxConcurrent: number;
  /** How long a run may work. */
  readonly maxMs: number;
  /** What a run may use, unless its job says otherwise. */
  readonly run: Limit;
  readonly budget: WorkBudget;
  /** In which days begin and times are meant. */
  readonly zone: string;
  /** Failures in a row after which a schedule is paused. */
  readonly pauseAfter: number;
};

export type RunnerDeps = {
  readonly store: Store;
  readonly agent: Pick<Agent, "start">;
  readonly settings: WorkSettings;
  readonly isFolder: (path: string) => Promise<boolean>;
  readonly hashOf?: (path: string) => Promise<string | undefined>;
  readonly skill?: SkillReader;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** Schedules and what they lead to, for a dispatcher. */
export function workSource(deps: RunnerDeps): WorkSource {
  return {
    async plan(lease) {
      await settleLeft(deps);
      return planDue(deps, lease);
    },
    async run(input) {
      try {
        return await runWork(deps, input);
      } catch (error) {
        deps.log(`work ${input.id} could not be done: ${String(error)}`);
        return "trouble";
      }
    },
  };
}

async function runWork(deps: RunnerDeps, input: StoredInput): Promise<"done" | "later"> {
  const { store, agent } = deps;
  const outcome = await store.outcomes.ofInput(input.id);
  if (outcome?.state !== "planned") {
    // Nobody expects it any more.
    await store.inbox.move(input.id, "waiting", "kept");
    return "done";
  }
  if ((await workPause(store)) !== undefined || (await isBehind(deps, outcome))) return "later";
  const refused = await whyNot(deps, input);
  if (refused !== undefined) return settle(deps, outcome, refused);
  try {
    const sent = await agent.start(input, { budget: turnLimit(deps.settings, input) });
    await sent.ended;
  } catch (error) {
    if (error instanceof Refusal && (error.code === "busy" || error.code === "stopping")) return "later";
    const said = error instanceof FaultError ? error.fault.message : String(error);
    return settle(deps, outcome, { state: "failed", reason: said, delivery: "pending" });
  }
  return settleRun(deps, outcome);
}

/** Of runs that wait for each other, the one before it has not ended. */
async function isBehind({ store }: RunnerDeps, { id, subject }: StoredOutcome): Promise<boolean> {
  const [first] = await store.outcomes.planned(subject);
  return first !== undefined && first.id !== id;
}

type Refused = Omit<Settled, "at">;

/** What keeps it from being begun at all. Its budget is reserved when nothing does. */
async function whyNot(deps: RunnerDeps, input: StoredInput): Promise<Refused | undefined> {
  const { store, settings } = deps;
  const cwd = (await store.sessions.get(input.session))?.cwd ?? "";
  if (!(await deps.isFolder(cwd)))
    return { state: "refused", reason: `the folder ${cwd} is not there any more`, delivery: "pending" };
  const { origin = "schedule", subject = "" } = input.work ?? {};
  const script = (await store.schedules.get(subject as Schedule["id"]))?.job.script;
  if (script?.file !== undefined && (await deps.hashOf?.(script.file.path)) !== script.file.hash)
    return {
      state: "refused",
      reason: `${script.file.path} is not what it was when it was scheduled`,
      delivery: "pending",
    };
  const { tokens = 0, usd = 0 } = script === undefined ? turnLimit(settings, input) : {};
  const reason = await reserve(deps, { inbox: input.id, origin, subject, tokens, usd });
  if (reason === undefined) return undefined;
  return { state: "skipped", reason, delivery: "pending" };
}

/** What a run may use. */
export const turnLimit = ({ run, maxMs }: WorkSettings, { work }: StoredInput) => ({
  ...run,
  ...work?.terms.budget,
  workMs: maxMs,
  section: "work",
});

/** Runs that have ended and were not settled: a crash came between. */
async function settleLeft(deps: RunnerDeps): Promise<void> {
  const { outcomes, inbox, turns } = deps.store;
  for (const outcome of await outcomes.planned()) {
    const input = outcome.inbox === undefined ? undefined : await inbox.get(outcome.inbox);
    if (input?.state === "waiting") continue;
    const turn = input?.turn === undefined ? undefined : await turns.get(input.turn);
    if (turn?.state !== "open") await settleRun(deps, outcome);
  }
}

/** By what the store has of it, so that it is the same before and after a crash. */
async function settleRun(deps: RunnerDeps, outcome: StoredOutcome): Promise<"done" | "later"> {
  const { store, clock } = deps;
  const ended = await lookAt(store, outcome);
  if (ended.input?.state === "waiting") return "later";
  const ending = endingOf(ended);
  if (!("againInMs" in ending)) return settle(deps, outcome, ending);
  const schedule = await scheduleOf(store, outcome);
  if (schedule === undefined || outcome.inbox === undefined)
    return settle(deps, outcome, { state: "failed", reason: ending.why, delivery: "pending" });
  const attempt = (ended.input?.work?.attempt ?? 1) + 1;
  const now = clock.now();
  const of = { ...outcome, dueAt: now + ending.againInMs, attempt };
  const skills = await skillsOf(schedule.job, deps.skill);
  await store.outcomes.again(outcome.id, outcome.inbox, workFor(schedule, of, now, skills));
  return "done";
}

async function lookAt(store: Store, { inbox, session }: StoredOutcome): Promise<Ended> {
  const input = inbox === undefined ? undefined : await store.inbox.get(inbox);
  const turn = input?.turn === undefined ? undefined : await store.turns.get(input.turn);
  if (turn === undefined || session === undefined)
    return { input, turn, text: "", hasItems: false, notAsked: [] };
  const rows = await store.sessions.messages(session, { from: turn.id });
  const said = rows
    .filter(({ message }) => message.role === "assistant")
    .map(({ message }) => messageText(message));
  return {
    input,
    turn,
    text: said.at(-1) ?? "",
    hasItems: said.length > 0,
    notAsked: await notAskedIn(store, session),
  };
}

async function settle(deps: RunnerDeps, outcome: StoredOutcome, ended: Refused): Promise<"done"> {
  const { store, clock } = deps;
  const settled = await store.outcomes.settle(outcome.id, outcome.inbox, { ...ended, at: clock.now() });
  if (settled && (ended.state === "failed" || ended.state === "refused"))
    await pauseIfHopeless(deps, outcome);
  return "done";
}

/** After so many failures in a row somebody has to look at it; the last of them says so. */
async function pauseIfHopeless({ store, settings }: RunnerDeps, outcome: StoredOutcome): Promise<void> {
  const { pauseAfter } = settings;
  const schedule = await scheduleOf(store, outcome);
  if (schedule?.state !== "active") return;
  const all = await store.outcomes.list({ limit: pauseAfter * 4, subject: schedule.id });
  const ended = all
    .filter(({ state, at }) => decisive.has(state) && at >= schedule.since)
    .slice(0, pauseAfter);
  if (ended.length < pauseAfter || ended.some(({ state }) => state === "ran")) return;
  const why = `${pauseAfter} runs in a row did not go well; the last one: ${ended[0]?.reason ?? "failed"}`;
  await store.schedules.change(schedule.id, schedule.revision, { state: "paused", why });
}

const decisive: ReadonlySet<string> = new Set(["ran", "failed", "refused"]);

const scheduleOf = async (
  { schedules }: Pick<Store, "schedules">,
  { subject }: StoredOutcome,
): Promise<Schedule | undefined> => {
  const found = await schedules.get(subject as Schedule["id"]);
  return found?.state === "removed" ? undefined : found;
};
