import { type Target, goalLine } from "../bench.ts";
import { median } from "../medians.ts";
import { type Each, type Measured, forEach } from "./run.ts";
import type { StoreWork, TurnTimes } from "./side.ts";
import type { Figures, Targets } from "./figures.ts";

/** For people. */
export function table({ warm, processor, memory }: Measured, said: Figures, targets: Targets): string {
  const ms = (pick: (times: TurnTimes) => number): Each<number> =>
    forEach((name) => median(warm[name].map(pick)));
  const { p50, max } = said.killToEndedMs;
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
    ) + goal(targets.warmRatio),
    ratioRow(
      "after its end",
      ms((times) => times.afterMs),
    ),
    ratioRow("own processor", said.warmCpuMs) + goal(targets.cpuBeyondMs),
    `over ACP: to its end ${said.warmMs.acp} ms, ${said.acpRatio} of equal${goal(targets.acpRatio)}`,
    `own processor over ACP: ${said.warmCpuMs.acp} ms${goal(targets.acpCpuBeyondMs)}`,
    "",
    ratioRow("turns per second", said.perSecond) + goal(targets.throughputRatio),
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
    ) + goal(targets.rssDeltaMiB),
    `from the kill of codex to the end: median ${p50}, longest ${max} ms${goal(targets.killToEndedMaxMs)}`,
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

const goal = (target: Target): string => `   ${goalLine(target)}`;

const row = (name: string, ...cells: readonly string[]): string =>
  [name.padEnd(20), ...cells.map((cell) => cell.padStart(9))].join("");
