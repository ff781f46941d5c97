import type { Client } from "../../core/calls.ts";
import type { Limit } from "../../core/spend.ts";
import { unpricedText } from "../../operations/text/unpriced.ts";

/** Said where a budget is given, since nothing will say it before the money is spent. */
export async function unpricedWarnings(
  client: Client,
  budget: Limit | undefined,
  models: readonly (string | undefined)[],
  instead?: string,
): Promise<readonly string[]> {
  if (budget?.usd === undefined) return [];
  const warning = unpricedText(await client.call("host.status", {}), models, instead);
  return warning === undefined ? [] : [warning];
}
