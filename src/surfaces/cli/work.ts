import type { Client } from "../../core/calls.ts";
import {
  type CatchUp,
  type MadeSchedule,
  type NewSchedule,
  type Overlap,
  catchUps,
  isTarget,
  overlaps,
} from "../../core/work/work.ts";
import { clean } from "../../core/plain-text.ts";
import {
  askedRunText,
  madeText,
  runsText,
  schedulesText,
  statusText,
  whyText,
} from "../../operations/text/work-text.ts";
import { type Action, type Actions, type Options, type Output, limitOf, textOf } from "./action.ts";
import { usage } from "./failure.ts";
import { unpricedWarnings } from "./unpriced.ts";

const add: Action = async (client, { words: [when = "", ...text], options }) => {
  const made = await client.call("cron.add", {
    cwd: process.cwd(),
    ...jobOf(options),
    when,
    text: text.join(" "),
    ...(options["try"] === true ? { tryNow: true } : {}),
  });
  return told(client, made);
};

const edit: Action = async (client, { words: [id = ""], options }) => {
  const [when, text] = [textOf(options["when"]), textOf(options["text"])];
  const change = {
    ...jobOf(options),
    ...(when === undefined ? {} : { when }),
    ...(text === undefined ? {} : { text }),
  };
  if (Object.keys(change).length === 0)
    throw usage("There is nothing to change.", "talaria cron edit --help");
  return told(client, await client.call("cron.edit", { id, change }));
};

async function told(client: Client, made: MadeSchedule): Promise<Output> {
  const { script, budget, model } = made.job;
  const warnings = script === undefined ? await unpricedWarnings(client, budget, [model]) : [];
  return { text: madeText(made), rows: [made], warnings };
}

const list: Action = async (client) => {
  const rows = await client.call("cron.list", {});
  return { text: schedulesText(rows), rows };
};

const pause: Action = async (client, { words: [id = ""] }) => {
  const row = await client.call("cron.pause", { id });
  return { text: `Paused: “${clean(row.name)}”.`, rows: [row] };
};

const resume: Action = async (client, { words: [id = ""] }) => {
  const row = await client.call("cron.resume", { id });
  return { text: madeText(row), rows: [row] };
};

const run: Action = async (client, { words: [id = ""] }) => {
  const row = await client.call("cron.run", { id });
  return { text: askedRunText(row), rows: [row] };
};

const remove: Action = async (client, { words: [id = ""] }) => {
  const row = await client.call("cron.remove", { id });
  return { text: `Removed: “${clean(row.name)}”.`, rows: [row] };
};

const runs: Action = async (client, { words: [id], options }) => {
  const of = id === undefined ? {} : { id };
  const rows = await client.call("cron.runs", { limit: limitOf(options, 20, 1000), ...of });
  return { text: runsText(rows), rows };
};

/** `talaria why`. */
export const why: Action = async (client, { words: [id = ""] }) => {
  const row = await client.call("why.explain", { id });
  return { text: whyText(row), rows: [row] };
};

/** `talaria cron …`. */
export const cron: Actions = { add, list, edit, pause, resume, run, remove, runs, why };

const whole =
  (name: "work.pause" | "work.resume" | "work.status"): Action =>
  async (client) => {
    const row = await client.call(name, {});
    return { text: statusText(row), rows: [row] };
  };

/** `talaria work …`. */
export const work: Actions = {
  pause: whole("work.pause"),
  resume: whole("work.resume"),
  status: whole("work.status"),
};

const plain = ["name", "cwd", "runtime", "model", "zone", "jitter", "script"] as const;

function jobOf(options: Options): Omit<NewSchedule, "when" | "text"> {
  const words = plain.flatMap((name) => {
    const value = textOf(options[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  const skills = (textOf(options["skills"]) ?? "").split(",").filter((name) => name.trim() !== "");
  const allow = [options["allow"] ?? []].flat().map(String);
  return {
    ...Object.fromEntries(words),
    ...targetOf(options, "deliver"),
    ...targetOf(options, "failures"),
    ...oneOf<"catchUp", CatchUp>(options, "catchUp", catchUps, "catch-up"),
    ...oneOf<"overlap", Overlap>(options, "overlap", overlaps),
    ...budgetOf(textOf(options["budget"])),
    ...(allow.length === 0 ? {} : { allow }),
    ...(skills.length === 0 ? {} : { skills: skills.map((name) => name.trim()) }),
    ...numberOf(textOf(options["maySchedule"])),
  };
}

function targetOf(options: Options, name: "deliver" | "failures"): Pick<NewSchedule, "deliver" | "failures"> {
  const said = textOf(options[name]);
  if (said === undefined) return {};
  if (isTarget(said)) return { [name]: said };
  throw usage(`--${name} ${said}: unknown.`, "Use local, notify, or a chat such as telegram:12345.");
}

function numberOf(said: string | undefined): Pick<NewSchedule, "maySchedule"> {
  if (said === undefined) return {};
  if (!/^\d{1,2}$/.test(said)) throw usage(`--may-schedule ${said}: not a number.`, "Write 3.");
  return { maySchedule: Number(said) };
}

function oneOf<Name extends string, Word extends string>(
  options: Options,
  name: Name,
  words: readonly Word[],
  option: string = name,
): { readonly [Key in Name]?: Word } {
  const said = textOf(options[name]);
  if (said === undefined) return {};
  const found = words.find((word) => word === said);
  if (found === undefined) throw usage(`--${option} ${said}: unknown.`, `Use one of: ${words.join(", ")}.`);
  return { [name]: found } as { readonly [Key in Name]?: Word };
}

/** `200k`, `1m`, `50000`: tokens. `0.50usd`, `$2`: money. */
export function budgetOf(said: string | undefined): Pick<NewSchedule, "budget"> {
  if (said === undefined) return {};
  const usd = Number(/^\$?\s*([\d.]+)\s*(?:usd)?$/i.exec(said)?.[1]);
  if (/^\$|usd$/i.test(said) && usd > 0) return { budget: { usd } };
  const [, many = "", unit = ""] = /^(\d+)\s*(k|m)?$/i.exec(said) ?? [];
  const tokens = Number(many) * ({ k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1);
  if (tokens > 0) return { budget: { tokens } };
  throw usage(`--budget ${said}: neither tokens nor money.`, "Write 200k for tokens, or 0.50usd.");
}
