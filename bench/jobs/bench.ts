import { join } from "node:path";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openTestStore } from "../../test/sqlite-store.ts";
import { testDatabase, withoutPostgres } from "../../test/postgres.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import type { Bench } from "../bench.ts";
import { type JobsReport, type JobsSize, type OpenStores, jobsRun } from "./jobs-run.ts";
import { mutants } from "./mutants.ts";

type Size = JobsSize & {
  readonly postgres: boolean;
  /** How much is looked at until a fault that was planted must have been noticed. */
  readonly mutants: JobsSize;
};

const small: JobsSize = { workers: 10, cards: 30, operations: 5000 };

/** Cards under random words with kills, jumps of the clock, pauses and reclaimers: no claim twice, nothing written late. */
export const bench: Bench<Size> = {
  sizes: {
    full: { workers: 10, cards: 500, operations: 100_000, postgres: true, mutants: small },
    quick: { workers: 10, cards: 20, operations: 300, postgres: false, mutants: small },
  },
  isSeeded: true,
  flags: ["engine"],
  async run(size, { seed, log, flags }) {
    const results: Record<string, JobsReport> = {};
    const caught: Record<string, string> = {};
    const faults: string[] = [];
    for (const [name, stores] of Object.entries(engines)) {
      if (flags["engine"] !== undefined && flags["engine"] !== name) continue;
      const missing = name === "postgres" && (size.postgres ? withoutPostgres() : "only at full size");
      if (missing !== false) {
        log(`not on ${name}: ${missing}`);
        continue;
      }
      const report = await stores((open) => jobsRun(open, size, seed));
      results[name] = report;
      faults.push(...report.broken.map((line) => `${name}: ${line}`));
      for (const [mutant, faulty] of Object.entries(mutants)) {
        const { broken, operations } = await stores((open) => jobsRun(open, size.mutants, seed, faulty));
        caught[`${name}: ${mutant}`] = `after ${operations}: ${broken[0] ?? "not noticed"}`;
        if (broken.length === 0) faults.push(`${name}: the mutant “${mutant}” was not noticed`);
      }
    }
    return { figures: { ...results, caught }, faults };
  },
};

type OnStores = <Result>(use: (open: OpenStores) => Promise<Result>) => Promise<Result>;

const processes = 3;

const engines: Readonly<Record<"sqlite" | "postgres", OnStores>> = {
  async sqlite(use) {
    await using stack = new AsyncDisposableStack();
    const file = join(stack.use(await tempFolder()).path, "talaria.db");
    return await use((onStatement) =>
      several(async () => stack.use(await openTestStore(file, { onStatement }))),
    );
  },
  async postgres(use) {
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await testDatabase());
    return await use((onStatement) =>
      several(async () => stack.use(await openPostgresStore(url, { leaseTimes: "given", onStatement }))),
    );
  },
};

/** One after the other: the first one makes the schema. */
async function several<Value>(open: () => Promise<Value>): Promise<readonly Value[]> {
  const all: Value[] = [];
  for (let at = 0; at < processes; at += 1) all.push(await open());
  return all;
}
