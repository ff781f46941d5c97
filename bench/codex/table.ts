import type { Both, Measured } from "./run.ts";
import type { StoreWork, TurnTimes } from "./side.ts";
import { type Verdict, both, median, targets } from "./verdict.ts";

/** For people. */
export function table({ warm, memory }: Measured, said: Verdict): string {
  const ms = (pick: (times: TurnTimes) => number): Both<number> =>
    both((name) => median(warm[name].map(pick)));
  const { p50, max } = said.killToEndedMs;
  const goals = {
    warm: goal(`at most ${targets.warmRatio}`, said.met.warmRatio),
    throughput: goal(`at least ${targets.throughputRatio}`, said.met.throughputRatio),
    memory: goal(`together at most + ${targets.rssDeltaMiB}`, said.met.rssDeltaMiB),
    kill: goal(`at most ${targets.killToEndedMaxMs}`, said.met.killToEndedMaxMs),
  };
  return [
    `codex ${said.codex}; a warm text turn, medians in ms`,
    row("", "thin", "talaria", "ratio"),
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
    differenceRow(
      "own MiB",
      both((name) => memory[name].ownMiB),
    ),
    differenceRow(
      "codex MiB",
      both((name) => memory[name].codexMiB),
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

const ratioRow = (name: string, { thin, talaria }: Both<number>): string =>
  row(name, thin.toFixed(1), talaria.toFixed(1), thin === 0 ? "" : (talaria / thin).toFixed(3));

const differenceRow = (name: string, { thin, talaria }: Both<number>): string =>
  row(name, thin.toFixed(0), talaria.toFixed(0), `+ ${(talaria - thin).toFixed(0)}`);

const goal = (words: string, isMet: boolean): string => `   ${words}: ${isMet ? "met" : "NOT met"}`;

const row = (name: string, ...cells: readonly string[]): string =>
  [name.padEnd(20), ...cells.map((cell) => cell.padStart(9))].join("");
