import type { Clock } from "../../../src/lib/clock.ts";
import type { PlannedFaults } from "./faults.ts";
import { ApiRefusal } from "./limits.ts";
import type { Args } from "./methods.ts";
import type { Update, World } from "./world.ts";

export type Polls = {
  /** getUpdates: what waits, or what comes within its time. `gone`: the client has hung up. */
  poll(args: Args, gone: AbortSignal): Promise<readonly object[]>;
  /** Is one open, and waits? */
  isOpen(): boolean;
  /** Something has changed that an open one has to know. */
  wake(): void;
  /** Delivers it once more, although it was confirmed. */
  again(update: Update): void;
};

const conflict = (why: string): ApiRefusal => new ApiRefusal(409, `Conflict: ${why}`);

export function newPolls(
  world: World,
  faults: PlannedFaults,
  clock: Clock,
  hasWebhook: () => boolean,
  tell: () => void,
): Polls {
  let open: { readonly end: AbortController } | undefined;
  let news = Promise.withResolvers<void>();
  let repeated: Update[] = [];

  /** An offset confirms all before it. */
  const waiting = ({ offset, limit, allowed_updates: allowed }: Args): readonly Update[] => {
    if (offset !== undefined)
      world.updates = world.updates.filter(({ update_id }) => update_id >= Number(offset));
    if (Array.isArray(allowed) && allowed.length > 0) {
      world.updates = world.updates.filter((update) =>
        allowed.some((kind) => update[String(kind)] !== undefined),
      );
    }
    const extra = repeated;
    repeated = [];
    return [...extra, ...world.updates].slice(0, Number(limit ?? 100));
  };

  const check = (mine: AbortController): void => {
    if (hasWebhook()) {
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    if (!faults.now.otherPoller && !mine.signal.aborted) return;
    throw conflict("terminated by other getUpdates request; make sure that only one bot instance is running");
  };

  const wait = async (args: Args, mine: AbortController, gone: AbortSignal): Promise<readonly object[]> => {
    const late = new AbortController();
    const over = AbortSignal.any([gone, late.signal]);
    const ms = 1000 * Number(args["timeout"] ?? 0);
    let isLate = ms === 0;
    const time = clock.sleep(ms, over).then(
      () => void (isLate = true),
      () => {},
    );
    try {
      for (;;) {
        check(mine);
        const found = waiting(args);
        if (found.length > 0 || isLate || gone.aborted) return faults.now.order(found);
        tell();
        const ended = Promise.withResolvers<void>();
        const end = (): void => ended.resolve();
        for (const signal of [mine.signal, gone]) signal.addEventListener("abort", end, { once: true });
        await Promise.race([news.promise, time, ended.promise]);
        for (const signal of [mine.signal, gone]) signal.removeEventListener("abort", end);
      }
    } finally {
      late.abort();
    }
  };

  return {
    async poll(args, gone) {
      open?.end.abort();
      const mine = { end: new AbortController() };
      open = mine;
      try {
        return await wait(args, mine.end, gone);
      } finally {
        if (open === mine) open = undefined;
      }
    },
    isOpen: () => open !== undefined,
    wake() {
      news.resolve();
      news = Promise.withResolvers();
    },
    again(update) {
      repeated.push(update);
      this.wake();
    },
  };
}
