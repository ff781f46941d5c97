import { usageText } from "../../commands/text/usage-text.ts";
import type { UsageReport } from "../../core/usage.ts";
import { runOnHost } from "./command-output.ts";
import { usage as wrongUsage } from "./failure.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type UsageOptions = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly session?: string;
  readonly days?: string;
};

/** Without a session and a number of days. */
const defaultDays = 30;

/** `talaria usage`: what was spent by day, model and cause. */
export async function usage(ports: CliPorts, options: UsageOptions): Promise<ExitCode> {
  const { session } = options;
  const days = daysOf(options.days, session);
  return await runOnHost(ports, options, async (host) => {
    const of = session === undefined ? {} : { session: (await host.sessions.get(session)).id };
    const report = await host.usage({ ...of, ...(days === undefined ? {} : { days }) });
    return { text: usageText(report), rows: rowsOf(report) };
  });
}

function daysOf(days: string | undefined, session: string | undefined): number | undefined {
  if (days === undefined) return session === undefined ? defaultDays : undefined;
  const number = Number(days);
  if (!Number.isInteger(number) || number < 1 || number > 36_500)
    throw wrongUsage(`--days ${days}: not a number of days.`);
  return number;
}

const rowsOf = ({ total, days, models, causes, budgets }: UsageReport): readonly object[] => [
  ...days.map((sum) => ({ by: "day", ...sum })),
  ...models.map((sum) => ({ by: "model", ...sum })),
  ...causes.map((sum) => ({ by: "cause", ...sum })),
  ...budgets.map((budget) => ({ by: "budget", ...budget })),
  { by: "total", ...total },
];
