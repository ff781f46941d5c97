import { type Target, goalLine } from "../bench.ts";
import type { StoreWork } from "../codex/side.ts";
import { median } from "../medians.ts";
import type { Measured } from "./run.ts";
import { type Mark, type TurnTimes, markNames } from "./side.ts";
import { type Figures, type Targets, middle } from "./figures.ts";

/** For people. */
export function table({ warm }: Measured, said: Figures, targets: Targets): string {
  const own = warm.talaria?.flat() ?? [];
  return [
    "a warm turn against the scripted model, medians in ms; later: than the plain reader, median over blocks",
    row("", "first word", "later", "end", "later", "processor"),
    ...Object.entries(said.warm).map(([name, it]) =>
      row(name, it.firstMs, it.laterFirstMs, it.endMs, it.laterEndMs, it.cpuMs),
    ),
    goal("first word later, ms", targets.firstMs),
    goal("end later, ms", targets.endMs),
    "",
    "where the time of a turn goes: until each thing has happened",
    row("", ...timed),
    ...markNames.map((name) =>
      row(words[name], ...timed.map((side) => middle(warm[side]?.flat() ?? [], at(name)))),
    ),
    row("nothing left to do", ...timed.map((side) => middle(warm[side]?.flat() ?? [], after))),
    "",
    ...storeRows(own.flatMap(({ store }) => store ?? [])),
    "",
    "one question to the scripted model, from the start of the program to its end, medians in ms",
    row("", "ms", "processor", "runs"),
    ...Object.entries(said.cold).map(([name, { ms, cpuMs, runs }]) => row(name, ms, cpuMs, String(runs))),
    goal("published, of pi's", targets.coldRatio),
    ...Object.entries(said.versions).map(([name, version]) => `compared with ${name} ${version}`),
  ].join("\n");
}

/** Whose time is told in parts. */
const timed = ["plain", "durable", "talaria"] as const;

const after = ({ afterMs }: TurnTimes): number => afterMs;

const words: Readonly<Record<Mark, string>> = {
  admitted: "input is durable",
  started: "turn has started",
  request: "request is made",
  headers: "server answers",
  first: "first word shown",
  text: "text kept and shown",
  ended: "end is told",
};

const at =
  (name: Mark) =>
  ({ marks }: TurnTimes): number =>
    marks[name] ?? Number.NaN;

/** What a warm turn asked of the store, in the order in which it did. */
function storeRows(works: readonly StoreWork[]): readonly string[] {
  const sum = (name: Exclude<keyof StoreWork, "calls">): number => median(works.map((work) => work[name]));
  const calls = Map.groupBy(
    works.flatMap((work) => work.calls),
    ({ name }) => name,
  );
  const rows = [...calls].map(([name, own]) => {
    const times = [median(own.map(({ atMs }) => atMs)), median(own.map(({ tookMs }) => tookMs))];
    return row(name, own.length / works.length, ...times);
  });
  const statements = `${sum("statements")} statements with ${sum("statementMs").toFixed(2)} ms`;
  const commits = `${sum("commits")} commits with ${sum("commitMs").toFixed(2)} ms`;
  return [
    `the store in a warm turn: ${statements}; of these ${commits}`,
    row("", "a turn", "at", "took"),
    ...rows,
  ];
}

const goal = (what: string, target: Target): string => `${what}: ${shown(target.is)}, ${goalLine(target)}`;

const row = (name: string, ...cells: readonly (number | string)[]): string =>
  [name.padEnd(24), ...cells.map((cell) => shown(cell).padStart(11))].join("");

function shown(cell: number | string): string {
  if (typeof cell === "string") return cell;
  return Number.isNaN(cell) ? "" : cell.toFixed(2);
}
