import type { AgentDeps } from "../../agent/index.ts";
import type { Config } from "../../config/config.ts";
import type { Auxiliary } from "../../core/auxiliary.ts";

/** How long conversations are shortened, as the settings want it. */
export function compaction(config: Config, auxiliary: Auxiliary): NonNullable<AgentDeps["compaction"]> {
  const window = contextWindow(config);
  return { auxiliary, threshold: config.compression.threshold, window: () => window };
}

/** Tokens that the models of the chosen provider can read, if the settings say it. */
export function contextWindow({ providers, model }: Config): number | undefined {
  const provider = providers[model.provider];
  return provider?.kind === "route" ? provider.contextWindow : undefined;
}
