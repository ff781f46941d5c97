import type { Kind, Measured } from "./run.ts";

/** Medians in milliseconds, and how they compare with those of turns beside which nothing goes on. */
export type Verdict = {
  readonly pass: boolean;
  readonly failed: number;
  readonly medians: Readonly<Record<Kind, number>>;
  readonly ratios: { readonly cancelling: number; readonly beside: number };
};

/** What two halves of the same turns may differ by on a busy machine. */
const noise = 1.15;

export function verdict({ failed, ...times }: Measured): Verdict {
  const medians = {
    alone: median(times.alone),
    cancelling: median(times.cancelling),
    beside: median(times.beside),
  };
  const ratios = {
    cancelling: medians.cancelling / medians.alone,
    beside: medians.beside / medians.alone,
  };
  const pass = failed === 0 && ratios.cancelling <= noise && ratios.beside <= noise;
  return { pass, failed, medians, ratios };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function table({ medians, ratios }: Verdict): string {
  return [
    `a turn alone                          ${ms(medians.alone)}`,
    `that ends a review of its session     ${ms(medians.cancelling)}  ${ratios.cancelling.toFixed(2)} ×`,
    `beside a review of another session    ${ms(medians.beside)}  ${ratios.beside.toFixed(2)} ×`,
  ].join("\n");
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
