import { median } from "../medians.ts";
import type { Measured, Runs } from "./run.ts";
import { type StartName, startNames } from "./start.ts";

/** What the architecture asks for, in a home that has been used before. */
export const targets = { versionRatio: 2, piRatio: 0.7, driverRatio: 1.4, paintLaterMs: 250 } as const;

/** Against others in the same run. NaN: not measured. */
type Figures = {
  /** Against `node -e 0`. */
  readonly versionRatio: number;
  readonly helpRatio: number;
  readonly loopRatio: number;
  /** On the loop, against pi. */
  readonly piRatio: number;
  /** The first answer on codex, against the least that gets one. */
  readonly driverRatio: number;
  /** Against `codex exec`. */
  readonly codexRatio: number;
  /** The same in processor time, which tells more when the machine has other work. */
  readonly codexCpuRatio: number;
  /** Later than the end of `node -e 0`. */
  readonly paintLaterMs: number;
  readonly readyLaterMs: number;
};

export type Verdict = Figures & {
  readonly bench: "start";
  readonly codex: string;
  readonly load: Measured["load"];
  readonly targets: typeof targets;
  readonly met: Met;
  /** The same figures in homes that nobody had used. */
  readonly inFreshHomes: Figures;
  readonly warm: Medians;
  readonly fresh: Medians;
  /** Starts that did not end as they should. */
  readonly failed: number;
  readonly pass: boolean;
};

type Met = Readonly<Record<keyof typeof targets, boolean | undefined>>;
type Medians = Readonly<Record<StartName, Median>>;
type Median = {
  readonly runs: number;
  readonly ms: number;
  readonly saidMs?: number;
  readonly readyMs?: number;
  readonly cpuMs: number;
};

export function verdict({ codex, load, warm, fresh }: Measured, slack: number): Verdict {
  const [warmMedians, freshMedians] = [medians(warm), medians(fresh)];
  const figures = figuresOf(warmMedians);
  const runs = [...Object.values(warm), ...Object.values(fresh)].flat();
  const failed = runs.filter(({ done }) => !done).length;
  return {
    bench: "start",
    codex,
    load,
    ...figures,
    targets,
    met: within(figures, 1),
    inFreshHomes: figuresOf(freshMedians),
    warm: warmMedians,
    fresh: freshMedians,
    failed,
    pass: failed === 0 && !Object.values(within(figures, slack)).includes(false),
  };
}

function medians(runs: Runs): Medians {
  const of = (name: StartName): Median => {
    const own = runs[name];
    const said = own.flatMap(({ saidMs }) => saidMs ?? []);
    const ready = own.flatMap(({ readyMs }) => readyMs ?? []);
    const cpuMs = own.reduce((sum, run) => sum + run.cpuMs, 0) / own.length;
    return {
      runs: own.length,
      ms: rounded(median(own.map(({ ms }) => ms))),
      ...(said.length === 0 ? {} : { saidMs: rounded(median(said)) }),
      ...(ready.length === 0 ? {} : { readyMs: rounded(median(ready)) }),
      // Counted in hundredths of a second, so their mean tells more than their middle.
      cpuMs: rounded(cpuMs),
    };
  };
  return Object.fromEntries(startNames.map((name) => [name, of(name)])) as Medians;
}

function figuresOf({ node, version, help, loop, pi, codex, driver, exec, chat }: Medians): Figures {
  return {
    versionRatio: rounded(version.ms / node.ms),
    helpRatio: rounded(help.ms / node.ms),
    loopRatio: rounded(loop.ms / node.ms),
    piRatio: rounded(loop.ms / pi.ms),
    driverRatio: rounded((codex.saidMs ?? Number.NaN) / (driver.saidMs ?? Number.NaN)),
    codexRatio: rounded(codex.ms / exec.ms),
    codexCpuRatio: rounded(codex.cpuMs / exec.cpuMs),
    paintLaterMs: rounded(chat.ms - node.ms),
    readyLaterMs: rounded((chat.readyMs ?? Number.NaN) - node.ms),
  };
}

/** Undefined: not measured. */
const within = (figures: Figures, times: number): Met => ({
  versionRatio: atMost(figures.versionRatio, targets.versionRatio * times),
  piRatio: atMost(figures.piRatio, targets.piRatio * times),
  driverRatio: atMost(figures.driverRatio, targets.driverRatio * times),
  paintLaterMs: atMost(figures.paintLaterMs, targets.paintLaterMs * times),
});

const atMost = (value: number, limit: number): boolean | undefined =>
  Number.isNaN(value) ? undefined : value <= limit;

const rounded = (value: number): number => Number(value.toFixed(2));
