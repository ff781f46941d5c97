import type { Dialect, Expression, Kysely, SqlBool, Transaction } from "kysely";
import type { Fault } from "../core/faults.ts";
import type { SearchHit, SearchQuery } from "../core/session.ts";
import type { Clock } from "../lib/clock.ts";
import type { Database, LeaseName } from "./schema/database.ts";

/**
 * What keeps a transaction apart from others: the row of a lease or of a board, which it locks first; everything, so that
 * it is as if it ran alone; or the schema, which one process changes at a time.
 */
export type Apart = LeaseName | "board" | "everything" | "schema";

export type Work<T> = (tx: Transaction<Database>) => Promise<T>;

/** What one database does differently from another. Everything else is written once, over Kysely. */
export type Engine = {
  readonly dialect: Dialect;
  /** Where the data is, for people. */
  readonly place: string;
  /** Each entry is one step of the schema; its version is its index + 1. */
  readonly migrations: readonly (readonly string[])[];
  /** What the steps up to this version make of an empty database. */
  readonly whole: { readonly version: number; readonly statements: readonly string[] };
  /** 0: nothing is there yet. */
  version(db: Kysely<Database>): Promise<number>;
  setVersion(tx: Transaction<Database>, version: number): Promise<void>;
  search(db: Kysely<Database>, query: SearchQuery): Promise<readonly SearchHit[]>;
  /** Holds for events before which none can be committed any more. Missing: for all that can be seen. */
  readonly eventsSettled?: Expression<SqlBool>;
  /** Calls back within 250 ms after a commit of another process, until the signal aborts. */
  watchOthers(db: Kysely<Database>, changed: () => void, clock: Clock, signal: AbortSignal): Promise<void>;
  /**
   * By several machines, which write at the same time. Else there is one writer at a time, and writes of the same moment
   * wait for one commit together.
   */
  readonly isShared: boolean;
  transact<T>(db: Kysely<Database>, apart: Apart, work: Work<T>): Promise<T>;
  /** After the writes of others to the same medium, so that none is cut off. */
  close(db: Kysely<Database>): Promise<void>;
  /** Somebody else is in the way, nothing was done, and trying again can help. */
  isBusy(error: unknown, attempt: number): boolean;
  /** What to tell people when the medium is to blame; `undefined` when it is not. */
  toFault(error: unknown): Fault | undefined;
  /** Left out where those who run the database keep copies of it. */
  readonly backups?: Backups;
};

/** Copies of the whole store, each as it was before its schema was changed. */
export type Backups = {
  /** While nobody else can write. Gives where it is. */
  keep(version: number): Promise<string>;
  /** The one with the newest schema among those that a program which knows this one can open. */
  newest(version: number): string | undefined;
};
