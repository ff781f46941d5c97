import { type ScheduleId, asId } from "../../src/core/ids.ts";
import type { Store } from "../../src/store/store.ts";
import type { MovedClock } from "./planned.ts";

/** What the two schedulers see of the store in place of what it is. */
export type Mutant = (stores: readonly [Store, Store], clock: MovedClock) => readonly [Store, Store];

/** Dies before its so-many-th write. */
export function killed(store: Store, after: number): Store {
  let left = after;
  const { outcomes } = store;
  const plan: Store["outcomes"]["plan"] = (of, rows) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error("killed")) : outcomes.plan(of, rows);
  };
  return { ...store, outcomes: { ...outcomes, plan } };
}

/** Faults that others have had. Each must be noticed. */
export const mutants: Readonly<Record<string, Mutant>> = {
  "reading moves the schedule": (stores, clock) => both(stores, (store) => readingMoves(store, clock)),
  "no unique key": ([first, second]) => [forgetful(first), forgetful(otherKey(second))],
  "the next time is stored": (stores, clock) => {
    const looked = new Map<ScheduleId, number>();
    return both(stores, (store) => storedNext(store, looked, clock));
  },
};

const both = (
  [first, second]: readonly [Store, Store],
  change: (store: Store) => Store,
): readonly [Store, Store] => [change(first), change(second)];

function readingMoves(store: Store, clock: MovedClock): Store {
  const { schedules } = store;
  const list: Store["schedules"]["list"] = async () => {
    for (const { id, revision } of await schedules.list())
      await schedules.change(id, revision, { since: clock.now() });
    return schedules.list();
  };
  return { ...store, schedules: { ...schedules, list } };
}

/** Looks at everything from the beginning, as one that has just started. */
const forgetful = (store: Store): Store => ({
  ...store,
  outcomes: { ...store.outcomes, lastInstants: async () => new Map() },
});

/** Its rows never meet those of the other one. */
const otherKey = (store: Store): Store => ({
  ...store,
  outcomes: {
    ...store.outcomes,
    plan: (of, rows) =>
      store.outcomes.plan(
        of,
        rows.map((row) => ({ ...row, kind: "manual" })),
      ),
  },
});

/** What was looked at counts as done, before anything of it was written down. */
const storedNext = (store: Store, looked: Map<ScheduleId, number>, clock: MovedClock): Store => ({
  ...store,
  outcomes: {
    ...store.outcomes,
    lastInstants: async () => looked,
    planned(schedule) {
      if (schedule !== undefined) looked.set(asId<"sch">(schedule), clock.now());
      return store.outcomes.planned(schedule);
    },
  },
});
