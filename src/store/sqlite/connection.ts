import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { SqliteDatabase, SqliteStatement } from "kysely";
import { storable, whole } from "../storable.ts";
import { isIoError } from "./faults.ts";

/** Called around every statement, so that tests can fail or kill the program at each of them. */
export type StatementHook = (sql: string, when: "before" | "after") => void;

/** How long a statement waits for a lock that only the file's recovery takes. Write locks are waited for elsewhere. */
export const busyTimeoutMs = 5000;

/** More than the program has; a bound for statements built from what people ask. */
const mostStatements = 200;

/**
 * node:sqlite in the shape Kysely's SQLite dialect expects. `open` is called again after an I/O error: nobody knows
 * then what reached the disk, and the old handle's memory must not be taken for it.
 */
export class SqliteConnection implements SqliteDatabase {
  readonly #open: () => DatabaseSync;
  readonly #hook: StatementHook;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #control: Readonly<Record<string, SqliteStatement>> = {
    begin: this.#command("begin immediate", () => this.#begin()),
    commit: this.#command("commit", () => this.#db.exec("commit")),
    rollback: this.#command("rollback", () => this.#rollback()),
  };
  #db: DatabaseSync;
  #suspect = false;

  constructor(open: () => DatabaseSync, hook: StatementHook) {
    this.#open = open;
    this.#hook = hook;
    this.#db = open();
  }

  prepare(sql: string): SqliteStatement {
    if (this.#suspect && !(this.#db.isOpen && this.#db.isTransaction)) this.#reopen();
    const known = this.#control[sql] ?? this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= mostStatements) this.#statements.clear();
    const made = this.#statement(sql);
    this.#statements.set(sql, made);
    return made;
  }

  close(): void {
    this.#statements.clear();
    if (this.#db.isOpen) this.#db.close();
  }

  #statement(sql: string): SqliteStatement {
    const prepared = this.#db.prepare(sql);
    return {
      reader: prepared.columns().length > 0,
      all: (parameters) => this.#watched(sql, () => prepared.all(...bound(parameters))),
      run: (parameters) => this.#watched(sql, () => prepared.run(...bound(parameters))),
      iterate: (parameters) => prepared.iterate(...bound(parameters)),
    };
  }

  #command(sql: string, run: () => void): SqliteStatement {
    return {
      reader: false,
      all: () => [],
      iterate: () => [].values(),
      run: () => {
        try {
          this.#watched(sql, run);
        } catch (error) {
          this.#rollback(); // Kysely would do so only for what it saw begin
          throw error;
        }
        return { changes: 0, lastInsertRowid: 0 };
      },
    };
  }

  #watched<T>(sql: string, run: () => T): T {
    try {
      this.#hook(sql, "before");
      const result = run();
      this.#hook(sql, "after");
      return result;
    } catch (error) {
      this.#suspect ||= isIoError(error);
      throw error;
    }
  }

  /**
   * Immediate: a transaction that reads first and writes later would fail whenever another process wrote in between.
   * Without SQLite's own waiting, which would stop the whole process.
   */
  #begin(): void {
    this.#db.exec("pragma busy_timeout = 0");
    try {
      this.#db.exec("begin immediate");
    } finally {
      this.#db.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    }
  }

  /** SQLite has already rolled back by itself after some errors, a full disk among them. */
  #rollback(): void {
    if (this.#db.isTransaction) this.#db.exec("rollback");
  }

  #reopen(): void {
    this.close();
    this.#db = this.#open();
    this.#suspect = false;
  }
}

const bound = (parameters: readonly unknown[]): SQLInputValue[] =>
  parameters.map((value) => {
    if (typeof value === "string") return storable(value);
    if (typeof value === "number") return whole(value);
    return value as SQLInputValue;
  });
