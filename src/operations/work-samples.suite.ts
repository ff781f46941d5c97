import { z } from "zod";
import type { InputOf, Work } from "../core/calls.ts";

type Samples = { readonly [Name in keyof Work]: (world: { readonly cwd: string }) => InputOf<Name> };

const sample = (): { readonly id: string } => ({ id: "sample" });
const none = (): Readonly<Record<string, never>> => ({});

/** What is asked of operations about work, in the order of the table: the first one makes the schedule that the others name. */
export const workSamples: Samples = {
  "cron.add": ({ cwd }) => ({ when: "every 2h", text: "Look.", name: "sample", cwd }),
  "cron.list": none,
  "cron.edit": () => ({ id: "sample", change: { when: "0 9 * * 1-5", zone: "Europe/Berlin" } }),
  "cron.pause": sample,
  "cron.resume": sample,
  "cron.run": sample,
  "cron.remove": sample,
  "cron.runs": () => ({ limit: 5 }),
  "work.pause": none,
  "work.resume": none,
  "work.status": none,
  "batch.line": ({ cwd }) => ({
    batch: `bat_${"0".repeat(20)}`,
    line: 1,
    text: "Look.",
    title: "sample:1",
    cwd,
  }),
  "why.explain": () => ({ id: "out_" }),
};

const [text, number] = [z.string(), z.number()];
const runner = z.enum(["running", "none"]);
const schedule = {
  id: text,
  name: text,
  timing: z.looseObject({ kind: text }),
  job: z.looseObject({ text, cwd: text, runtime: text }),
  state: text,
  madeAt: number,
  since: number,
  next: z.array(number),
};
const occurrence = z.strictObject({
  id: text,
  job: text,
  name: text,
  due: text,
  state: text,
  reason: text.optional(),
  late_ms: number,
  delivery: text,
  session: text.optional(),
});
const paused = z.strictObject({ at: number, by: text }).optional();
const status = z.strictObject({
  paused,
  runner,
  planned: number,
  budgets: z.array(z.strictObject({ key: text, spent: number, limit: number })),
  unpriced: text.optional(),
});

export const workOutputs: Readonly<Record<keyof Work, z.ZodType>> = {
  "cron.add": z.looseObject({ ...schedule, runner }),
  "cron.list": z.array(z.looseObject(schedule)).min(1),
  "cron.edit": z.looseObject({ ...schedule, runner }),
  "cron.pause": z.looseObject(schedule),
  "cron.resume": z.looseObject({ ...schedule, runner }),
  "cron.run": z.strictObject({ run: occurrence, runner, paused }),
  "cron.remove": z.looseObject(schedule),
  "cron.runs": z.array(occurrence).min(1),
  "work.pause": status,
  "work.resume": status,
  "work.status": status,
  "batch.line": z.looseObject({ line: number, status: text, session: text, attempts: number, answer: text }),
  "why.explain": z.strictObject({
    id: text,
    what: text,
    state: text,
    why: text,
    next: text,
    trail: z.array(text).optional(),
  }),
};
