import { type Prices, unnamedModel } from "../../core/host.ts";
import { clean } from "../../core/plain-text.ts";

/**
 * That a budget in USD limits nothing of these models; `undefined`: the prices of all are known. A model without a name is that of
 * the settings. `instead`: the budget that would hold.
 */
export function unpricedText(
  { provider, model: standard, priced }: Prices,
  models: readonly (string | undefined)[],
  instead = "a budget of tokens",
): string | undefined {
  const asked = new Set(models.map((model) => model ?? standard));
  const unknown = [...asked].filter((name) =>
    // Which one it will be is not known before it has answered.
    name === unnamedModel ? (priced ?? []).length === 0 : priced?.includes(name) !== true,
  );
  if (unknown.length === 0) return undefined;
  const names = unknown.map((name) =>
    name === unnamedModel ? "the model that the provider chooses" : clean(name),
  );
  const next =
    priced === undefined
      ? `use ${instead}`
      : `set providers.${provider}.prices in config.yaml, or ${instead}`;
  return `no price of ${names.join(", ")} at ${provider} is known, so a budget in USD limits nothing there: ${next}`;
}
