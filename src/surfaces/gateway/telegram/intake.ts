import type { ChatEvent } from "../../../core/gateway/chat.ts";
import type { ServeLog } from "../../../core/serving/door.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withinTime } from "../../../lib/time-limit.ts";
import type { Health } from "./health.ts";
import { parse } from "./parse.ts";
import type { TelegramBot } from "./wire.ts";

/** Longer than it takes to store something, however busy the machine is. */
const takeMs = 60_000;

/** Hands an update over; false: it was not taken, and has to come again. Never rejects. */
export type Intake = (update: unknown) => Promise<boolean>;

export function newIntake(deps: {
  readonly self: TelegramBot;
  readonly take: (event: ChatEvent) => Promise<void>;
  readonly clock: Clock;
  readonly log: ServeLog;
  readonly health: Health;
  readonly over: AbortSignal;
}): Intake {
  const { clock, health, log } = deps;
  const parsed = (update: unknown): ChatEvent => {
    try {
      return parse(update, deps.self, clock.now());
    } catch (error) {
      log("telegram: an update could not be read", { why: String(error) });
      return { kind: "other", what: "unreadable" };
    }
  };
  return async (update) => {
    const event = parsed(update);
    if (event.kind !== "other") health.happened();
    try {
      const taken = await withinTime(takeMs, clock, deps.over, () => deps.take(event));
      if (taken.end === "done") return true;
      if (taken.end === "late") log("telegram: an update was not taken in time");
    } catch (error) {
      log("telegram: an update was not taken", { why: String(error) });
    }
    health.trouble("recovering", "Messages arrive, but could not be stored. They are fetched again.");
    return false;
  };
}
