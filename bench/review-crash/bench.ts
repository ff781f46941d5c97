import type { Bench, Outcome } from "../bench.ts";
import { type DelayReport, delayPart } from "./delay-part.ts";
import { exactPart } from "./exact-part.ts";
import { type CrashReport, realPart } from "./real-part.ts";

/** `real`: kills of a process. `exact`: crashes at a chosen step. `naive`: against the unguarded writer. `turns`: for the delay. */
type Size = {
  readonly real: number;
  readonly exact: number;
  readonly naive: number;
  readonly turns: number;
};

type Part = () => Promise<Outcome>;

export const bench: Bench<Size> = {
  sizes: {
    full: { real: 100, exact: 900, naive: 20, turns: 40 },
    quick: { real: 1, exact: 12, naive: 3, turns: 0 },
  },
  flags: ["part"],
  isSeeded: true,
  async run(size, { seed, flags, log }) {
    const parts: Readonly<Record<string, Part>> = {
      ...(size.turns === 0 ? {} : { delay: async () => delayed(await delayPart(size.turns)) }),
      exact: async () => crashed(await exactPart(size.exact, seed, log)),
      naive: async () => naively(await exactPart(size.naive, seed, log, "naive")),
      real: async () => crashed(await realPart(size.real, seed, log)),
    };
    const outcomes: [name: string, Outcome][] = [];
    for (const [name, part] of Object.entries(parts)) {
      if ((flags["part"] ?? name) !== name) continue;
      const outcome = await part();
      outcomes.push([name, outcome]);
      log(`${name}: ${JSON.stringify(outcome.figures)}`);
    }
    return {
      figures: Object.fromEntries(outcomes.map(([name, { figures }]) => [name, figures])),
      faults: outcomes.flatMap(([name, { faults }]) => faults.map((fault) => `${name}: ${fault}`)),
      targets: Object.assign({}, ...outcomes.map(([, { targets }]) => targets)),
    };
  },
};

/** What a person may feel of a review, on a machine that is busy with other things. */
const mostDelay = 2;

const delayed = (report: DelayReport): Outcome => ({
  figures: report,
  faults: [],
  targets: {
    stopping: { is: report.stopping, atMost: mostDelay },
    beside: { is: report.beside, atMost: mostDelay },
  },
});

const crashed = ({ faults, ...report }: CrashReport): Outcome => ({
  figures: { ...report, faults: faults.length },
  faults,
});

const naively = ({ faults }: CrashReport): Outcome => ({
  figures: { caught: faults.length },
  faults: faults.length > 0 ? [] : ["a writer that nobody has warned was not noticed"],
});
