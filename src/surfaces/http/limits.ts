import type { Clock } from "../../lib/clock.ts";
import { HttpFailure } from "./failures.ts";

const minute = 60_000;

export type Counter = {
  /** Counts one more. The seconds to wait, when there were too many. */
  add(name: string): number | undefined;
};

/** How often something was done in the last minute, by name. What is older is forgotten. */
export function perMinute(most: number, clock: Clock): Counter {
  const windows = new Map<string, { since: number; count: number }>();
  return {
    add(name) {
      const now = clock.monotonic();
      for (const [other, { since }] of windows) {
        if (now - since < minute) break; // in the order of their beginning
        windows.delete(other);
      }
      const window = windows.get(name) ?? { since: now, count: 0 };
      windows.set(name, window);
      window.count += 1;
      return window.count <= most ? undefined : Math.ceil((window.since + minute - now) / 1000);
    },
  };
}

export const tooMany = (what: string, retryAfter: number): HttpFailure =>
  new HttpFailure(429, "rate_limited", `Too many ${what}.`, `Try again in ${retryAfter} s.`, { retryAfter });

/** An address in one spelling, so that the same machine is counted once. */
export const canonical = (address: string | undefined): string =>
  (address ?? "unknown").toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
