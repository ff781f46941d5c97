import { type SessionId, newId } from "../core/ids.ts";
import { type StoredGrant, grantedCommandKey, grantedToolKey } from "../core/ledger.ts";
import { principalName } from "../core/principal.ts";
import type { Schedule, StoredOutcome } from "../core/work/work.ts";
import type { NewOutcome, PlannedWork } from "../store/schema/work-tables.ts";
import type { SkillReader } from "./make-schedule.ts";
import { type Fate, beginning } from "./schedules/fate.ts";

/** An instant of a schedule as the row that it becomes. */
export function occurrence(
  schedule: Schedule,
  fate: Fate,
  now: number,
  skills: readonly string[] = [],
): NewOutcome {
  const { target, failures = target, jitterMs, catchUp } = schedule.job;
  const row = {
    id: newId("out", now),
    kind: "schedule",
    subject: schedule.id,
    instant: fate.instant,
    lateMs: fate.lateMs,
    at: now,
  } as const;
  if (fate.state === "planned") {
    const dueAt = beginning(schedule.id, fate.instant, jitterMs);
    const work = workFor(schedule, { ...row, dueAt, attempt: 1 }, now, skills);
    return { ...row, state: "planned", target, delivery: "none", work };
  }
  // What was skipped by a rule of its own is no news; that nothing ran is.
  const delivery = fate.state === "missed" || catchUp === "ask" ? "pending" : "none";
  const { state, reason } = fate;
  return { ...row, state, reason, settledAt: now, target: failures, delivery };
}

/** One that somebody wants now. */
export function manualRun(schedule: Schedule, now: number, skills: readonly string[] = []): NewOutcome {
  const row = { id: newId("out", now), kind: "manual", subject: schedule.id, instant: now } as const;
  const { target } = schedule.job;
  const work = workFor(schedule, { ...row, dueAt: now, attempt: 1 }, now, skills);
  return { ...row, state: "planned", lateMs: 0, at: now, target, delivery: "none", work };
}

type Of = Pick<StoredOutcome, "kind" | "instant"> & { readonly dueAt: number; readonly attempt: number };

/** Its input, in a session of its own; folder, runtime and model are the schedule's. */
export function workFor(
  schedule: Schedule,
  { kind, instant, dueAt, attempt }: Of,
  now: number,
  skills: readonly string[] = [],
): PlannedWork {
  const { id: subject, name, by, job } = schedule;
  const { target, failures, budget, cwd, runtime, model } = job;
  const session = newId("ses", now);
  return {
    admission: {
      id: newId("inb", now),
      at: now,
      from: by,
      key: { surface: "schedule", account: "", chat: subject, messageId: `${kind} ${instant} ${attempt}` },
      session: {
        id: session,
        cwd,
        surface: "schedule",
        audience: "owner",
        title: name,
        runtime: job.script === undefined ? runtime : "script",
        ...(model === undefined ? {} : { model }),
      },
      // What a skill says was not said by the person, so it stands in a part of its own.
      input: [...skills, message(schedule, instant)].map((text) => ({ type: "text", text })),
      work: {
        origin: "schedule",
        subject,
        dueAt,
        attempt,
        terms: {
          target,
          ...(failures === undefined ? {} : { failures }),
          ...(budget === undefined ? {} : { budget }),
        },
      },
    },
    grants: grantsFor(schedule, session, now),
  };
}

/** What its run may do although nobody can be asked. */
function grantsFor({ by, job }: Schedule, session: SessionId, now: number): readonly StoredGrant[] {
  const { cwd, allow, maySchedule = 0 } = job;
  const own = { scope: "work", session, cwd, by: principalName(by), madeAt: now } as const;
  const commands = allow.map(({ command, bound }): StoredGrant => ({
    ...own,
    id: newId("grn", now),
    hash: grantedCommandKey(command, cwd),
    summary: command,
    tool: "command",
    left: 1,
    ...(bound === undefined ? {} : { bound }),
  }));
  if (maySchedule === 0) return commands;
  const tool = "cronjob";
  const summary = "make or change schedules";
  const schedules = { ...own, id: newId("grn", now), hash: grantedToolKey(tool), summary, tool };
  return [...commands, { ...schedules, left: maySchedule }];
}

/** What the skills of a job say now. */
export async function skillsOf(
  { skills = [], cwd }: Schedule["job"],
  read: SkillReader | undefined,
): Promise<readonly string[]> {
  const texts = await Promise.all(skills.map((name) => read?.(name, cwd)));
  return texts.map((text, n) => text ?? `[The skill ${skills[n]} is not there any more.]`);
}

const message = ({ name, job }: Schedule, instant: number): string =>
  job.script === undefined ? prompt(name, job.text, instant) : `[scheduled: ${name}] ${job.script.command}`;

const prompt = (name: string, text: string, instant: number): string =>
  `[scheduled: ${name}, due ${new Date(instant).toISOString()}]
Nobody follows this conversation and no question in it is answered: where something is unclear, take the most sensible reading, and say which. Your last message is delivered to the person. If there is nothing that they need to know, answer with [SILENT] and nothing else.

${text}`;
