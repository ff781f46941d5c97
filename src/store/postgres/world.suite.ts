import { emptyDatabase } from "../../../test/postgres.ts";
import type { Store } from "../store.ts";
import type { Open } from "../suite/world.suite.ts";
import { openPostgresStore } from "./open.ts";

/** Stores over one schema, which is empty when it begins. */
export const openPostgres: Open = async (options = {}) => {
  const database = await emptyDatabase();
  const stores = new Set<Store>();
  const store = await another().catch(async (error: unknown) => {
    await database[Symbol.asyncDispose]();
    throw error;
  });
  return {
    store,
    sharesCommits: false,
    another,
    reopen,
    rows: database.rows,
    [Symbol.asyncDispose]: giveBack,
  };

  async function another(): Promise<Store> {
    const next = await openPostgresStore(database.url, { ...options, leaseTimes: "given" });
    stores.add(next);
    return next;
  }

  async function reopen(): Promise<Store> {
    await close();
    return another();
  }

  async function close(): Promise<void> {
    for (const each of stores) await each[Symbol.asyncDispose]();
    stores.clear();
  }

  async function giveBack(): Promise<void> {
    await close();
    await database[Symbol.asyncDispose]();
  }
};
