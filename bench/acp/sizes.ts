import { type SideName, sideNames } from "./side.ts";

export type Size = {
  /** Prompts before any is counted: they start codex and its thread, and compile what runs often. */
  readonly warmUp: number;
  /** Warm prompts of each agent, one at a time. */
  readonly warm: number;
  /** Starts of each agent, from nothing to the answer to the first prompt, in a home that has been used before. */
  readonly cold: number;
  /** How often each way to die is tried on each agent. */
  readonly kills: number;
  /** Those that are killed: how the other one dies is only told. */
  readonly killed: readonly SideName[];
  /** Both agents at once, and the warm prompts in those that were just started, where times do not matter. */
  readonly together: boolean;
  /** How many times worse than its target a figure may be before the run fails. */
  readonly slack: number;
};

export const fullSize: Size = {
  warmUp: 5,
  warm: 60,
  cold: 10,
  kills: 3,
  killed: sideNames,
  together: false,
  slack: 1,
};

/** For `npm test`: it says nothing about time, only that both agents do what they should. */
export const quickSize: Size = {
  warmUp: 0,
  warm: 1,
  cold: 1,
  kills: 1,
  killed: ["talaria"],
  together: true,
  slack: Number.POSITIVE_INFINITY,
};
