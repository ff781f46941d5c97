import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type SqliteOptions, openSqliteStore } from "../src/store/sqlite/open.ts";
import type { Store } from "../src/store/store.ts";
import { tempFolder } from "./temp-folder.ts";

let empty: Promise<Buffer> | undefined;

/** Opens a store. A new one is a copy of one that each process makes once: all steps of its schema take longer than most tests. */
export async function openTestStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  if (!existsSync(path)) await copyTo(path);
  return await openSqliteStore(path, options);
}

async function copyTo(path: string): Promise<void> {
  await writeFile(path, await (empty ??= emptyStore()), { mode: 0o600 });
  using db = new DatabaseSync(path);
  // Each has an id of its own.
  db.exec("pragma synchronous = off; update meta set value = lower(hex(randomblob(6))) where key = 'home'");
}

async function emptyStore(): Promise<Buffer> {
  await using folder = await tempFolder();
  const path = join(folder.path, "empty.db");
  await (await openSqliteStore(path))[Symbol.asyncDispose]();
  return await readFile(path);
}
