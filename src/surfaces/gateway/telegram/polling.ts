import { fieldsOf, listOf } from "../../../core/json.ts";
import { sentence } from "../../../core/plain-text.ts";
import type { ServeLog } from "../../../core/serving/door.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Answered, Calls } from "./calls.ts";
import { newConflict } from "./conflict.ts";
import { type CallFailure, tokenAdvice, whyOf } from "./failures.ts";
import type { Health } from "./health.ts";
import type { Intake } from "./intake.ts";
import { integer } from "./wire.ts";

export const allowedUpdates = ["message", "edited_message", "channel_post", "callback_query"] as const;

const pollSeconds = 30;
/** A poll that has not ended by then never will. */
const pollMs = 45_000;
const [firstPauseMs, longestPauseMs] = [1_000, 30_000];
const wrongTokenMs = 60_000;
const farewellMs = 2_000;

export type Polling = {
  readonly calls: Calls;
  readonly intake: Intake;
  readonly health: Health;
  readonly clock: Clock;
  readonly log: ServeLog;
  readonly over: AbortSignal;
};

/**
 * Receives by long polls until it is over. An update counts as taken with the next poll, whose offset says so, and only once it was handed
 * over; what was not comes again. Whatever goes wrong, there is a next poll: on a new connection, after a pause that grows.
 */
export async function poll(polling: Polling): Promise<void> {
  const { health, clock, over } = polling;
  const conflict = newConflict(clock);
  let offset: number | undefined;
  let failures = 0;
  while (!over.aborted) {
    // The first one after a failure does not wait, so that it is soon known whether all is well again.
    const got = await ask(
      polling,
      offset,
      failures > 0 || health.read().state === "starting" ? 0 : pollSeconds,
    );
    if (over.aborted) break;
    if ("failure" in got) {
      failures += 1;
      const pause = await afterFailure(polling, got.failure, failures, conflict);
      await clock.sleep(pause, over, { hold: true }).catch(() => {});
      health.restarted();
      continue;
    }
    health.received();
    const done = await handOver(polling, got.answer, offset);
    offset = done.offset;
    failures = done.isAll ? 0 : failures + 1;
    const stillIn = conflict.afterPoll();
    if (stillIn !== undefined) health.trouble(stillIn.state, stillIn.detail);
    if (done.isAll && stillIn === undefined) health.connected();
    if (!done.isAll) await clock.sleep(pauseAfter(failures), over, { hold: true }).catch(() => {});
  }
  await confirm(polling, offset);
}

const ask = (
  { calls, over }: Polling,
  offset: number | undefined,
  timeout: number,
): Promise<Answered<readonly unknown[]>> =>
  calls.run(
    async (api, stop) => {
      const updates = await api.getUpdates(
        {
          ...(offset === undefined ? {} : { offset }),
          limit: 100,
          timeout,
          allowed_updates: [...allowedUpdates],
        },
        stop,
      );
      return listOf(updates);
    },
    { signal: over, ms: pollMs },
  );

/**
 * In the order of their numbers, up to the first that is not taken. Once a poll brought nothing, all that came before is confirmed, and no
 * offset is needed: Telegram begins with other numbers after a quiet week, and smaller ones would be passed over.
 */
async function handOver(
  { intake }: Polling,
  updates: readonly unknown[],
  before: number | undefined,
): Promise<{ readonly offset: number | undefined; readonly isAll: boolean }> {
  if (updates.length === 0) return { offset: undefined, isAll: true };
  let offset = before;
  const numbered = updates.map((update) => ({ update, id: integer(fieldsOf(update)["update_id"]) ?? -1 }));
  for (const { update, id } of numbered.toSorted((a, b) => a.id - b.id)) {
    if (!(await intake(update))) return { offset, isAll: false };
    if (id >= 0) offset = Math.max(offset ?? 0, id + 1);
  }
  // Nothing that could be confirmed would come again at once, and for ever.
  return { offset, isAll: offset !== undefined };
}

/** How long to wait. */
async function afterFailure(
  polling: Polling,
  failure: CallFailure,
  failures: number,
  conflict: ReturnType<typeof newConflict>,
): Promise<number> {
  const { calls, health, log, over } = polling;
  calls.drop();
  log("telegram: a poll failed", { why: whyOf(failure), failures });
  switch (failure.kind) {
    case "token":
      health.trouble("failed", tokenAdvice);
      return wrongTokenMs;
    case "conflict": {
      if (/webhook/i.test(failure.why)) {
        health.trouble("recovering", "The bot was set to a webhook; it is set back to polling.");
        await calls.run((api, stop) => api.deleteWebhook({}, stop), { signal: over, ms: pollMs });
        return firstPauseMs;
      }
      const { state, detail } = conflict.met();
      health.trouble(state, detail);
      return pauseAfter(failures + 2);
    }
    case "held":
      health.trouble("recovering", whyOf(failure));
      return failure.ms;
    case "notSent":
    case "refused":
    case "unknown":
      health.trouble("recovering", `${sentence(whyOf(failure))} It is tried again.`);
      return pauseAfter(failures);
  }
}

const pauseAfter = (failures: number): number => Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));

/** So that what was taken is not delivered again after a restart. If it fails, it is, and is known. */
async function confirm({ calls }: Polling, offset: number | undefined): Promise<void> {
  if (offset === undefined) return;
  await calls.run((api, stop) => api.getUpdates({ offset, limit: 1, timeout: 0 }, stop), {
    signal: new AbortController().signal,
    ms: farewellMs,
  });
}
