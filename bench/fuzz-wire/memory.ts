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
