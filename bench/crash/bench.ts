import { withoutPostgres } from "../../test/postgres.ts";
import type { Bench } from "../bench.ts";
import { type CrashReport, type CrashSize, crashRun } from "./crash-run.ts";
import type { EngineName } from "./disk.ts";

const engines: readonly EngineName[] = ["sqlite", "postgres"];

/** `--engine`: on that one alone. `--kills`, `--statements`: so many at random, and around statements from all parts of the turns. */
export const bench: Bench<CrashSize> = {
  sizes: {
    full: { randomKills: 120, statements: "every", mutantFrom: 1 },
    quick: { randomKills: 1, statements: 2, mutantFrom: 21 },
  },
  flags: ["engine", "kills", "statements"],
  isSeeded: true,
  async run(sizes, { seed, flags, log }) {
    const size = {
      ...sizes,
      ...(flags["kills"] === undefined ? {} : { randomKills: Number(flags["kills"]) }),
      ...(flags["statements"] === undefined ? {} : { statements: Number(flags["statements"]) }),
    };
    const wanted = engines.filter((engine) => (flags["engine"] ?? engine) === engine);
    const figures: Record<string, object> = {};
    const faults: string[] = wanted.length > 0 ? [] : [`there is no engine ${flags["engine"]}`];
    for (const engine of wanted) {
      const missing = engine === "postgres" && withoutPostgres();
      if (missing !== false) {
        faults.push(missing);
        continue;
      }
      const report = await crashRun(engine, size, seed, (line) => log(`${engine}: ${line}`));
      figures[engine] = figuresOf(report);
      faults.push(...faultsOf(report, size).map((fault) => `${engine}: ${fault}`));
    }
    return { figures, faults };
  },
};

function figuresOf({ broken, mutantBroken, ...counts }: CrashReport): object {
  const count = (word: string): number => broken.filter((line) => line.includes(`${word}:`)).length;
  return {
    ...counts,
    lost: count("lost"),
    doubled: count("doubled"),
    eventLog: count("event log") + count("follower"),
    broken: broken.length,
    mutantsCaught: Object.entries(mutantBroken).flatMap(([name, lines]) => (lines.length > 0 ? [name] : [])),
  };
}

function faultsOf({ broken, mutantBroken, ...counts }: CrashReport, size: CrashSize): readonly string[] {
  return [
    ...broken,
    ...Object.entries(mutantBroken).flatMap(([name, lines]) =>
      lines.length > 0 ? [] : [`the mutant ${name} was not noticed`],
    ),
    ...(counts.cutOff > 0 ? [] : ["no call was cut off in the middle"]),
    ...(counts.randomKills >= size.randomKills ? [] : [`only ${counts.randomKills} kills at random moments`]),
  ];
}
