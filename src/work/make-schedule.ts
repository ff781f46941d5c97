import { resolve } from "node:path";
import { Refusal } from "../core/host.ts";
import { newId } from "../core/ids.ts";
import type { Bound } from "../core/ledger.ts";
import { oneLine, short } from "../core/plain-text.ts";
import type { Principal } from "../core/principal.ts";
import type {
  GrantedCommand,
  NewSchedule,
  Schedule,
  ScheduledJob,
  ScheduledScript,
  Timing,
} from "../core/work/work.ts";
import { durationMs, parseWhen } from "./schedules/when.ts";
import { noSuchRuntime } from "../core/text/no-such-runtime.ts";

/** What holds where a schedule says nothing. */
export type ScheduleDefaults = {
  readonly zone: string;
  readonly cwd: string;
  readonly runtime: string;
  readonly model?: string;
  readonly runtimes: readonly string[];
  readonly isFolder: (path: string) => Promise<boolean>;
  /** The hash of a file; `undefined`: there is none. */
  readonly hashOf: (path: string) => Promise<string | undefined>;
  readonly skill: SkillReader;
  /** What a yes to this command is tied to. `open`: nothing can be, because what it runs can be changed without a question. */
  readonly bind: (
    command: string,
    cwd: string,
  ) => Promise<{ readonly bound?: Bound } | { readonly open: string }>;
};

/** What a skill says where it is used; `undefined`: there is none of this name. */
export type SkillReader = (name: string, cwd: string) => Promise<string | undefined>;

export type Maker = {
  readonly by: Principal;
  readonly byModel: boolean;
  readonly depth: Schedule["depth"];
};

/** One that is whole and can run, or a Refusal that says what is wrong with it. */
export async function newSchedule(
  wanted: NewSchedule,
  { by, byModel, depth }: Maker,
  defaults: ScheduleDefaults,
  now: number,
): Promise<Schedule> {
  const timing = timingOf(wanted, defaults, now);
  // Before its name, which may be made of what it does.
  const job = await jobOf(wanted, defaults);
  return {
    id: newId("sch", now),
    name: nameOf(wanted),
    timing,
    job,
    state: "active",
    by,
    madeAt: now,
    since: now,
    depth,
    byModel,
    revision: 1,
  };
}

/** With what was said anew in place of what it had. */
export async function changedSchedule(
  { name, timing, job }: Schedule,
  change: Partial<NewSchedule>,
  defaults: ScheduleDefaults,
  now: number,
): Promise<Pick<Schedule, "name" | "timing" | "job">> {
  const kept = {
    text: job.text,
    cwd: job.cwd,
    runtime: job.runtime,
    ...(job.model === undefined ? {} : { model: job.model }),
    ...(job.budget === undefined ? {} : { budget: job.budget }),
    ...(job.failures === undefined ? {} : { failures: job.failures }),
    deliver: job.target,
    catchUp: job.catchUp,
    overlap: job.overlap,
    allow: job.allow.map(({ command }) => command),
    ...(job.maySchedule === undefined ? {} : { maySchedule: job.maySchedule }),
    ...(job.skills === undefined ? {} : { skills: job.skills }),
  };
  const wanted = { when: "", ...kept, ...change };
  const jitterMs = change.jitter === undefined ? job.jitterMs : undefined;
  // What nobody allows anew stays tied to the files that it meant when somebody did.
  const isKept = change.allow === undefined && resolve(defaults.cwd, wanted.cwd) === job.cwd;
  const made = await jobOf(isKept ? { ...wanted, allow: [] } : wanted, defaults);
  const tied = isKept ? { ...made, allow: job.allow } : made;
  const next =
    job.script === undefined || change.script !== undefined ? tied : { ...tied, script: job.script };
  return {
    name: change.name === undefined ? name : nameOf(wanted),
    timing: change.when === undefined ? rezoned(timing, change.zone) : timingOf(wanted, defaults, now),
    job: jitterMs === undefined ? next : { ...next, jitterMs },
  };
}

function rezoned(timing: Timing, zone: string | undefined): Timing {
  if (zone === undefined) return timing;
  if (timing.kind !== "cron") throw wrong("Only a cron expression has a time zone.", "Say when, too.");
  const parsed = parseWhen(timing.expression, { now: 0, zone });
  if ("problem" in parsed) throw wrong(`${parsed.problem}.`, "Use a name such as Europe/Berlin.");
  return parsed;
}

const nameOf = ({ name, text, script = "" }: Pick<NewSchedule, "name" | "text" | "script">): string => {
  const given = oneLine(name ?? short(oneLine(text || script), 40)).trim();
  if (given === "" || given.length > 80 || given.startsWith("sch_"))
    throw wrong(
      `A schedule cannot be called ${JSON.stringify(given)}.`,
      "Give it a name of 1 to 80 letters.",
    );
  return given;
};

