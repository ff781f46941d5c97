import { Cron } from "croner";
import type { Timing } from "../../core/work/work.ts";

/**
 * The next instant behind this one. Where clocks are changed, an expression with one hour and one minute is due once: at the
 * first of two such times, and just after the gap when there is none. All others are due whenever the clock on the wall
 * says so.
 */
export function nextAfter(timing: Timing, after: number): number | undefined {
  switch (timing.kind) {
    case "once":
      return timing.at > after ? timing.at : undefined;
    case "every": {
      const { ms, from } = timing;
      return from + ms * Math.max(1, Math.floor((after - from) / ms) + 1);
    }
    case "cron":
      return expressionOf(timing).nextRun(new Date(after))?.getTime();
  }
}

/** All behind `after`, up to `to`. At most so many: ask again behind the last one. */
export function instantsBetween(timing: Timing, after: number, to: number, most: number): readonly number[] {
  const found: number[] = [];
  for (
    let next = nextAfter(timing, after);
    next !== undefined && next <= to && found.length < most;
    next = nextAfter(timing, next)
  )
    found.push(next);
  return found;
}

/** The next so many. */
export function upcoming(timing: Timing, after: number, count: number): readonly number[] {
  return instantsBetween(timing, after, Number.MAX_SAFE_INTEGER, count);
}

/** To read one takes longer than to ask it. */
const known = new Map<string, Cron>();
const mostKnown = 200;

function expressionOf({ expression, zone }: Extract<Timing, { kind: "cron" }>): Cron {
  const key = `${zone} ${expression}`;
  const found = known.get(key) ?? new Cron(expression, { timezone: zone, paused: true, mode: "5-part" });
  if (known.size >= mostKnown) known.clear();
  known.set(key, found);
  return found;
}
