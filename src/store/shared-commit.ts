import { FaultError } from "../core/faults.ts";

/** Does all of `work` or nothing. `work` may be called more than once. */
type Transact<Tx> = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

type QueuedWrite<Tx> = {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};

export type SharedCommit<Tx> = {
  readonly write: Transact<Tx>;
  /** Resolves when everything that was asked for until now is done. */
  settled(): Promise<void>;
};

/**
 * Writes that are asked for in the same tick share one transaction, in their order: a commit waits for the disk, and then
 * sessions that run side by side wait together. Each is told of its own result, after the commit.
 */
export function sharedCommit<Tx>(transact: Transact<Tx>): SharedCommit<Tx> {
  let queued: QueuedWrite<Tx>[] = [];
  let last = Promise.resolve();

  function start(): void {
    const group = queued;
    queued = [];
    last = both(last, commit(transact, group));
  }

  return {
    write: <T>(work: (tx: Tx) => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        queued.push({ work, resolve: resolve as (value: unknown) => void, reject });
        if (queued.length === 1) setImmediate(start);
      }),
    async settled() {
      if (queued.length > 0) await new Promise((resolve) => setImmediate(resolve));
      await last;
    },
  };
}

/** Never rejects. */
async function commit<Tx>(transact: Transact<Tx>, group: readonly QueuedWrite<Tx>[]): Promise<void> {
  const alone = async ({ work, resolve, reject }: QueuedWrite<Tx>): Promise<void> =>
    transact(work).then(resolve, reject);
  const [first, ...others] = group;
  if (first !== undefined && others.length === 0) return alone(first);
  try {
    const results = await transact(async (tx) => {
      const values: unknown[] = [];
      for (const { work } of group) values.push(await work(tx));
      return values;
    });
    for (const [at, { resolve }] of group.entries()) resolve(results[at]);
  } catch (error) {
    if (error instanceof FaultError) return group.forEach(({ reject }) => reject(error));
    // One of them failed, and the others were rolled back with it: each is tried by itself.
    for (const each of group) await alone(each);
  }
}

async function both(first: Promise<void>, second: Promise<void>): Promise<void> {
  await first;
  await second;
}
