import type { Check } from "../../core/host.ts";
import { blockProbes } from "./check-codex-block.ts";
import { codexProbes } from "./check-codex.ts";
import { type CheckSources, type Facts, gather } from "./facts.ts";
import { fileProbes } from "./check-files.ts";
import { machineProbes } from "./check-machine.ts";
import { mediaProbes } from "./check-media.ts";
import { mcpProbes } from "./check-mcp.ts";
import { type Finding, type Probe, lookAt } from "./probe.ts";
import { routeProbes } from "./check-route.ts";
import { safetyProbes } from "./check-safety.ts";
import { settingsProbes } from "./check-settings.ts";
import { storeProbes } from "./check-store.ts";

/** What `doctor` looks at, in the order in which it matters. */
const probes = (facts: Facts): readonly Probe[] => [
  ...machineProbes(facts),
  ...fileProbes(facts),
  ...settingsProbes(facts),
  ...storeProbes(facts),
  ...mediaProbes(facts),
  ...routeProbes(facts),
  ...codexProbes(facts),
  ...blockProbes(facts),
  ...safetyProbes(facts),
  ...mcpProbes(facts),
];

/** Everything at once, in order. Changes nothing, and comes to an end whatever hangs. */
export async function* findings(
  sources: CheckSources,
  signal: AbortSignal,
): AsyncGenerator<Finding, void, void> {
  yield* lookAt(probes(gather(sources, signal)), sources.clock, signal);
}

/** The same as plain data. */
export function checkOf(finding: Finding): Check {
  const { mend: _, ...check } = finding;
  return check;
}

/** For `/doctor`: in a host that is open, with what it has at hand. */
export async function checks(sources: CheckSources): Promise<readonly Check[]> {
  const { signal } = new AbortController();
  return (await Array.fromAsync(findings(sources, signal))).map(checkOf);
}
