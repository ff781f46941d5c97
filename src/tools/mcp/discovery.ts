import type { Clock } from "../../lib/clock.ts";
import { nobodyWaits } from "../../lib/nobody-waits.ts";
import type { Pins } from "./pins.ts";
import type { McpServer } from "./server.ts";
import { toolsetOf } from "./tool-names.ts";

type Deps = {
  readonly pins: Pins;
  readonly clock: Clock;
  readonly waitMs: number;
  readonly isOff: (toolset: string) => boolean;
};

/**
 * Starts every server of which nothing is known yet. The first time it is waited for a little; one that takes longer
 * goes on, and has its tools with a later turn. Never rejects.
 */
export function discovery(
  { pins, clock, waitMs, isOff }: Deps,
  servers: ReadonlyMap<string, McpServer>,
): (signal: AbortSignal) => Promise<void> {
  const waitedFor = new Set<McpServer>();
  return async (signal) => {
    if (servers.size === 0) return;
    const seen = new Set((await pins.list()).map(({ server }) => server));
    const unseen = [...servers.values()].filter(
      (server) =>
        !isOff(toolsetOf(server.settings.name)) &&
        !seen.has(server.settings.name) &&
        server.offer() === undefined,
    );
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    const starts = unseen.map((server) => ({
      isNew: !waitedFor.has(server),
      started: server.start(stop).catch(() => {}), // its state tells
    }));
    for (const server of unseen) waitedFor.add(server);
    const waits = starts.filter(({ isNew }) => isNew).map(({ started }) => started);
    if (waits.length > 0) {
      const late = clock.sleep(waitMs, stop, { hold: true }).catch(() => {});
      await Promise.race([Promise.all(waits), late]);
    }
    over.abort(nobodyWaits);
  };
}
