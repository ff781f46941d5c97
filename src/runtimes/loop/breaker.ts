import { createHash } from "node:crypto";
import type { Fault } from "../../core/faults.ts";
import type { CallItem } from "../../core/items.ts";

const remindAt = 3;
const stopAt = 5;

/** Notices when a model goes in circles. Calls of one answer count as one: it has not seen their results yet. */
export type Breaker = {
  readonly nextAnswer: () => void;
  /** What to tell the model beside this result. */
  readonly remark: (item: CallItem) => readonly string[];
  /** Set once the same call has failed in the same way too often, with nothing that worked in between. */
  readonly stuck: () => Fault | undefined;
};

export function breaker(): Breaker {
  const times = new Map<string, number>();
  const failures = new Map<string, number>();
  let counted = new Set<string>();
  let stuck: Fault | undefined;
  return {
    nextAnswer() {
      counted = new Set();
    },
    remark(item) {
      const key = keyOf(item);
      if (item.ok) failures.clear();
      if (counted.has(key)) return [];
      counted.add(key);
      const seen = (times.get(key) ?? 0) + 1;
      times.set(key, seen);
      if (!item.ok) failures.set(key, (failures.get(key) ?? 0) + 1);
      if ((failures.get(key) ?? 0) >= stopAt) stuck = goesInCircles(item.tool);
      return seen < remindAt ? [] : [reminder(seen)];
    },
    stuck: () => stuck,
  };
}

/** Outputs are long, and there may be many. */
const keyOf = ({ tool, args, ok, output }: CallItem): string =>
  createHash("sha256")
    .update(JSON.stringify([tool, args, ok, output]))
    .digest("base64");

const reminder = (times: number): string =>
  `[Talaria: this call has had this result ${times} times in this turn. Do something else, or answer with what you know.]`;

const goesInCircles = (tool: string): Fault => ({
  code: "refused",
  message: `The model called ${tool} ${stopAt} times in the same way and it failed in the same way each time, so the turn was ended.`,
  next: "What it did is kept. Say what it should do differently, or ask for a smaller step.",
});
