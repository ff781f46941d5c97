import { join } from "node:path";
import { testDatabase, withoutPostgres } from "../../test/postgres.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openTestStore } from "../../test/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { Bench } from "../bench.ts";
import { randomFrom } from "../random.ts";
import { stoppedHosts } from "./stopped-hosts.ts";
import { type Interleaved, interleavings, withoutEpochs } from "./interleavings.ts";

type Size = {
  readonly interleavings: number;
  readonly postgres: boolean;
  /** Real hosts that are stopped, and how many at once. */
  readonly stops: number;
  readonly atOnce: number;
};

/** Two executors of one home: whoever was stopped and replaced writes nothing any more, and nothing is done twice. */
export const bench: Bench<Size> = {
  sizes: {
    full: { interleavings: 1000, postgres: true, stops: 100, atOnce: 4 },
    quick: { interleavings: 25, postgres: false, stops: 0, atOnce: 1 },
  },
  isSeeded: true,
  flags: ["part"],
  async run(size, { seed, log, flags }) {
    const random = randomFrom(seed);
    const lines = Array.from(
      { length: flags["part"] === "store" ? 0 : size.stops },
      () => 1 + random.below(24),
    );
    const hosts = await stoppedHosts(lines, size.atOnce, log);
    const results: Record<string, Interleaved> = {};
    const mutants: Record<string, number> = {};
    for (const [name, open] of Object.entries(flags["part"] === "hosts" ? {} : engines)) {
      const missing = name === "postgres" ? withoutPostgres() : false;
      if (name === "postgres" && (!size.postgres || missing !== false)) {
        if (missing !== false) log(`not on PostgreSQL: ${missing}`);
        continue;
      }
      await using data = await open();
      results[name] = await interleavings(size.interleavings, seed, data.stores);
      mutants[name] = (await interleavings(10, seed, withoutEpochs(data.stores))).broken.length;
    }
    const all = Object.entries(results);
    return {
      figures: { ...results, mutants, hosts },
      faults: hosts.broken.concat(
        all.flatMap(([name, { broken, takeovers, refused, interleavings: count }]) => [
          ...broken.map((line) => `${name}: ${line}`),
          ...(takeovers >= count ? [] : [`${name}: only ${takeovers} of ${count} had a holder replaced`]),
          ...(refused > 0 ? [] : [`${name}: nobody who was replaced has tried to write`]),
          ...((mutants[name] ?? 0) > 0 ? [] : [`${name}: a store that checks no epoch was not noticed`]),
        ]),
      ),
    };
  },
};

type Data = AsyncDisposable & { readonly stores: readonly [Store, Store] };

const engines: Readonly<Record<"sqlite" | "postgres", () => Promise<Data>>> = {
  async sqlite() {
    await using stack = new AsyncDisposableStack();
    const file = join(stack.use(await tempFolder()).path, "talaria.db");
    const stores = [stack.use(await openTestStore(file)), stack.use(await openTestStore(file))] as const;
    return kept(stores, stack);
  },
  async postgres() {
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await testDatabase());
    const open = async (): Promise<Store> => stack.use(await openPostgresStore(url, { leaseTimes: "given" }));
    return kept([await open(), await open()], stack);
  },
};

function kept(stores: readonly [Store, Store], stack: AsyncDisposableStack): Data {
  const owned = stack.move();
  return { stores, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
