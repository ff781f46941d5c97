import type { Bench } from "../bench.ts";
import type { Row } from "./one-text.ts";
import { type Part, type PoisonReport, poisonRun } from "./poison-run.ts";

/**
 * Every n-th text in each part. `ways`: by how many of the seven ways each of them arrives on the loop. `twin`: against the
 * broken guard.
 */
type Size = {
  readonly loop: number;
  readonly ways: number;
  readonly codex: number;
  readonly twin: number;
};

export const bench: Bench<Size> = {
  sizes: {
    full: { loop: 1, ways: 7, codex: 5, twin: 2 },
    quick: { loop: 40, ways: 1, codex: 120, twin: 80 },
  },
  flags: ["part"],
  async run({ loop, ways, codex, twin }, { flags, log }) {
    const parts: Readonly<Record<string, Part>> = {
      loop: { runtime: "loop", every: loop, waysEach: ways },
      codex: { runtime: "codex", every: codex, waysEach: 1 },
      believing: { runtime: "loop", every: twin, waysEach: 1, believes: true },
    };
    const figures: Record<string, object> = {};
    const faults: string[] = [];
    for (const [name, part] of Object.entries(parts)) {
      if ((flags["part"] ?? name) !== name) continue;
      const report = await poisonRun(part, () => {});
      figures[name] = figuresOf(report);
      faults.push(...faultsOf(part, report).map((fault) => `${name}: ${fault.slice(0, 300)}`));
      log(`${name}: ${JSON.stringify(figures[name])}`);
    }
    return { figures, faults };
  },
};

/** Of a guard that believes what it should not, the only fault is that nobody notices. */
function faultsOf({ believes }: Part, { rows, active, faults }: PoisonReport): readonly string[] {
  if (believes === true) return active > 0 ? [] : ["a guard that believes copies was not noticed"];
  return [
    ...faults,
    ...rows.flatMap((row) => row.faults.map((fault) => `${row.word} (${row.kind}): ${fault}`)),
    ...(active > 0 ? [`${active} texts became active`] : []),
  ];
}

function figuresOf({ rows, active, controls, kept, faults }: PoisonReport): object {
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    texts: new Set(rows.map(({ word }) => word.replace(/-[a-z]+-/, "-"))).size,
    arrivals: rows.length,
    active,
    proposed: sum(({ proposed }) => proposed),
    refused: sum(({ refused }) => refused),
    controls,
    kept,
    faults: faults.length + sum((row) => Number(row.faults.length > 0)),
  };
}
