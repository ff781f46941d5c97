import type { Kysely, Transaction } from "kysely";
import { FaultError } from "../core/faults.ts";
import type { SessionId } from "../core/ids.ts";
import type { Clock } from "../lib/clock.ts";
import type { Apart, Engine, Work } from "./engine.ts";
import { ownCommits } from "./own-commits.ts";
import type { Database, LeaseName } from "./schema/database.ts";
import type { Duty } from "./schema/lease-tables.ts";
import { sharedCommit } from "./shared-commit.ts";

/** The ways to the data. All wait for others, and say trouble with the medium as a FaultError. */
export type Access = {
  /** Whose rows count of what lies on a disk: this machine's, or without a name those of whoever has the file that is the store. */
  readonly machine: string;
  /** Several may be in the middle of a write at once, so what a write rests on has to be locked by it. */
  readonly isShared: boolean;
  read<T>(work: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  /** All or nothing, as if nobody else wrote meanwhile. `work` may run again, so it must do nothing but ask the database. */
  write<T>(work: Work<T>): Promise<T>;
  /**
   * A write whose first statement locks the row of this lease (`requireLease`, `requireTurn`, `acquireLease`), and which
   * touches what belongs to it alone: the row's lock is then all the order it needs.
   */
  held<T>(lease: Holding, work: Work<T>): Promise<T>;
  /** A write whose first statement locks the row of a board, and which touches the cards of that one alone. */
  onBoard<T>(work: Work<T>): Promise<T>;
  /** A step of the schema. */
  alter<T>(work: Work<T>): Promise<T>;
  /** Resolves when every write that was asked for is done. */
  settled(): Promise<void>;
};

export type Holding = { readonly session: SessionId } | { readonly duty: Duty };

export const leaseName = (of: Holding): LeaseName => ("duty" in of ? of.duty : `session:${of.session}`);

/** Another process's transaction takes a millisecond. One that lasts this long is stuck, and people must hear of it. */
const patienceMs = 20_000;
const pausesMs = [1, 2, 5, 10, 20, 50, 100];

export function accessTo(db: Kysely<Database>, engine: Engine, clock: Clock, machine = ""): Access {
  const transact = <T>(apart: Apart, work: Work<T>): Promise<T> =>
    patiently(() => engine.transact(db, apart, work));
  const { run, settled } = engine.isShared ? ownCommits(transact) : shared();
  return {
    machine: engine.isShared ? machine : "",
    isShared: engine.isShared,
    read: (work) => patiently(() => work(db)),
    write: (work) => run("everything", work),
    held: (lease, work) => run(leaseName(lease), work),
    onBoard: (work) => run("board", work),
    alter: (work) => run("schema", work),
    settled,
  };

  function shared(): ReturnType<typeof ownCommits> {
    const all = sharedCommit<Transaction<Database>>((work) => transact("everything", work));
    return { run: (_apart, work) => all.write(work), settled: () => all.settled() };
  }

  /** Waits outside the database call: the process stays awake for everything else meanwhile. */
  async function patiently<T>(job: () => Promise<T>): Promise<T> {
    const start = clock.monotonic();
    for (let attempt = 0; ; attempt++) {
      try {
        return await job();
      } catch (error) {
        if (!engine.isBusy(error, attempt) || clock.monotonic() - start >= patienceMs) throw told(error);
      }
      await clock.sleep(pausesMs[attempt] ?? 100, undefined, { hold: true });
    }
  }

  function told(error: unknown): unknown {
    const fault = engine.toFault(error);
    return fault === undefined ? error : new FaultError(fault, error);
  }
}
