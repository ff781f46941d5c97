import type { Target } from "../bench.ts";

/** Resident memory in bytes, over windows of the run. The first ones warm up and do not count. */
export type Memory = {
  readonly rssStart: number;
  readonly rssPeak: number;
  /** The peak of each window after the warm-up. */
  readonly windows: readonly number[];
};

const allWindows = 40;
const warmUp = 8;

export function watchMemory(lines: number): { look(done: number): void; report(): Memory } {
  const peaks: number[] = [];
  return {
    look(done) {
      const window = Math.min(allWindows - 1, Math.floor((done / lines) * allWindows));
      peaks[window] = Math.max(peaks[window] ?? 0, process.memoryUsage.rss());
    },
    report() {
      const windows = peaks.slice(warmUp).filter((peak) => peak !== undefined);
      return { rssStart: peaks[warmUp - 1] ?? 0, rssPeak: Math.max(...windows), windows };
    },
  };
}

export const inMib = (bytes: number): number => Math.round(bytes / 1024 / 1024);

/** How much memory rises over a whole run, after its warm-up. A short one ends while the heap is still finding its size: NaN. */
export const memoryTarget = ({ rssPeak, rssStart }: Memory, isWhole: boolean): Target => ({
  is: isWhole ? inMib(rssPeak - rssStart) : Number.NaN,
  atMost: 64,
});

export const memoryLine = ({ windows }: Memory): string =>
  `memory in MiB, window by window: ${windows.map(inMib).join(" ")}`;
