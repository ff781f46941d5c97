import type { Bench } from "../bench.ts";
import { median } from "../medians.ts";
import { type Size, kinds, run } from "./run.ts";

/** More than the same turns may differ by from themselves: where they differ by more, the run says nothing. */
const noise = 1.15;

export const bench: Bench<Size> = {
  sizes: { full: { rounds: 60, warmUp: 5 }, quick: { rounds: 3, warmUp: 1 } },
  isTimed: true,
  async run(size, { log }) {
    const { failed, ...times } = await run(size, log);
    const alone = median(times.alone);
    const ratio = (kind: (typeof kinds)[number]): number => median(times[kind]) / alone;
    const ratios = { again: ratio("again"), cancelling: ratio("cancelling"), beside: ratio("beside") };
    const row = (name: string, kind: keyof typeof ratios): string =>
      `${name.padEnd(38)}${median(times[kind]).toFixed(1)} ms  ${ratios[kind].toFixed(2)} ×`;
    return {
      figures: {
        failed,
        medians: Object.fromEntries(kinds.map((kind) => [kind, median(times[kind])])),
        ratios,
      },
      faults: failed === 0 ? [] : [`${failed} turns did not end well, or beside no review`],
      targets: {
        again: { is: Math.max(ratios.again, 1 / ratios.again), atMost: noise },
        cancelling: { is: ratios.cancelling, atMost: noise },
        beside: { is: ratios.beside, atMost: noise },
      },
      table: [
        `${"a turn alone".padEnd(38)}${alone.toFixed(1)} ms`,
        row("the same again", "again"),
        row("that ends a review of its session", "cancelling"),
        row("beside a review of another session", "beside"),
      ].join("\n"),
    };
  },
};
