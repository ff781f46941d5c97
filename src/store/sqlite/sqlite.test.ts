import { join } from "node:path";
import { tempFolder } from "../../../test/temp-folder.ts";
import { storeSuite } from "../store.suite.ts";
import type { Store } from "../store.ts";
import type { Open } from "../suite/world.suite.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import type { SqliteOptions } from "./open.ts";

const open: Open = async (options = {}) => {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await tempFolder());
  const stores = new Set<Store>();
  opening.defer(close);
  const store = await another();
  const opened = opening.move();
  return { store, sharesCommits: true, another, reopen, [Symbol.asyncDispose]: () => opened.disposeAsync() };

  async function another(): Promise<Store> {
    const next = await openTestStore(join(folder.path, "talaria.db"), options as SqliteOptions);
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
};

storeSuite("sqlite", open);
