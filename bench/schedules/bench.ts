import { join } from "node:path";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openTestStore } from "../../test/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { testDatabase, withoutPostgres } from "../../test/postgres.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import type { Bench } from "../bench.ts";
import { type Mutant, mutants } from "./mutants.ts";
import { type Planned, type Plan, planned } from "./planned.ts";

type Size = Plan & { readonly postgres: boolean };

const zones = `Europe/Berlin America/Havana Australia/Lord_Howe Africa/Cairo America/St_Johns
Europe/London Europe/Dublin Atlantic/Azores America/Los_Angeles America/Santiago
America/New_York America/Asuncion Asia/Beirut Asia/Jerusalem Australia/Adelaide
Pacific/Auckland Pacific/Chatham Antarctica/Troll Asia/Kathmandu UTC`.split(/\s/);

/**
 * Two schedulers over one store, while clocks jump, processes are killed and leases change hands: every instant that an
 * enumerator of our own finds has exactly one row, and there is no other.
 */
export const bench: Bench<Size> = {
  sizes: {
    full: { zones, days: 270, postgres: true },
    quick: { zones: zones.slice(0, 2), days: 40, postgres: false },
  },
  isSeeded: true,
  async run(size, { seed, log }) {
    const results: Record<string, Planned> = {};
    const caught: Record<string, number> = {};
    for (const [name, open] of Object.entries(engines)) {
      const missing = name === "postgres" ? withoutPostgres() : false;
      if (missing !== false) log(`not on PostgreSQL: ${missing}`);
      if (missing !== false || (name === "postgres" && !size.postgres)) continue;
      results[name] = await tried(open, size, seed);
      if (name === "sqlite")
        for (const [mutant, change] of Object.entries(mutants))
          caught[mutant] = (await tried(open, { zones: zones.slice(0, 1), days: 40 }, seed, change)).wrong;
    }
    const all = Object.entries(results);
    return {
      figures: {
        ...Object.fromEntries(all.map(([name, { lines: _told, ...figures }]) => [name, figures])),
        caught,
      },
      faults: [
        ...all.flatMap(([name, { lines }]) => lines.map((line) => `${name}: ${line}`)),
        ...Object.entries(caught).flatMap(([name, wrong]) => (wrong > 0 ? [] : [`nobody noticed: ${name}`])),
      ],
    };
  },
};

async function tried(
  open: (stack: AsyncDisposableStack) => Promise<readonly [Store, Store]>,
  plan: Plan,
  seed: number,
  change: Mutant = (stores) => stores,
): Promise<Planned> {
  await using stack = new AsyncDisposableStack();
  const stores = await open(stack);
  return await planned(stores, plan, seed, change);
}

const engines = {
  async sqlite(stack: AsyncDisposableStack): Promise<readonly [Store, Store]> {
    const file = join(stack.use(await tempFolder()).path, "talaria.db");
    return [stack.use(await openTestStore(file)), stack.use(await openTestStore(file))];
  },
  async postgres(stack: AsyncDisposableStack): Promise<readonly [Store, Store]> {
    const { url } = stack.use(await testDatabase());
    const one = async (): Promise<Store> => stack.use(await openPostgresStore(url, { leaseTimes: "given" }));
    return [await one(), await one()];
  },
};
