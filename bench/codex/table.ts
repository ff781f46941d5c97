import { type Each, type Measured, forEach } from "./run.ts";
import type { StoreWork, TurnTimes } from "./side.ts";
import { type Verdict, median, targets } from "./verdict.ts";

/** For people. */
export function table({ warm, processor, memory }: Measured, said: Verdict): string {
  const ms = (pick: (times: TurnTimes) => number): Each<number> =>
    forEach((name) => median(warm[name].map(pick)));
  const { p50, max } = said.killToEndedMs;
  const goals = {
    warm: goal(`at most ${targets.warmRatio}`, said.met.warmRatio),
    throughput: goal(`at least ${targets.throughputRatio}`, said.met.throughputRatio),
    memory: goal(`together at most + ${targets.rssDeltaMiB}`, said.met.rssDeltaMiB),
    kill: goal(`at most ${targets.killToEndedMaxMs}`, said.met.killToEndedMaxMs),
  };
  return [
    `codex ${said.codex}; a warm text turn, medians in ms`,
    row("", "thin", "equal", "talaria", "ratio"),
    ratioRow(
      "to its start",
      ms((times) => times.startedMs),
    ),
    ratioRow(
      "to its text",
      ms((times) => times.textMs),
    ),
    ratioRow(
      "to its end",
      ms((times) => times.endedMs),
    ) + goals.warm,
    ratioRow(
      "after its end",
      ms((times) => times.afterMs),
    ),
    ratioRow("own processor", said.warmCpuMs),
    "",
    ratioRow("turns per second", said.perSecond) + goals.throughput,
    ratioRow(
      "own processor",
      forEach((name) => processor[name].ownMs),
    ),
    ratioRow(
      "codex's processor",
      forEach((name) => processor[name].codexMs),
    ),
    differenceRow(
      "own MiB",
      forEach((name) => memory[name].ownMiB),
    ),
    differenceRow(
      "codex MiB",
      forEach((name) => memory[name].codexMiB),
    ) + goals.memory,
    `from the kill of codex to the end: median ${p50}, longest ${max} ms${goals.kill}`,
    "",
    ...storeRows(warm.talaria.flatMap(({ store }) => store ?? [])),
  ].join("\n");
}

/** What the warm turns asked of the store, in the order in which they did. */
function storeRows(works: readonly StoreWork[]): readonly string[] {
  const middle = (name: Exclude<keyof StoreWork, "calls">): number => median(works.map((work) => work[name]));
  const calls = Map.groupBy(
    works.flatMap((work) => work.calls),
    ({ name }) => name,
  );
  const rows = [...calls].map(([name, own]) => {
    const [at, took] = [median(own.map(({ atMs }) => atMs)), median(own.map(({ tookMs }) => tookMs))];
    return row(name, (own.length / works.length).toFixed(1), at.toFixed(2), took.toFixed(2));
  });
  const statements = `${middle("statements")} statements with ${middle("statementMs").toFixed(2)} ms`;
  const commits = `${middle("commits")} commits with ${middle("commitMs").toFixed(2)} ms`;
  return [
    `store in a warm turn: ${statements}; of these ${commits}`,
    row("", "a turn", "at", "took"),
    ...rows,
  ];
}

/** Against the driver that tells codex the same: the difference is ours. */
const ratioRow = (name: string, { thin, equal, talaria }: Each<number>): string => {
  const ratio = equal === 0 ? "" : (talaria / equal).toFixed(3);
  return row(name, thin.toFixed(1), equal.toFixed(1), talaria.toFixed(1), ratio);
};

const differenceRow = (name: string, { thin, equal, talaria }: Each<number>): string =>
  row(name, thin.toFixed(0), equal.toFixed(0), talaria.toFixed(0), `+ ${(talaria - thin).toFixed(0)}`);

const goal = (words: string, isMet: boolean): string => `   ${words}: ${isMet ? "met" : "NOT met"}`;

const row = (name: string, ...cells: readonly string[]): string =>
  [name.padEnd(20), ...cells.map((cell) => cell.padStart(9))].join("");
