import { median } from "../medians.ts";
import type { Death } from "./kills.ts";
import type { Cold, Measured, Prompted } from "./run.ts";
import { type Each, forEach } from "./side.ts";

/** Against the adapter in the same run. */
export const targets = { warmRatio: 1.1, coldRatio: 1.2, memoryMoreMiB: 60 } as const;

type Figures = {
  /** Of a warm prompt, to its end. */
  readonly warmRatio: number;
  /** From the start of the agent to the answer to its first prompt. */
  readonly coldRatio: number;
  /** After that answer, of the agent and all that it started. */
  readonly memoryMoreMiB: number;
};

export type Verdict = Figures & {
  readonly bench: "acp";
  readonly codex: string;
  readonly load: Measured["load"];
  readonly targets: typeof targets;
  readonly met: Met;
  readonly warm: Each<Medians<"wordMs" | "endedMs">>;
  readonly cold: Each<Medians<"introducedMs" | "openedMs" | "wordMs" | "endedMs" | "memoryMiB">>;
  readonly codexKilled: Each<Fate>;
  readonly agentKilled: Each<Fate>;
  readonly editorGone: Each<{
    readonly exitedMs: number;
    readonly codes: readonly unknown[];
    readonly left: number;
  }>;
  /** Prompts that were not answered, of both, and deaths that Talaria did not survive as it should. */
  readonly failed: number;
  readonly pass: boolean;
};

type Met = Readonly<Record<keyof typeof targets, boolean>>;
type Medians<Name extends string> = Readonly<Record<Name, number>> & { readonly runs: number };

/** How many of the deaths ended in which way. */
export type Fate = {
  readonly deaths: number;
  /** The first words of what the editor saw. */
  readonly seen: readonly string[];
  readonly seenMs: number;
  readonly left: number;
  readonly wentOn: number;
  /** Of a new agent: it knew the turn before, and what was finished in the one that was cut. */
  readonly knewBefore?: number;
  readonly knewFinished?: number;
  readonly leftInTheEnd: number;
};

export function verdict(measured: Measured, slack: number): Verdict {
  const warm = forEach((name) =>
    medians<Prompted, "wordMs" | "endedMs">(measured.warm[name], ["wordMs", "endedMs"]),
  );
  const cold = forEach((name) => medians<Cold, (typeof coldNames)[number]>(measured.cold[name], coldNames));
  const figures: Figures = {
    warmRatio: rounded(warm.talaria.endedMs / warm.adapter.endedMs, 3),
    coldRatio: rounded(cold.talaria.endedMs / cold.adapter.endedMs, 3),
    memoryMoreMiB: rounded(cold.talaria.memoryMiB - cold.adapter.memoryMiB, 1),
  };
  const failed = failures(measured);
  return {
    bench: "acp",
    codex: measured.codex,
    load: measured.load,
    ...figures,
    targets,
    met: within(figures, 1),
    warm,
    cold,
    codexKilled: forEach((name) => fate(measured.codexKilled[name])),
    agentKilled: forEach((name) => fate(measured.agentKilled[name])),
    editorGone: forEach((name) => ({
      exitedMs: rounded(median(measured.editorGone[name].map(({ exitedMs }) => exitedMs)), 1),
      codes: [...new Set(measured.editorGone[name].map(({ code }) => code))],
      left: measured.editorGone[name].reduce((sum, { left }) => sum + left, 0),
    })),
    failed,
    pass: failed === 0 && Object.values(within(figures, slack)).every(Boolean),
  };
}

const coldNames = ["introducedMs", "openedMs", "wordMs", "endedMs", "memoryMiB"] as const;

function medians<Row extends Readonly<Record<Name, number>>, Name extends string>(
  rows: readonly Row[],
  names: readonly Name[],
): Medians<Name> {
  const each = names.map((name) => [name, rounded(median(rows.map((row) => row[name])), 1)] as const);
  return { ...(Object.fromEntries(each) as Record<Name, number>), runs: rows.length };
}

function fate(deaths: readonly Death[]): Fate {
  const count = (fits: (death: Death) => boolean | undefined): number =>
    deaths.filter((death) => fits(death) === true).length;
  const sum = (pick: (death: Death) => number): number =>
    deaths.reduce((before, death) => before + pick(death), 0);
  const isNew = deaths.some(({ remembers }) => remembers !== undefined);
  return {
    deaths: deaths.length,
    seen: [...new Set(deaths.map(({ seen }) => seen.slice(0, 60)))],
    seenMs: rounded(median(deaths.map(({ seenMs }) => seenMs)), 1),
    left: sum(({ left }) => left),
    wentOn: count(({ goesOn }) => goesOn),
    ...(isNew
      ? {
          knewBefore: count(({ remembers }) => remembers?.before),
          knewFinished: count(({ remembers }) => remembers?.finished),
        }
      : {}),
    leftInTheEnd: sum(({ leftInTheEnd }) => leftInTheEnd),
  };
}

function failures({ warm, cold, codexKilled, agentKilled, editorGone }: Measured): number {
  const prompts = [...Object.values(warm).flat(), ...Object.values(cold).flat()];
  const deaths = [...codexKilled.talaria, ...agentKilled.talaria];
  const stayed = editorGone.talaria.filter(({ code, left }) => code !== 0 || left > 0);
  const unanswered = prompts.filter(({ done }) => !done);
  return unanswered.length + deaths.filter((death) => !isSurvived(death)).length + stayed.length;
}

const isSurvived = ({ seen, goesOn, remembers, leftInTheEnd }: Death): boolean =>
  seen.startsWith("error: ") &&
  goesOn &&
  leftInTheEnd === 0 &&
  (remembers === undefined || (remembers.before && remembers.finished));

/** Each figure, allowed to be so many times worse than its target. */
const within = (figures: Figures, times: number): Met => ({
  warmRatio: figures.warmRatio <= targets.warmRatio * times,
  coldRatio: figures.coldRatio <= targets.coldRatio * times,
  memoryMoreMiB: figures.memoryMoreMiB <= targets.memoryMoreMiB * times,
});

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
