import type { Clock } from "../../../lib/clock.ts";

const backoffMs = [500, 2_000, 8_000, 30_000] as const;
const windowMs = 3 * 60_000;

/** `wait`: after so long it may be started. `parked`: it ended too often, and is left alone for so long. */
export type RestartVerdict =
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "parked"; readonly ms: number };

export type RestartPolicy = {
  /** It ended, and nobody wanted that. */
  crashed(): void;
  /** May it be started? The first start after a crash counts. */
  start(): RestartVerdict;
};

/** Four restarts within three minutes, each after a longer pause; time alone makes it forget. */
export function restartPolicy(clock: Clock): RestartPolicy {
  let restarts: readonly number[] = [];
  let crashedMs: number | undefined;

  return {
    crashed() {
      crashedMs = clock.monotonic();
    },
    start() {
      if (crashedMs === undefined) return { kind: "wait", ms: 0 };
      const now = clock.monotonic();
      restarts = restarts.filter((time) => now - time < windowMs);
      const pause = backoffMs[restarts.length];
      if (pause === undefined) return { kind: "parked", ms: windowMs - (now - (restarts[0] ?? now)) };
      const ms = Math.max(0, crashedMs + pause - now);
      restarts = [...restarts, now + ms];
      crashedMs = undefined;
      return { kind: "wait", ms };
    },
  };
}
