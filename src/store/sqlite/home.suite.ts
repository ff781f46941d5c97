import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { tempFolder } from "../../../test/temp-folder.ts";

/** A folder for one database file, removed with everything in it. */
export type Home = AsyncDisposable & { readonly folder: string; readonly path: string };

export async function home(): Promise<Home> {
  const made = await tempFolder();
  return {
    folder: made.path,
    path: join(made.path, "talaria.db"),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

/** Asks the file itself, past the store. */
export function ask(path: string, sql: string): readonly Record<string, unknown>[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

export const schemaQuery = "select type, name, sql from sqlite_schema order by type, name";

/** Every table, index and trigger as SQLite has it. */
export const schemaOf = (path: string): readonly Record<string, unknown>[] => ask(path, schemaQuery);

/** Is the file sound, and do both search indexes fit the messages? */
export function assertSound(path: string): void {
  const db = new DatabaseSync(path);
  try {
    const found = db
      .prepare("pragma integrity_check")
      .all()
      .map((row) => row["integrity_check"]);
    if (found.join() !== "ok") throw new Error(`integrity_check: ${found.join("; ")}`);
    if (db.prepare("pragma foreign_key_check").all().length > 0) throw new Error("foreign_key_check");
    for (const index of ["message_words", "message_trigrams"]) {
      db.exec(`insert into ${index} (${index}, rank) values ('integrity-check', 1)`);
    }
  } finally {
    db.close();
  }
}
