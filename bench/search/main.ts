import { type Result, type Sample, full, median, quick, run } from "./run.ts";

const target = 1.5;
const size = process.argv.includes("--quick") ? quick : full;
const result = await run(size, 20260101);
const line = summary(result);
process.stdout.write(`${table(result)}\n${JSON.stringify(line)}\n`);
if (size === full && !line.pass) process.exitCode = 1;

function summary({ seed, messages, samples }: Result) {
  const ratio = rounded(median(samples.map(({ storeMs, rawMs }) => storeMs / rawMs)));
  const different = samples.filter(({ rawHits, storeHits }) => rawHits.join() !== storeHits.join()).length;
  return {
    bench: "search",
    messages,
    ratio,
    target,
    pass: ratio <= target && different === 0,
    filteredRatio: rounded(median(samples.map(({ filteredMs, rawMs }) => filteredMs / rawMs))),
    worstKind: rounded(Math.max(...kinds(samples).map((kind) => ratioOf(of(samples, kind))))),
    queries: samples.length,
    different,
    seed,
  };
}

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

function kinds(samples: readonly Sample[]): readonly Sample["kind"][] {
  return [...new Set(samples.map(({ kind }) => kind))];
}

function of(samples: readonly Sample[], kind: Sample["kind"]): readonly Sample[] {
  return samples.filter((sample) => sample.kind === kind);
}

function ratioOf(samples: readonly Sample[]): number {
  return median(samples.map(({ storeMs, rawMs }) => storeMs / rawMs));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
