import type { Clock } from "../lib/clock.ts";
import type { Health, storeHealth } from "./sqlite/health.ts";
import { openSqliteStore } from "./sqlite/open.ts";
import type { Store } from "./store.ts";

export type StoreOptions = {
  readonly clock?: Clock;
  /** The id of this machine. A file is on one machine at a time, and needs none. */
  readonly machine?: string;
  /** Called around every statement, so that tests can fail or kill the program at each of them. */
  readonly onStatement?: (sql: string, when: "before" | "after") => void;
};

/** Where a store is: in the database that `url` names, else in the file. */
export type StorePlace = { readonly file: string; readonly url?: string | undefined };

/** Few have a database, so the way to one is loaded for them alone. */
export async function openStoreAt({ file, url }: StorePlace, options: StoreOptions): Promise<Store> {
  if (url === undefined) return openSqliteStore(file, options);
  return (await import("./postgres/open.ts")).openPostgresStore(url, options);
}

/** Looks at it without writing to it. */
export async function storeHealthAt(
  { file, url }: StorePlace,
  look: Parameters<typeof storeHealth>[1],
): Promise<Health> {
  if (url === undefined) return (await import("./sqlite/health.ts")).storeHealth(file, look);
  return (await import("./postgres/health.ts")).databaseHealth(url, look.limitMs);
}

/** For people: without a password. */
export async function placeText({ file, url }: StorePlace): Promise<string> {
  return url === undefined ? file : (await import("./postgres/faults.ts")).placeOf(url);
}
