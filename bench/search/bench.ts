import type { Bench } from "../bench.ts";
import { median, rounded } from "../medians.ts";
import { type Result, type Sample, type Size, run } from "./run.ts";

const seed = 20260101;

export const bench: Bench<Size> = {
  sizes: {
    full: { messages: 200_000, queries: 40, rounds: 7 },
    quick: { messages: 2_000, queries: 8, rounds: 1 },
  },
  async run(size) {
    const result = await run(size, seed);
    const { messages, samples } = result;
    const ratio = rounded(ratioOf(samples));
    const different = samples.filter(({ rawHits, storeHits }) => rawHits.join() !== storeHits.join());
    return {
      figures: {
        messages,
        ratio,
        filteredRatio: rounded(median(samples.map(({ filteredMs, rawMs }) => filteredMs / rawMs))),
        worstKind: rounded(Math.max(...kinds(samples).map((kind) => ratioOf(of(samples, kind))))),
        queries: samples.length,
        different: different.length,
        seed,
      },
      faults: different.map(({ kind, typed }) => `finds something else than the index, ${kind}: ${typed}`),
      targets: { ratio: { is: ratio, atMost: 1.5 } },
      table: table(result),
    };
  },
};

function table({ messages, samples }: Result): string {
  const rows = kinds(samples).map((kind) => {
    const mine = of(samples, kind);
    const ms = (name: "rawMs" | "storeMs" | "filteredMs") =>
      median(mine.map((sample) => sample[name])).toFixed(3);
    const hits = median(mine.map(({ rawHits }) => rawHits.length));
    const cells = [ms("rawMs"), ms("storeMs"), ms("filteredMs"), ratioOf(mine).toFixed(2), String(hits)];
    return [kind.padEnd(10), ...cells.map((cell) => cell.padStart(9))].join(" ");
  });
  const heads = ["raw ms", "store ms", "filtered", "ratio", "hits"].map((head) => head.padStart(9));
  return [`${messages} messages, medians`, ["query".padEnd(10), ...heads].join(" "), ...rows].join("\n");
}

const kinds = (samples: readonly Sample[]): readonly Sample["kind"][] => [
  ...new Set(samples.map(({ kind }) => kind)),
];

const of = (samples: readonly Sample[], kind: Sample["kind"]): readonly Sample[] =>
  samples.filter((sample) => sample.kind === kind);

const ratioOf = (samples: readonly Sample[]): number =>
  median(samples.map(({ storeMs, rawMs }) => storeMs / rawMs));
