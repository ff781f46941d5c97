import type { Clock } from "../../../lib/clock.ts";
import type { Call } from "./calls.ts";

const longestPauseMs = 30_000;

/** Tries again what failed for a while. Only for calls that change nothing. */
export const patient =
  (call: Call, clock: Clock, over: AbortSignal, tries = 6): Call =>
  async (method, args, limits) => {
    for (let attempt = 1; ; attempt += 1) {
      const answered = await call(method, args, limits);
      if ("answer" in answered || answered.failure.kind === "refused" || attempt === tries) return answered;
      const { failure } = answered;
      const pause =
        failure.kind === "held" ? failure.ms : Math.min(longestPauseMs, 1000 * 2 ** (attempt - 1));
      const isOver = await clock.sleep(pause, over).then(
        () => false,
        () => true,
      );
      if (isOver) return answered;
    }
  };
