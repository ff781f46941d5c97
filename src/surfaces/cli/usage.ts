import { usageText } from "../../commands/text/usage-text.ts";
import type { UsageReport } from "../../core/usage.ts";
import { usage as wrongUsage } from "./failure.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type UsageOptions = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly session?: string;
  readonly days?: string;
};

/** Without a session and a number of days. */
const usualDays = 30;

/** `talaria usage`: what was spent by day, model and cause. */
export async function usage(
  ports: CliPorts,
  { profile, json, session, days }: UsageOptions,
): Promise<ExitCode> {
  const span = daysOf(days, session);
  await using host = await ports.openHost({
    ...(profile === undefined ? {} : { profile }),
    skipRepair: true,
  });
  const of = session === undefined ? {} : { session: (await host.sessions.get(session)).id };
  const report = await host.usage({ ...of, ...(span === undefined ? {} : { days: span }) });
  if (json === true) {
    for (const line of jsonLines(report)) ports.stdout.write(`${JSON.stringify(line)}\n`);
    return 0;
  }
  ports.stdout.write(`${usageText(report)}\n`);
  return 0;
}

function daysOf(days: string | undefined, session: string | undefined): number | undefined {
  if (days === undefined) return session === undefined ? usualDays : undefined;
  const number = Number(days);
  if (!Number.isInteger(number) || number < 1 || number > 36_500)
    throw wrongUsage(`--days ${days}: not a number of days.`);
  return number;
}

const jsonLines = ({ total, days, models, causes, budgets }: UsageReport): readonly object[] => [
  ...days.map((sum) => ({ by: "day", ...sum })),
  ...models.map((sum) => ({ by: "model", ...sum })),
  ...causes.map((sum) => ({ by: "cause", ...sum })),
  ...budgets.map((budget) => ({ by: "budget", ...budget })),
  { by: "total", ...total },
];
