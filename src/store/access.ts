import type { Kysely, Transaction } from "kysely";
import { FaultError } from "../core/faults.ts";
import type { Clock } from "../lib/clock.ts";
import type { Database } from "./schema/database.ts";
import type { Engine } from "./engine.ts";
import { sharedCommit } from "./shared-commit.ts";

/** The two ways to the data. Both wait for others, and say trouble with the medium as a FaultError. */
export type Access = {
  read<T>(work: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  /** All or nothing. `work` may run again, so it must do nothing but ask the database. */
  write<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /**
   * A write whose first statement locks the row of a lease (`requireLease`, `requireTurn`, `acquireLease`), and which
   * touches that session alone: the row's lock is then all the order it needs.
   */
  held<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** Resolves when every write that was asked for is done. */
  settled(): Promise<void>;
};

/** Another process's transaction takes a millisecond. One that lasts this long is stuck, and people must hear of it. */
const patienceMs = 20_000;
const pausesMs = [1, 2, 5, 10, 20, 50, 100];

export function accessTo(db: Kysely<Database>, engine: Engine, clock: Clock): Access {
  const { write, settled } = sharedCommit<Transaction<Database>>((work) =>
    patiently(() => engine.inTurn(() => db.transaction().execute(work))),
  );
  return { read: (work) => patiently(() => work(db)), write, held: write, settled };

  /** Waits outside the database call: the process stays awake for everything else meanwhile. */
  async function patiently<T>(job: () => Promise<T>): Promise<T> {
    const start = clock.monotonic();
    for (let attempt = 0; ; attempt++) {
      try {
        return await job();
      } catch (error) {
        if (!engine.isBusy(error) || clock.monotonic() - start >= patienceMs) throw told(error);
      }
      await clock.sleep(pausesMs[attempt] ?? 100, undefined, { hold: true });
    }
  }

  function told(error: unknown): unknown {
    const fault = engine.toFault(error);
    return fault === undefined ? error : new FaultError(fault, error);
  }
}
