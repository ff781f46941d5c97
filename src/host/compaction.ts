import type { AgentDeps } from "../agent/index.ts";
import type { Config } from "../config/config.ts";
import type { Auxiliary } from "../core/auxiliary.ts";

/** How long conversations are shortened, as the settings want it. */
export function compaction(config: Config, auxiliary: Auxiliary): NonNullable<AgentDeps["compaction"]> {
  const provider = config.providers[config.model.provider];
  const window = provider?.kind === "route" ? provider.contextWindow : undefined;
  return { auxiliary, threshold: config.compression.threshold, window: () => window };
}
