import { clean, short } from "../../core/plain-text.ts";
import { tokensText } from "../../core/usage.ts";
import type {
  AskedRun,
  Explanation,
  ListedSchedule,
  MadeSchedule,
  Occurrence,
  Runner,
  Timing,
  WorkPause,
  WorkStatus,
} from "../../core/work/work.ts";
import { columns } from "./columns.ts";
import { minute } from "./time.ts";

/** What was scheduled, when it comes, and whether anything will begin it. */
export function madeText({ name, id, next, timing, job, runner, tried, paused }: MadeSchedule): string {
  const zone = timing.kind === "cron" ? timing.zone : undefined;
  const times = next.map((at) => `  ${timeIn(zone, at)}`);
  return [
    `“${clean(name)}” (${id}), ${timingText(timing)}, ${doneBy(job)} in ${clean(job.cwd)}.`,
    next.length === 0
      ? "It is not due any more."
      : `It is due next${zone === undefined ? " (UTC)" : ` (${zone})`}:`,
    ...times,
    ...(tried === undefined ? [] : [triedText(tried, paused)]),
    ...runnerLines(runner),
  ].join("\n");
}

const triedText = (tried: string, paused: WorkPause | undefined): string =>
  paused === undefined
    ? `A first run begins now: ${tried}. \`talaria why ${tried}\` says what comes of it.`
    : `A first run waits: ${tried}. ${pausedText(paused)} \`talaria work resume\` goes on with it.`;

const doneBy = ({ script, runtime }: MadeSchedule["job"]): string =>
  script === undefined ? `on ${runtime}` : `the script ${short(clean(script.command), 80)}`;

export function askedRunText({ run, runner, paused }: AskedRun): string {
  const name = `“${clean(run.name)}”`;
  if (paused === undefined) return [`${name} is to run now: ${run.id}.`, ...runnerLines(runner)].join("\n");
  return [
    `${name} waits: ${run.id}.`,
    `${pausedText(paused)} \`talaria work resume\` goes on with it.`,
    ...runnerLines(runner),
  ].join("\n");
}

const pausedText = ({ by, at }: WorkPause): string =>
  `All work is paused, by ${clean(by)} since ${minute(at)}.`;

const runnerLines = (runner: Runner): readonly string[] =>
  runner === "running"
    ? []
    : ["Nothing will begin it: no host is running. `talaria service install` makes one that stays."];

export function schedulesText(schedules: readonly ListedSchedule[]): string {
  if (schedules.length === 0) return 'There are no schedules. Make one: talaria cron add "every 2h" TEXT';
  return columns([
    ["name", "when", "next (UTC)", "last", "id"],
    ...schedules.map(({ name, timing, next: [next], last, id, state, why }) => [
      short(clean(name), 40),
      timingText(timing),
      state === "paused" ? "paused" : next === undefined ? "over" : minute(next),
      last === undefined ? "-" : last.state,
      why === undefined ? id : `${id}  ${clean(why)}`,
    ]),
  ]);
}

export function runsText(runs: readonly Occurrence[]): string {
  if (runs.length === 0) return "Nothing was due yet.";
  return columns([
    ["due (UTC)", "name", "state", "late", "delivery", "id"],
    ...runs.map(({ due, name, state, late_ms: late, delivery, id, reason }) => [
      due.slice(0, 16).replace("T", " "),
      short(clean(name), 30),
      state,
      late < 1000 ? "-" : `${Math.round(late / 1000)} s`,
      delivery,
      reason === undefined ? id : `${id}  ${short(clean(reason), 100)}`,
    ]),
  ]);
}

export function statusText({ paused, runner, planned, budgets, unpriced }: WorkStatus): string {
  return [
    paused === undefined ? "Work goes on." : pausedText(paused),
    runner === "running"
      ? "A host runs it."
      : "No host is running. `talaria service install` makes one that stays.",
    `${planned === 1 ? "1 run waits or is" : `${planned} runs wait or are`} under way.`,
    ...budgets.map(({ key, spent, limit }) => `${key}: ${amount(key, spent)} of ${amount(key, limit)} today`),
    ...(unpriced === undefined ? [] : [`Warning: ${unpriced}.`]),
  ].join("\n");
}

export const whyText = ({ id, what, state, why, next, trail = [] }: Explanation): string =>
  [
    `${id}: ${clean(what)}`,
    ...trail.map((line) => `  ${clean(line)}`),
    `state  ${clean(state)}`,
    `why    ${clean(why)}`,
    `next   ${clean(next)}`,
  ].join("\n");

const amount = (key: string, many: number): string =>
  key.endsWith(".usd") ? many.toFixed(2) : tokensText(many);

function timingText(timing: Timing): string {
  switch (timing.kind) {
    case "once":
      return `once, ${minute(timing.at)} UTC`;
    case "every":
      return `every ${lengthText(timing.ms)}`;
    case "cron":
      return `${timing.expression} (${timing.zone})`;
  }
}

function lengthText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes % 1440 === 0) return `${minutes / 1440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}

const timeIn = (zone: string | undefined, at: number): string =>
  zone === undefined
    ? minute(at)
    : new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(at);
