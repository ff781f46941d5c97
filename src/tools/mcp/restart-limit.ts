import type { Clock } from "../../lib/clock.ts";
import { McpTrouble } from "./trouble.ts";

/** How often a server may be started within a while. */
export type RestartLimit = {
  /** Before every start: waits longer the more there were. Rejects with `McpTrouble` when there were too many. */
  pause(signal: AbortSignal): Promise<void>;
  /** `why`: goes into what is said when there were too many. */
  failed(why: string): void;
  forget(): void;
};

const windowMs = 3 * 60_000;
const maxRestarts = 4;
const firstPauseMs = 100;

export function restartLimit(clock: Clock): RestartLimit {
  let starts: readonly number[] = [];
  let lastFailure = Number.NEGATIVE_INFINITY;
  let lastWhy = "";
  return {
    async pause(signal) {
      const now = clock.monotonic();
      starts = starts.filter((at) => now - at < windowMs);
      const [oldest = now] = starts;
      if (starts.length > maxRestarts)
        throw tooOften(starts.length, Math.ceil((oldest + windowMs - now) / 1000), lastWhy);
      const pauseMs = starts.length === 0 ? 0 : firstPauseMs * 2 ** (starts.length - 1);
      const left = lastFailure + pauseMs - now;
      starts = [...starts, now];
      if (left > 0) await clock.sleep(left, signal, { hold: true });
    },
    failed(why) {
      lastFailure = clock.monotonic();
      lastWhy = why;
    },
    forget: () => void (starts = []),
  };
}

const tooOften = (times: number, seconds: number, why: string): McpTrouble =>
  new McpTrouble(
    `was started ${times} times within 3 minutes and did not stay. It is tried again in ${seconds} s at the earliest, or with /mcp restart. The last time it ${why}`,
    { isLimit: true },
  );
