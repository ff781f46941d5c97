import { systemClock } from "../../src/lib/clock.ts";
import type { Place } from "../crash/follower.ts";
import type { Random } from "../random.ts";
import type { Way } from "./ways.ts";
import type { World } from "./world.ts";

export type Read = {
  readonly events: readonly Place[];
  readonly connections: number;
  readonly gaps: number;
};

const longestSleepMs = 40;
const mostAtOnce = 60;

/**
 * Follows everything from its start until `over` says where the log ends: reads some, drops the connection, sleeps, and comes
 * back with its cursor. `forgetful`: without it, from now on, as a control.
 */
export async function restless(
  world: World,
  way: Way,
  random: Random,
  over: Promise<string>,
  forgetful = false,
): Promise<Read> {
  const events: Place[] = [];
  let [cursor, connections, gaps] = ["start", 0, 0];
  const log: { end?: string } = {};
  void over.then((place) => (log.end = place));
  while (cursor !== log.end) {
    const left = new AbortController();
    // Whoever has everything would wait for more.
    void over.then((place) => cursor === place && left.abort());
    connections += 1;
    let more = 1 + random.below(mostAtOnce);
    try {
      for await (const event of way(world, cursor, left.signal)) {
        if (event.type === "resume" && event.resume === "gap" && connections > 1) gaps += 1;
        if ("number" in event) events.push({ session: event.session, number: event.number });
        if ("cursor" in event) cursor = event.cursor;
        if ("number" in event && (more -= 1) === 0) break;
        if (cursor === log.end) break;
      }
    } catch (error) {
      if (!left.signal.aborted) throw error;
    }
    left.abort();
    await systemClock.sleep(random.below(longestSleepMs), undefined, { hold: true });
    if (forgetful && log.end === undefined) cursor = await world.end();
  }
  return { events, connections, gaps };
}
