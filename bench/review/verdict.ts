import type { Kind, Measured } from "./run.ts";

/** Medians in milliseconds, and how they compare with those of turns beside which nothing goes on. */
export type Verdict = {
  readonly pass: boolean;
  readonly failed: number;
  readonly medians: Readonly<Record<Kind, number>>;
  readonly ratios: Readonly<Record<Exclude<Kind, "alone">, number>>;
};

/** More than the same turns may differ by from themselves: where they differ by more, the run says nothing. */
const noise = 1.15;

export function verdict({ failed, ...times }: Measured): Verdict {
  const medians = {
    alone: median(times.alone),
    again: median(times.again),
    cancelling: median(times.cancelling),
    beside: median(times.beside),
  };
  const ratios = {
    again: medians.again / medians.alone,
    cancelling: medians.cancelling / medians.alone,
    beside: medians.beside / medians.alone,
  };
  const isSteady = ratios.again <= noise && ratios.again >= 1 / noise;
  const pass = failed === 0 && isSteady && ratios.cancelling <= noise && ratios.beside <= noise;
  return { pass, failed, medians, ratios };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function table({ medians, ratios }: Verdict): string {
  return [
    `a turn alone                          ${ms(medians.alone)}`,
    `the same again                        ${ms(medians.again)}  ${ratios.again.toFixed(2)} ×`,
    `that ends a review of its session     ${ms(medians.cancelling)}  ${ratios.cancelling.toFixed(2)} ×`,
    `beside a review of another session    ${ms(medians.beside)}  ${ratios.beside.toFixed(2)} ×`,
  ].join("\n");
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
