import type { Clock } from "../../../lib/clock.ts";

const allowed = 100;
const withinMs = 1_000;
const sampleLength = 1024;

export type BadLines = {
  /** True: so many came within a second that the rest will be no better. */
  add(line: string): boolean;
  /** The start of the newest one. */
  readonly sample: string;
};

export function badLines(clock: Clock): BadLines {
  const times: number[] = [];
  let sample = "";
  return {
    add(line) {
      sample = line.slice(0, sampleLength);
      const now = clock.monotonic();
      times.push(now);
      if (times.length <= allowed) return false;
      return now - (times.shift() ?? now) <= withinMs;
    },
    get sample() {
      return sample;
    },
  };
}
