import { type Clock, timeLimit } from "../../../lib/clock.ts";
import type { ProcessRegistry } from "../../../lib/process/child.ts";
import { startAppServer } from "../process/app-server.ts";
import type { Launch } from "../process/launch.ts";
import { type Fields, fieldsOf, flagIn, listOf, textIn } from "../wire/fields.ts";

export type PluginSource = {
  readonly launch: Launch;
  readonly clock: Clock;
  readonly processes: ProcessRegistry;
  readonly version: string;
};

const patienceMs = 8_000;

/**
 * Native plugins that are installed and can be used, as `name@marketplace`, and whether each is on. Starts a codex for
 * that alone, and ends it. Rejects if that does not work in time.
 */
export async function installedPlugins(source: PluginSource): Promise<ReadonlyMap<string, boolean>> {
  const { launch, clock, processes, version } = source;
  const why = new Error(`codex did not answer within ${patienceMs / 1000} seconds`);
  using late = timeLimit(clock, patienceMs, { why });
  const { signal } = late;
  const server = await startAppServer(launch, {
    clock,
    processes,
    signal,
    optOut: [],
    clientVersion: version,
  });
  try {
    return pluginsIn(await server.request("plugin/list", {}, { signal, timeoutMs: patienceMs }));
  } finally {
    await server.kill();
  }
}

export function pluginsIn(reply: unknown): ReadonlyMap<string, boolean> {
  const markets = listOf(fieldsOf(reply)["marketplaces"]).map(fieldsOf);
  return new Map(
    markets.flatMap((market) =>
      listOf(market["plugins"])
        .map(fieldsOf)
        .filter(isUsable)
        .map((plugin) => [nameOf(plugin, market), flagIn(plugin, "enabled") === true] as const),
    ),
  );
}

/** An old codex does not say whether it is available. */
const isUsable = (plugin: Fields): boolean =>
  flagIn(plugin, "installed") === true && ["AVAILABLE", undefined].includes(textIn(plugin, "availability"));

const nameOf = (plugin: Fields, market: Fields): string =>
  `${textIn(plugin, "name") ?? ""}@${textIn(market, "name") ?? ""}`;
