import type { TurnEvent } from "../../core/events.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";

/** Where a turn says what happens. */
export type EventSink = { push(event: TurnEvent): void };

/** What `run` pushes, until it resolves. Whoever stops reading aborts `left` and waits for the end of it. */
export const pushedEvents = (
  run: (out: EventSink, left: AbortSignal) => Promise<void>,
): AsyncIterable<TurnEvent> => ({
  [Symbol.asyncIterator]() {
    const events: TurnEvent[] = [];
    const left = new AbortController();
    let hand: ((step: IteratorResult<TurnEvent>) => void) | undefined;
    let isOver = false;
    const give = (step: IteratorResult<TurnEvent>): boolean => {
      const waiting = hand;
      hand = undefined;
      waiting?.(step);
      return waiting !== undefined;
    };
    const out: EventSink = {
      push(value) {
        if (!isOver && !give({ done: false, value })) events.push(value);
      },
    };
    const running = run(out, left.signal).finally(() => {
      isOver = true;
      left.abort(noLongerNeeded);
      give(noMore);
    });
    return {
      async next() {
        const value = events.shift();
        if (value !== undefined) return { done: false, value };
        if (isOver) return noMore;
        return new Promise((resolve) => (hand = resolve));
      },
      async return() {
        left.abort(noLongerNeeded);
        await running;
        return noMore;
      },
    };
  },
});

const noMore: IteratorReturnResult<undefined> = { done: true, value: undefined };
