import { type Each, type Measured, forEach } from "./run.ts";

/** What the architecture asks for. Noise alone can miss these, so the run fails only at three times as bad. */
export const targets = {
  warmRatio: 1.05,
  throughputRatio: 0.95,
  rssDeltaMiB: 120,
  killToEndedMaxMs: 1000,
} as const;

const slack = 3;

type Figures = {
  /** Median of a warm text turn, against the thin driver that tells codex the same. */
  readonly warmRatio: number;
  readonly throughputRatio: number;
  /** Our process and codex, against the thin driver's process and codex that is told as little as can be. */
  readonly rssDeltaMiB: number;
  readonly killToEndedMs: { readonly p50: number; readonly max: number };
};

export type Verdict = Figures & {
  readonly bench: "codex";
  readonly codex: string;
  readonly targets: typeof targets;
  readonly met: Met;
  /** What our tools and instructions cost codex itself: the thin driver with them against the one without. */
  readonly toldMore: { readonly warmRatio: number; readonly throughputRatio: number };
  readonly warmMs: Each<number>;
  /** Processor time of the side's own process for one warm turn. */
  readonly warmCpuMs: Each<number>;
  readonly perSecond: Each<number>;
  readonly turns: Each<number>;
  readonly kills: number;
  /** Turns that did not end well, and kills after which the turn did not end as lost. */
  readonly failed: number;
  readonly pass: boolean;
};

type Met = Readonly<Record<keyof typeof targets, boolean>>;

export function verdict(measured: Measured): Verdict {
  const { warm, atOnce, memory, kills } = measured;
  const warmMs = forEach((name) => median(warm[name].map(({ endedMs }) => endedMs)));
  const warmCpuMs = forEach((name) => median(warm[name].map(({ cpuMs = 0 }) => cpuMs)));
  const perSecond = forEach((name) => throughput(atOnce[name]));
  const rssMiB = forEach((name) => memory[name].ownMiB + memory[name].codexMiB);
  const killMs = kills.map(({ endedMs }) => endedMs);
  const figures: Figures = {
    warmRatio: rounded(warmMs.talaria / warmMs.equal, 3),
    throughputRatio: rounded(perSecond.talaria / perSecond.equal, 3),
    rssDeltaMiB: rounded(rssMiB.talaria - rssMiB.thin, 1),
    killToEndedMs: { p50: rounded(median(killMs), 1), max: rounded(Math.max(...killMs), 1) },
  };
  const failed = failures(measured);
  return {
    bench: "codex",
    codex: measured.codex,
    ...figures,
    targets,
    met: within(figures, 1),
    toldMore: {
      warmRatio: rounded(warmMs.equal / warmMs.thin, 3),
      throughputRatio: rounded(perSecond.equal / perSecond.thin, 3),
    },
    warmMs: forEach((name) => rounded(warmMs[name], 1)),
    warmCpuMs: forEach((name) => rounded(warmCpuMs[name], 1)),
    perSecond: forEach((name) => rounded(perSecond[name], 1)),
    turns: forEach((name) => warm[name].length + atOnce[name].flatMap(({ turns }) => turns).length),
    kills: kills.length,
    failed,
    pass: failed === 0 && Object.values(within(figures, slack)).every(Boolean),
  };
}

/** Each figure, allowed to be so many times worse than its target. */
const within = (figures: Figures, times: number): Met => ({
  warmRatio: figures.warmRatio <= targets.warmRatio * times,
  throughputRatio: figures.throughputRatio >= targets.throughputRatio / times,
  rssDeltaMiB: figures.rssDeltaMiB <= targets.rssDeltaMiB * times,
  killToEndedMaxMs: figures.killToEndedMs.max <= targets.killToEndedMaxMs * times,
});

function failures({ warm, atOnce, kills }: Measured): number {
  const batches = Object.values(atOnce).flat();
  const turns = [...Object.values(warm).flat(), ...batches.flatMap((batch) => batch.turns)];
  const undone = turns.filter(({ done }) => !done);
  return undone.length + kills.filter(({ lost }) => !lost).length;
}

/** Turns per second. */
function throughput(batches: Measured["atOnce"]["thin"]): number {
  const turns = batches.flatMap((batch) => batch.turns).length;
  return (turns * 1000) / batches.reduce((sum, { ms }) => sum + ms, 0);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
