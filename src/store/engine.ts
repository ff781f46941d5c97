import type { Dialect, Kysely, Transaction } from "kysely";
import type { Fault } from "../core/faults.ts";
import type { SearchHit, SearchQuery } from "../core/session.ts";
import type { Database, LeaseName } from "./schema/database.ts";

/**
 * What keeps a transaction apart from others: the row of a lease, which it locks first; everything, so that it is as if
 * it ran alone; or the schema, which one process changes at a time.
 */
export type Apart = LeaseName | "everything" | "schema";

export type Work<T> = (tx: Transaction<Database>) => Promise<T>;

/** What one database does differently from another. Everything else is written once, over Kysely. */
export type Engine = {
  readonly dialect: Dialect;
  /** Where the data is, for people. */
  readonly place: string;
  /** Each entry is one step of the schema, run in one transaction; its version is its index + 1. */
  readonly migrations: readonly (readonly string[])[];
  /** 0: nothing is there yet. */
  version(db: Kysely<Database>): Promise<number>;
  setVersion(tx: Transaction<Database>, version: number): Promise<void>;
  search(db: Kysely<Database>, query: SearchQuery): Promise<readonly SearchHit[]>;
  /** One writer at a time: writes of the same moment may wait for one commit together. Else each has its own. */
  readonly sharesCommits: boolean;
  transact<T>(db: Kysely<Database>, apart: Apart, work: Work<T>): Promise<T>;
  /** After the writes of others to the same medium, so that none is cut off. */
  close(db: Kysely<Database>): Promise<void>;
  /** Somebody else is in the way, nothing was done, and trying again can help. */
  isBusy(error: unknown, attempt: number): boolean;
  /** What to tell people when the medium is to blame; `undefined` when it is not. */
  toFault(error: unknown): Fault | undefined;
};
