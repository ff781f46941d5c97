import type { CatchUp, Overlap } from "../../core/work/work.ts";

/** What is to become of an instant that is due. */
export type Fate =
  | { readonly instant: number; readonly state: "planned"; readonly lateMs: number }
  | {
      readonly instant: number;
      readonly state: "missed" | "skipped";
      readonly lateMs: number;
      readonly reason: string;
    };

export type Situation = {
  readonly now: number;
  readonly catchUp: CatchUp;
  readonly overlap: Overlap;
  /** A run that has not ended. */
  readonly isRunning: boolean;
  /** Everything stands still. */
  readonly isPaused: boolean;
};

/** Somebody who is there begins within seconds; whoever comes later than this has not been there. */
const graceMs = 60_000;

/** One for each instant, in their order. Pure: the same instants and situation give the same. */
export function fates(instants: readonly number[], situation: Situation): readonly Fate[] {
  const { now, catchUp, isPaused } = situation;
  if (isPaused) return instants.map((instant) => skipped(instant, now, "all work was paused"));
  const late = instants.filter((instant) => now - instant > graceMs);
  const fresh = instants.slice(late.length);
  const madeUp = catchUp === "once" && fresh.length === 0 ? late.at(-1) : undefined;
  let isRunning = situation.isRunning;
  const planned = (instant: number): Fate => {
    if (isRunning && situation.overlap === "skip")
      return skipped(instant, now, "the run before it had not ended");
    isRunning = true;
    return { instant, state: "planned", lateMs: now - instant };
  };
  return [
    ...late.map((instant) => (instant === madeUp ? planned(instant) : missed(instant, situation, madeUp))),
    ...fresh.map(planned),
  ];
}

function missed(instant: number, { now, catchUp }: Situation, madeUp: number | undefined): Fate {
  const then = {
    once: madeUp === undefined ? "the next one runs" : "the last one that was missed is made up for",
    skip: "it is not made up for",
    ask: "you decide whether it is made up for",
  }[catchUp];
  return { instant, state: "missed", lateMs: now - instant, reason: `no host was running then; ${then}` };
}

const skipped = (instant: number, now: number, reason: string): Fate => ({
  instant,
  state: "skipped",
  lateMs: now - instant,
  reason,
});

/** When work of this instant begins: the same later each time it is asked, and spread over all that it may be. */
export function beginning(subject: string, instant: number, jitterMs: number): number {
  if (jitterMs <= 0) return instant;
  let hash = 2_166_136_261;
  for (const letter of `${subject} ${instant}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return instant + (hash % jitterMs);
}
