import { newId } from "../../core/ids.ts";
import type { Limit } from "../../core/spend.ts";
import { tokensText, usdText } from "../../core/usage.ts";
import type { Origin } from "../../core/work/work.ts";
import type { NewOutcome, WorkLimit, WorkUse } from "../../store/schema/work-tables.ts";

/** What work may take in a day, of the home's own zone. What is unset is not limited. */
export type DayLimit = Limit & { readonly turns?: number };

/** Where such limits are named: `work.budget.day.turns`, `work.budget.origins.schedule.usd`… */
export type WorkBudget = {
  readonly day: DayLimit;
  readonly origins: Readonly<Partial<Record<Origin, DayLimit>>>;
  /** Of one job, such as a schedule. */
  readonly job: DayLimit;
};

const units = ["turns", "tokens", "usd"] as const;

/** All that a piece of work must stay within. */
export function limitsFor(
  budget: WorkBudget,
  since: number,
  of?: { readonly origin: Origin; readonly subject: string },
): readonly WorkLimit[] {
  const scopes: readonly (readonly [string, DayLimit, Partial<WorkLimit>])[] = [
    ["day", budget.day, {}],
    ...Object.entries(budget.origins)
      .filter(([origin]) => of === undefined || origin === of.origin)
      .map(([origin, limit]) => [`origins.${origin}`, limit, { origin: origin as Origin }] as const),
    ...(of === undefined ? [] : [["job", budget.job, { subject: of.subject }] as const]),
  ];
  return scopes.flatMap(([scope, limit, rest]) =>
    units.flatMap((unit) => {
      const most = limit[unit];
      return most === undefined
        ? []
        : [{ key: `work.budget.${scope}.${unit}`, unit, limit: most, since, ...rest }];
    }),
  );
}

export const amount = ({ unit, used, limit }: WorkUse): string =>
  `${inUnit(used, unit)} of ${inUnit(limit, unit)}${unit === "usd" ? " USD" : ` ${unit}`}`;

const inUnit = (many: number, unit: WorkLimit["unit"]): string =>
  unit === "usd" ? usdText(many) : tokensText(many);

const thresholds = [90, 75, 50] as const;

/** What the owner is told of once a day: the highest mark that each limit has passed. */
export function alerts(uses: readonly WorkUse[], now: number): readonly NewOutcome[] {
  return uses.flatMap((use) => {
    const passed = thresholds.find((percent) => use.used * 100 >= use.limit * percent);
    if (passed === undefined || use.limit <= 1) return [];
    const whose = use.subject === undefined ? "" : ` ${use.subject}`;
    return [
      {
        id: newId("out", now),
        kind: "alert",
        subject: `${use.key}${whose} ${passed} %`,
        instant: use.since,
        state: "ran",
        reason: `${passed} % of ${use.key} is taken or reserved today: ${amount(use)}.`,
        lateMs: 0,
        at: now,
        settledAt: now,
        target: "local",
        delivery: "pending",
      },
    ];
  });
}
