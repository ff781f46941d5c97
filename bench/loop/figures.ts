import type { Target } from "../bench.ts";
import { median, rounded } from "../medians.ts";
import type { ColdName } from "./cold.ts";
import type { Block, Measured } from "./run.ts";
import type { SideName, TurnTimes } from "./side.ts";

export type Figures = {
  readonly versions: Measured["versions"];
  readonly warm: Readonly<Record<string, WarmFigures>>;
  readonly cold: Readonly<Record<string, ColdFigures>>;
  readonly failed: number;
};

type WarmFigures = {
  readonly turns: number;
  readonly firstMs: number;
  readonly endMs: number;
  readonly cpuMs: number;
  /** Median over the blocks of how much later the middle of a block is than that of the plain reader's. */
  readonly laterFirstMs: number;
  readonly laterEndMs: number;
};

type ColdFigures = { readonly runs: number; readonly ms: number; readonly cpuMs: number };

export function figuresOf({ versions, warm, cold }: Measured): Figures {
  const names = Object.keys(warm) as SideName[];
  const coldNames = Object.keys(cold) as ColdName[];
  const ends = [...Object.values(warm).flat(2), ...Object.values(cold).flat()];
  return {
    versions,
    warm: Object.fromEntries(names.map((name) => [name, warmOf(warm, name)])),
    cold: Object.fromEntries(coldNames.map((name) => [name, coldOf(cold, name)])),
    failed: ends.filter(({ done }) => !done).length,
  };
}

/** What the architecture asks for: how much later than the plain reader; the published program against pi. */
export const targetsOf = ({ warm, cold }: Figures) =>
  ({
    firstMs: { is: warm["talaria"]?.laterFirstMs ?? Number.NaN, atMost: 3 },
    endMs: { is: warm["talaria"]?.laterEndMs ?? Number.NaN, atMost: 5 },
    coldRatio: {
      is: rounded((cold["published"]?.ms ?? Number.NaN) / (cold["pi"]?.ms ?? Number.NaN)),
      atMost: 0.6,
    },
  }) satisfies Readonly<Record<string, Target>>;

export type Targets = ReturnType<typeof targetsOf>;

function warmOf(warm: Measured["warm"], name: SideName): WarmFigures {
  const [plain, blocks] = [warm.plain ?? [], warm[name] ?? []];
  const all = blocks.flat();
  const later = (pick: (times: TurnTimes) => number): number =>
    rounded(median(blocks.map((block, at) => middle(block, pick) - middle(plain[at] ?? [], pick))));
  return {
    turns: all.length,
    firstMs: rounded(middle(all, first)),
    endMs: rounded(middle(all, end)),
    cpuMs: rounded(middle(all, ({ cpuMs = Number.NaN }) => cpuMs)),
    laterFirstMs: later(first),
    laterEndMs: later(end),
  };
}

const first = ({ marks }: TurnTimes): number => marks.first ?? Number.NaN;
const end = ({ marks }: TurnTimes): number => marks.ended ?? Number.NaN;

export const middle = (block: Block, pick: (times: TurnTimes) => number): number => median(block.map(pick));

function coldOf(cold: Measured["cold"], name: ColdName): ColdFigures {
  const runs = cold[name] ?? [];
  const cpu = runs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / runs.length;
  return { runs: runs.length, ms: rounded(median(runs.map(({ ms }) => ms))), cpuMs: rounded(cpu) };
}
