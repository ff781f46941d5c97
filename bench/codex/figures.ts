import type { Target } from "../bench.ts";
import { median, rounded } from "../medians.ts";
import { type Each, type Measured, forEach } from "./run.ts";

export type Figures = {
  readonly codex: string;
  /** Median of a warm text turn, against the thin driver that tells codex the same. */
  readonly warmRatio: number;
  /** The same over ACP. NaN: not measured. */
  readonly acpRatio: number;
  /** Our processor time for a warm turn beyond that of the driver, in process and over ACP. */
  readonly cpuBeyondMs: number;
  readonly acpCpuBeyondMs: number;
  readonly throughputRatio: number;
  /** Our process and codex, against the thin driver's process and codex that is told as little as can be. */
  readonly rssDeltaMiB: number;
  readonly killToEndedMs: { readonly p50: number; readonly max: number };
  /** What our tools and instructions cost codex itself: the thin driver with them against the one without. */
  readonly toldMore: { readonly warmRatio: number; readonly throughputRatio: number };
  readonly warmMs: Each<number> & { readonly acp: number };
  /** Processor time of the side's own process for one warm turn. */
  readonly warmCpuMs: Each<number> & { readonly acp: number };
  readonly perSecond: Each<number>;
  readonly turns: Each<number>;
  readonly kills: number;
  /** Turns that did not end well, and kills after which the turn did not end as lost. */
  readonly failed: number;
};

export function figuresOf(measured: Measured): Figures {
  const { codex, warm, acp, atOnce, memory, kills } = measured;
  const warmMs = forEach((name) => median(warm[name].map(({ endedMs }) => endedMs)));
  const warmCpuMs = forEach((name) => median(warm[name].map(({ cpuMs = 0 }) => cpuMs)));
  const perSecond = forEach((name) => throughput(atOnce[name]));
  const rssMiB = forEach((name) => memory[name].ownMiB + memory[name].codexMiB);
  const acpMs = median(acp?.prompts.map(({ endedMs }) => endedMs) ?? []);
  const killMs = kills.map(({ endedMs }) => endedMs);
  return {
    codex,
    warmRatio: rounded(warmMs.talaria / warmMs.equal, 3),
    acpRatio: rounded(acpMs / warmMs.equal, 3),
    cpuBeyondMs: rounded(warmCpuMs.talaria - warmCpuMs.equal, 1),
    acpCpuBeyondMs: rounded((acp?.cpuMs ?? Number.NaN) - warmCpuMs.equal, 1),
    throughputRatio: rounded(perSecond.talaria / perSecond.equal, 3),
    rssDeltaMiB: rounded(rssMiB.talaria - rssMiB.thin, 1),
    killToEndedMs: { p50: rounded(median(killMs), 1), max: rounded(Math.max(...killMs), 1) },
    toldMore: {
      warmRatio: rounded(warmMs.equal / warmMs.thin, 3),
      throughputRatio: rounded(perSecond.equal / perSecond.thin, 3),
    },
    warmMs: { ...forEach((name) => rounded(warmMs[name], 1)), acp: rounded(acpMs, 1) },
    warmCpuMs: {
      ...forEach((name) => rounded(warmCpuMs[name], 1)),
      acp: rounded(acp?.cpuMs ?? Number.NaN, 1),
    },
    perSecond: forEach((name) => rounded(perSecond[name], 1)),
    turns: forEach((name) => warm[name].length + atOnce[name].flatMap(({ turns }) => turns).length),
    kills: kills.length,
    failed: failures(measured),
  };
}

/** What the architecture asks for. */
export const targetsOf = (figures: Figures) =>
  ({
    warmRatio: { is: figures.warmRatio, atMost: 1.05 },
    acpRatio: { is: figures.acpRatio, atMost: 1.05 },
    cpuBeyondMs: { is: figures.cpuBeyondMs, atMost: 5 },
    acpCpuBeyondMs: { is: figures.acpCpuBeyondMs, atMost: 5 },
    throughputRatio: { is: figures.throughputRatio, atLeast: 0.95 },
    rssDeltaMiB: { is: figures.rssDeltaMiB, atMost: 120 },
    killToEndedMaxMs: { is: figures.killToEndedMs.max, atMost: 1000 },
  }) satisfies Readonly<Record<string, Target>>;

export type Targets = ReturnType<typeof targetsOf>;

function failures({ warm, acp, atOnce, kills }: Measured): number {
  const batches = Object.values(atOnce).flat();
  const alone = [...Object.values(warm).flat(), ...(acp?.prompts ?? [])];
  const turns = [...alone, ...batches.flatMap((batch) => batch.turns)];
  const undone = turns.filter(({ done }) => !done);
  return undone.length + kills.filter(({ lost }) => !lost).length;
}

/** Turns per second. */
function throughput(batches: Measured["atOnce"]["thin"]): number {
  const turns = batches.flatMap((batch) => batch.turns).length;
  return (turns * 1000) / batches.reduce((sum, { ms }) => sum + ms, 0);
}
