import { type HomeSources, loadConfig } from "../../config/config.ts";
import { findHome } from "../../config/home.ts";
import { toFailure } from "../../core/failure.ts";
import type { Fault } from "../../core/faults.ts";
import type { Check } from "../../core/host.ts";
import type { CheckUp } from "../../core/maintenance.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { isGoneFrom, knownHostId } from "../../lib/process/host-id.ts";
import { openStoreAt } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import type { OpenHostParts } from "../host-parts.ts";
import { codexProbes } from "./check-codex.ts";
import { fileProbes, mediaProbes } from "./check-files.ts";
import { gatewayProbes } from "./check-gateway.ts";
import { machineProbes } from "./check-machine.ts";
import { mcpProbes } from "./check-mcp.ts";
import { routeProbes } from "./check-route.ts";
import { safetyProbes } from "./check-safety.ts";
import { settingsProbes } from "./check-settings.ts";
import { storeProbes } from "./check-store.ts";
import { type CheckSources, type Facts, gather } from "./facts.ts";
import { type Finding, type Probe, lookAt } from "./probe.ts";

/** What `doctor` looks at, in the order in which it matters. */
const probes = (facts: Facts): readonly Probe[] => [
  ...machineProbes(facts),
  ...fileProbes(facts),
  ...settingsProbes(facts),
  ...storeProbes(facts),
  ...mediaProbes(facts),
  ...routeProbes(facts),
  ...codexProbes(facts),
  ...safetyProbes(facts),
  ...mcpProbes(facts),
  ...gatewayProbes(facts),
];

/** For `/doctor`: in a host that is open, with what it has at hand. */
export async function checks(sources: CheckSources): Promise<readonly Check[]> {
  const { signal } = new AbortController();
  return (await Array.fromAsync(findings(sources, signal))).map(checkOf);
}

export type OpenCheckUp = HomeSources & {
  readonly profile?: string;
  readonly clock?: Clock;
  readonly openParts: OpenHostParts;
  readonly botsElsewhere?: Facts["bots"];
};

/**
 * Needs nothing to be right: a home that is not there, settings that cannot be read and a store that cannot be opened are
 * findings. Rejects with a config fault only when there is no such profile.
 */
export async function openCheckUp(options: OpenCheckUp): Promise<CheckUp> {
  await using stack = new AsyncDisposableStack();
  const sources = await sourcesOf(options, stack);
  let last: readonly Finding[] = [];
  const owned = stack.move();
  return {
    unreadable: "fault" in sources.settings,
    async *look(signal) {
      last = [];
      for await (const finding of findings(sources, signal)) {
        last = [...last, finding];
        yield checkOf(finding);
      }
    },
    fix: () => fix(last),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function sourcesOf(options: OpenCheckUp, stack: AsyncDisposableStack): Promise<CheckSources> {
  const { env, profile, clock = systemClock } = options;
  const flags = profile === undefined ? {} : { profile };
  const location = await findHome({ ...options, flags });
  const machine = await knownHostId(location.paths.hosts).catch(() => undefined);
  return {
    location,
    env,
    clock,
    isGone: isGoneFrom(machine),
    openStore: lazyStore(clock, stack),
    bots: options.botsElsewhere ?? (async () => undefined),
    settings: await loadConfig({ ...options, flags }).then(
      async (loaded) => ({ loaded, ...(await options.openParts(loaded, { ...options, clock }, stack)) }),
      (error: unknown) => ({ fault: toFailure(error) as Fault }),
    ),
  };
}

/** Only one that opening does not change: sound, and of this version. */
function lazyStore(clock: Clock, stack: AsyncDisposableStack): CheckSources["openStore"] {
  let opening: Promise<Store> | undefined;
  stack.defer(async () => void (await (await opening?.catch(() => undefined))?.[Symbol.asyncDispose]()));
  return async (place, health) => {
    const fit = (health.state === "sound" || health.state === "unchecked") && health.schema === health.newest;
    return fit ? (opening ??= openStoreAt(place, { clock })) : undefined;
  };
}

/** Everything at once, in order. Changes nothing, and comes to an end whatever hangs. */
async function* findings(sources: CheckSources, signal: AbortSignal): AsyncGenerator<Finding, void, void> {
  yield* lookAt(probes(gather(sources, signal)), sources.clock, signal);
}

/** The same as plain data. */
function checkOf(finding: Finding): Check {
  const { fix: _, ...check } = finding;
  return check;
}

async function fix(found: readonly Finding[]): Promise<readonly string[]> {
  const done: string[] = [];
  for (const { name, fix: act } of found) {
    if (act === undefined) continue;
    done.push(
      await act().catch((error: unknown) => `${name} could not be fixed: ${toFailure(error).message}`),
    );
  }
  return done;
}