function timingOf(
  { when, zone }: Pick<NewSchedule, "when" | "zone">,
  by: ScheduleDefaults,
  now: number,
): Timing {
  const parsed = parseWhen(when, { now, zone: zone ?? by.zone });
  if (!("problem" in parsed)) return parsed;
  throw wrong(`When is it due? ${parsed.problem}.`, "Nothing was scheduled.");
}

async function jobOf(wanted: NewSchedule, defaults: ScheduleDefaults): Promise<ScheduledJob> {
  const {
    text,
    deliver = "local",
    failures,
    budget,
    catchUp = "once",
    overlap = "skip",
    maySchedule,
  } = wanted;
  if (text.trim() === "" && wanted.script === undefined)
    throw wrong("There is nothing to do.", "Say what, behind when it is due.");
  const cwd = resolve(defaults.cwd, wanted.cwd ?? ".");
  if (!(await defaults.isFolder(cwd))) throw wrong(`There is no folder ${cwd}.`, "Name one with --cwd.");
  const { runtime = defaults.runtime, model = defaults.model } = wanted;
  if (!defaults.runtimes.includes(runtime)) throw noSuchRuntime(runtime, defaults.runtimes);
  return {
    text,
    cwd,
    runtime,
    ...(model === undefined ? {} : { model }),
    target: deliver,
    ...(failures === undefined ? {} : { failures }),
    ...(budget === undefined ? {} : { budget }),
    allow: await Promise.all((wanted.allow ?? []).map((command) => granted(command.trim(), cwd, defaults))),
    ...(maySchedule === undefined ? {} : { maySchedule }),
    ...(wanted.script === undefined ? {} : { script: await scriptOf(wanted.script, cwd, defaults) }),
    ...(await skillsOf(wanted.skills, cwd, defaults)),
    catchUp,
    overlap,
    jitterMs: jitterOf(wanted.jitter),
  };
}

async function granted(command: string, cwd: string, { bind }: ScheduleDefaults): Promise<GrantedCommand> {
  const tie = await bind(command, cwd);
  if ("open" in tie)
    throw wrong(
      `“${short(command, 80)}” cannot be allowed beforehand: ${tie.open}.`,
      "Allow a program by its path outside of the folder, or let the schedule do without.",
    );
  return { command, ...tie };
}

/** Of a file the content counts, too: whoever may change it, or make it later, would otherwise decide what is run. */
async function scriptOf(text: string, cwd: string, { hashOf }: ScheduleDefaults): Promise<ScheduledScript> {
  if (text.trim() === "") throw wrong("The script is empty.", "Name a file or a command.");
  const at = async (name: string, rest = ""): Promise<ScheduledScript | undefined> => {
    const path = resolve(cwd, name);
    const hash = await hashOf(path);
    return hash === undefined ? undefined : { command: `${quoted(path)}${rest}`, file: { path, hash } };
  };
  const whole = await at(text);
  if (whole !== undefined) return whole;
  const { file, rest } = firstWord(text.trim());
  if (file === undefined) return { command: text };
  const found = await at(file, rest);
  if (found !== undefined) return found;
  throw wrong(
    `There is no file ${short(file, 80)} in ${cwd} that could be read.`,
    "Make it first, or name one by its whole path.",
  );
}

/** `file`: it names a file, and no program of the PATH. */
function firstWord(text: string): { readonly file?: string; readonly rest: string } {
  const [all = "", single, double, bare] =
    /^(?:'([^']+)'|"([^"$`\\]+)"|([^\s'"$`\\;&|<>(){}*?=]+))(?=$|[\s;&|<>])/.exec(text) ?? [];
  const word = single ?? double ?? bare ?? "";
  return { ...(namesFile(word) ? { file: word } : {}), rest: text.slice(all.length) };
}

const namesFile = (word: string): boolean =>
  word.includes("/") || /\.(?:sh|bash|zsh|fish|py|rb|pl|php|lua|[cm]?[jt]s)$/.test(word);

const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

async function skillsOf(
  names: readonly string[] | undefined,
  cwd: string,
  { skill }: ScheduleDefaults,
): Promise<Pick<ScheduledJob, "skills">> {
  for (const name of names ?? [])
    if ((await skill(name, cwd)) === undefined)
      throw wrong(`There is no skill ${short(name, 60)} here.`, "`talaria skills list` has them.");
  return names === undefined || names.length === 0 ? {} : { skills: names };
}

function jitterOf(text: string | undefined): number {
  const ms = text === undefined ? 0 : durationMs(text);
  if (ms === undefined) throw wrong(`--jitter ${text}: not a length of time.`, "Write 5m or 1h.");
  return ms;
}

const wrong = (message: string, next: string): Refusal => new Refusal("usage", message, next);
