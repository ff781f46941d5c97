import type { Fault } from "../../core/faults.ts";
import type { TurnLimit } from "../../core/spend.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { Asking } from "../index.ts";

/** The time that a turn may work. Waiting for a person is not work. */
export type TurnBudget = Disposable & {
  /** Aborts when it is used up. */
  readonly signal: AbortSignal;
  /** The same questions, with the clock stopped while any of them waits for its answer. */
  pausing(asking: Asking): Asking;
};

export function turnBudget(clock: Clock, ms: number | undefined): TurnBudget {
  const spent = new AbortController();
  let left = ms ?? Number.POSITIVE_INFINITY;
  let open = 0;
  let running = new AbortController();
  let since = 0;

  const run = (): void => {
    if (left === Number.POSITIVE_INFINITY) return;
    since = clock.monotonic();
    running = new AbortController();
    clock.sleep(Math.min(left, longestSleepMs), running.signal).then(
      () => spent.abort(new Error("the turn's budget is used up")),
      () => {}, // paused, or over
    );
  };
  const pause = (): void => {
    if (left === Number.POSITIVE_INFINITY) return;
    running.abort(noLongerNeeded);
    left = Math.max(0, left - (clock.monotonic() - since));
  };
  const whileWaiting = async <Answer>(wait: () => Promise<Answer>): Promise<Answer> => {
    if (open === 0) pause();
    open += 1;
    try {
      return await wait();
    } finally {
      open -= 1;
      if (open === 0) run();
    }
  };

  run();
  return {
    signal: spent.signal,
    pausing: ({ ask, inquire }) => ({
      ask: (question, signal, call) => whileWaiting(() => ask(question, signal, call)),
      inquire: (form, signal) => whileWaiting(() => inquire(form, signal)),
    }),
    [Symbol.dispose]: () => running.abort(noLongerNeeded),
  };
}

/** Timers that are set for longer end at once. */
const longestSleepMs = 2 ** 31 - 1;

/** How long a turn may work, and which setting says so. */
export type WorkLimit = { readonly ms: number | undefined; readonly key: string };

/** The smaller one of what every turn may and what this one may. */
export function workLimit(every: number | undefined, own: TurnLimit | undefined): WorkLimit {
  const { workMs = Number.POSITIVE_INFINITY, section } = own ?? {};
  if (workMs < (every ?? Number.POSITIVE_INFINITY)) return { ms: workMs, key: `${section}.max_seconds` };
  return { ms: every, key: "turn.budget" };
}

export const budgetSpent = ({ ms = 0, key }: WorkLimit): Fault => ({
  code: "refused",
  message: `The turn was ended after ${ms / 1000} s of work, which is its budget.`,
  next: `What it finished is kept. Send “go on”, or raise ${key} in config.yaml.`,
});
