import { join } from "node:path";
import { systemClock } from "../src/lib/clock.ts";
import type { Clock } from "../src/lib/clock.ts";
import { openPostgresStore } from "../src/store/postgres/open.ts";
import type { StoreOptions, StorePlace } from "../src/store/open.ts";
import type { Store } from "../src/store/store.ts";
import { outsideWork } from "./fakes/outside-work.ts";
import { emptyDatabase } from "./postgres.ts";
import { openTestStore } from "./sqlite-store.ts";

/** On which engine the suites over a store run: SQLite, unless `TALARIA_TEST_ENGINE` says `postgres`. */
export const testEngine: "sqlite" | "postgres" =
  process.env["TALARIA_TEST_ENGINE"] === "postgres" ? "postgres" : "sqlite";

/** One home's data, empty at first, with as many stores over it as a test wants, as different processes have them. */
export type TestStores = AsyncDisposable & {
  readonly place: StorePlace;
  open(options?: Omit<StoreOptions, "machine">): Promise<Store>;
};

/** All that was opened is closed with it. */
export async function testStores(folder: string): Promise<TestStores> {
  await using opened = new AsyncDisposableStack();
  const file = join(folder, "talaria.db");
  const url = testEngine === "postgres" ? opened.use(await emptyDatabase()).url : undefined;
  const kept = opened.move();
  return {
    place: { file, url },
    open: async (options = {}) =>
      kept.use(await (url === undefined ? openTestStore(file, options) : openDatabase(url, options))),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** What it waits for is a server and no clock of ours, so that waits are real, and a fake clock stands still meanwhile. */
async function openDatabase(url: string, { clock = systemClock, onStatement }: StoreOptions): Promise<Store> {
  const waiting: Clock = { ...clock, sleep: systemClock.sleep };
  const options = { clock: waiting, leaseTimes: "given" as const, ...(onStatement && { onStatement }) };
  const store = await openPostgresStore(url, options);
  return { ...(counted(store) as Store), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

function counted(part: object): object {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]: [string, unknown]) => [name, countedValue(value)]),
  );
}

function countedValue(value: unknown): unknown {
  if (typeof value === "object" && value !== null) return counted(value);
  if (typeof value !== "function") return value;
  return (...args: readonly unknown[]) => {
    const result: unknown = Reflect.apply(value, undefined, args);
    return result instanceof Promise ? outsideWork(result) : result;
  };
}
