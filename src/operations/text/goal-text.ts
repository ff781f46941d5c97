import { type Goal, type GoalReport, goalText } from "../../core/goal.ts";
import { clean, short } from "../../core/plain-text.ts";
import { tokensText, usdText } from "../../core/usage.ts";

/** How a goal stands, for people. */
export function goalReportText(report: GoalReport): string {
  const { subgoals, check, steps, limit, spent } = report;
  return [
    clean(goalText(report)),
    ...subgoals.map((each) => `  - ${clean(short(each, 120))}`),
    `  ${check === undefined ? "judged by a model, by what was done" : `check: ${clean(check.command)}`}`,
    `  turns ${steps.length} of ${limit.turns}${costs(limit, spent)}`,
    ...steps
      .slice(-mostSteps)
      .map(
        ({ number, by, verdict, text }) =>
          `  ${number}. ${by}: ${verdicts[verdict]} ${clean(short(text, 160))}`,
      ),
  ].join("\n");
}

const mostSteps = 5;

const verdicts = { done: "reached.", go_on: "not yet.", failed: "could not be said." } as const;

function costs(limit: Goal["limit"], spent: GoalReport["spent"]): string {
  const usd = limit.usd === undefined ? "" : `, ${usdText(spent.usd)} of ${usdText(limit.usd)} USD`;
  const tokens =
    limit.tokens === undefined ? "" : `, ${tokensText(spent.tokens)} of ${tokensText(limit.tokens)} tokens`;
  return `${usd}${tokens}`;
}
