export type Lanes<Key> = {
  /** Settles as the job does. A job that fails does not stop the ones behind it. */
  run<T>(key: Key, job: () => T | Promise<T>): Promise<T>;
  /** Jobs of this key that have not started. */
  waiting(key: Key): number;
  /** Resolves when nothing runs or waits, jobs added meanwhile included. */
  drain(): Promise<void>;
};

type Lane = { waiting: number; tail: Promise<unknown> };

/** Jobs of one key run one after the other, in the order they came; different keys run side by side. */
export function lanes<Key>(): Lanes<Key> {
  const open = new Map<Key, Lane>();

  return {
    run(key, job) {
      const lane = open.get(key) ?? { waiting: 0, tail: Promise.resolve() };
      open.set(key, lane);
      lane.waiting += 1;
      const mine = lane.tail.then(() => {
        lane.waiting -= 1;
        return job();
      });
      const leave = (): void => {
        if (lane.tail === tail) open.delete(key);
      };
      const tail = mine.then(leave, leave);
      lane.tail = tail;
      return mine;
    },
    waiting: (key) => open.get(key)?.waiting ?? 0,
    async drain() {
      while (open.size > 0) await Promise.all([...open.values()].map((lane) => lane.tail));
    },
  };
}
