import { type NamedSum, type UsageReport, type UsageSum, tokensText, usdText } from "../../core/usage.ts";
import { columns } from "./columns.ts";
import { short } from "../../core/plain-text.ts";

/** What was spent, as tables for people. */
export function usageText({ total, days, models, causes, roles, budgets }: UsageReport): string {
  const used = budgets.map(({ key, spent, limit }) => {
    const text = key.endsWith(".usd") ? usdText : tokensText;
    return `${key}: ${text(spent)} of ${text(limit)} used`;
  });
  if (total.rows === 0) return ["Nothing was spent yet.", ...used].join("\n");
  const others = roles.some(({ name }) => name !== "owner" && name !== "nobody");
  const tables = [table("day", days), table("model", models), table("cause", causes)];
  const sum = table("total", [{ name: "all", ...total }]);
  const hint = [...(total.unpriced === 0 ? [] : [noPrice]), ...cutOff(total.uncounted)];
  return [...tables, ...(others ? [table("for", roles)] : []), sum, [...used, ...hint].join("\n")]
    .filter((part) => part !== "")
    .join("\n\n");
}

const noPrice =
  "unknown: no price is set for the model (providers.NAME.prices in config.yaml), so its cost is not in the sum.";

/** Models say at the end of an answer what it took. */
const cutOff = (rows: number): readonly string[] =>
  rows === 0
    ? []
    : [
        `at least: ${rows === 1 ? "1 request was" : `${rows} requests were`} cut off before the model said how many tokens it took, so the sums may be too small.`,
      ];

const cells: readonly (readonly [head: string, cell: (sum: UsageSum) => string])[] = [
  ["input", ({ input }) => tokensText(input)],
  ["cached", ({ cached }) => tokensText(cached)],
  ["output", ({ output }) => tokensText(output)],
  ["reasoning", ({ reasoning }) => tokensText(reasoning)],
  ["USD", costText],
];

/** A cost that is only known in part says so. */
function costText({ cost, unpriced }: UsageSum): string {
  if (cost === undefined) return "unknown";
  return unpriced === 0 ? usdText(cost) : `${usdText(cost)} + unknown`;
}

function table(head: string, sums: readonly NamedSum[]): string {
  const rows = [
    [head, ...cells.map(([name]) => name)],
    ...sums.map((sum) => [short(sum.name, 100), ...cells.map(([, cell]) => cell(sum))]),
  ];
  return columns(rows, (column) => column > 0);
}
