import { contextText } from "../../operations/text/context-text.ts";
import { usageText } from "../../operations/text/usage-text.ts";
import type { UsageReport } from "../../core/usage.ts";
import { type Action, textOf } from "./action.ts";
import { usage as wrongUsage } from "./failure.ts";

/** Without a session and a number of days. */
const defaultDays = 30;

/** `talaria usage`: what was spent by day, model and cause. */
export const usage: Action = async (client, { options }) => {
  const named = textOf(options["session"]);
  const days = daysOf(textOf(options["days"]), named);
  const of =
    named === undefined ? {} : { session: (await client.call("sessions.get", { session: named })).id };
  const report = await client.call("usage.report", { ...of, ...(days === undefined ? {} : { days }) });
  return { text: usageText(report), rows: rowsOf(report) };
};

function daysOf(days: string | undefined, session: string | undefined): number | undefined {
  if (days === undefined) return session === undefined ? defaultDays : undefined;
  const number = Number(days);
  if (!Number.isInteger(number) || number < 1 || number > 36_500)
    throw wrongUsage(`--days ${days}: not a number of days.`);
  return number;
}

const rowsOf = ({ total, days, models, causes, roles, budgets }: UsageReport): readonly object[] => [
  ...days.map((sum) => ({ by: "day", ...sum })),
  ...models.map((sum) => ({ by: "model", ...sum })),
  ...causes.map((sum) => ({ by: "cause", ...sum })),
  ...roles.map((sum) => ({ by: "for", ...sum })),
  ...budgets.map((budget) => ({ by: "budget", ...budget })),
  { by: "total", ...total },
];

/** `talaria context`: what the next turn gives to the model, line by line. */
export const context: Action = async (client, { options, ports }) => {
  const named = textOf(options["session"]);
  const known = named === undefined ? undefined : await client.call("sessions.get", { session: named });
  const of = known === undefined ? { cwd: ports.cwd } : { session: known.id, cwd: known.cwd };
  const bill = await client.call("sessions.context", of);
  const { lines, ...rest } = bill;
  return { text: contextText(bill), rows: [...lines, rest] };
};
