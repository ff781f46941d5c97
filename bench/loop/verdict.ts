import { median } from "../codex/verdict.ts";
import type { ColdName } from "./cold.ts";
import type { Block, Measured } from "./run.ts";
import type { SideName, TurnTimes } from "./side.ts";

/**
 * What the architecture asks for, against the plain reader. Noise alone can miss these, so the run fails only at three
 * times as bad, and not for what the disk costs at this moment: the durable reader tells that.
 */
export const targets = { endMs: 5, firstMs: 3, coldRatio: 0.6 } as const;

const slack = 3;

/** How much later than the plain reader; the published program against pi. */
type Figures = { readonly endMs: number; readonly firstMs: number; readonly coldRatio?: number };

export type Verdict = {
  readonly bench: "loop";
  readonly versions: Measured["versions"];
  readonly talaria: Figures;
  readonly targets: typeof targets;
  readonly met: Met;
  readonly warm: Readonly<Record<string, WarmFigures>>;
  readonly cold: Readonly<Record<string, ColdFigures>>;
  readonly failed: number;
  readonly pass: boolean;
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

type Met = Readonly<Record<keyof typeof targets, boolean | undefined>>;

export function verdict({ versions, warm, cold }: Measured): Verdict {
  const names = Object.keys(warm) as SideName[];
  const warmFigures = Object.fromEntries(names.map((name) => [name, figuresOf(warm, name)]));
  const coldNames = Object.keys(cold) as ColdName[];
  const coldFigures = Object.fromEntries(coldNames.map((name) => [name, coldOf(cold, name)]));
  const figures = talariaFigures(warmFigures["talaria"], coldFigures);
  const turns = Object.values(warm).flat(2);
  const runs = Object.values(cold).flat();
  const failed = [...turns, ...runs].filter(({ done }) => !done).length;
  return {
    bench: "loop",
    versions,
    talaria: figures,
    targets,
    met: within(figures, 1, { laterFirstMs: 0, laterEndMs: 0 }),
    warm: warmFigures,
    cold: coldFigures,
    failed,
    pass: failed === 0 && !Object.values(within(figures, slack, warmFigures["durable"])).includes(false),
  };
}

function figuresOf(warm: Measured["warm"], name: SideName): WarmFigures {
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

function talariaFigures(warm: WarmFigures | undefined, cold: Verdict["cold"]): Figures {
  const { published, pi } = cold;
  return {
    endMs: warm?.laterEndMs ?? Number.NaN,
    firstMs: warm?.laterFirstMs ?? Number.NaN,
    ...(published === undefined || pi === undefined ? {} : { coldRatio: rounded(published.ms / pi.ms) }),
  };
}

/** Each figure, allowed to be so many times worse than its target, and later by the time of a disk. Undefined: not measured. */
const within = (figures: Figures, times: number, disk: Disk | undefined): Met => ({
  endMs: figures.endMs - (disk?.laterEndMs ?? 0) <= targets.endMs * times,
  firstMs: figures.firstMs - (disk?.laterFirstMs ?? 0) <= targets.firstMs * times,
  coldRatio: figures.coldRatio === undefined ? undefined : figures.coldRatio <= targets.coldRatio * times,
});

type Disk = Pick<WarmFigures, "laterFirstMs" | "laterEndMs">;

const rounded = (value: number): number => Number(value.toFixed(2));
