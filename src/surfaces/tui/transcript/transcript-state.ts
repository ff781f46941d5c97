import type { TurnId } from "../../../core/ids.ts";
import { type Block, type CallBlock, type UserBlock, liveLines } from "./blocks.ts";
import { outputTail } from "./output-tail.ts";

/** What a transcript keeps to know where an event belongs. */
export type TranscriptState = {
  readonly settled: Block[];
  /** Where text that is still written stands. */
  readonly writing: Map<string, number>;
  readonly running: Map<string, CallBlock>;
  readonly waiting: Map<string, UserBlock>;
  /** Where the person's messages stand. */
  readonly users: Map<string, number>;
  /** Items that are finished. */
  readonly finished: Set<string>;
  readonly begun: Map<TurnId, number>;
  readonly ended: Set<TurnId>;
  /** Turns of which some text was shown. */
  readonly withText: Set<TurnId>;
};

export const emptyState = (): TranscriptState => ({
  settled: [],
  writing: new Map(),
  running: new Map(),
  waiting: new Map(),
  users: new Map(),
  finished: new Set(),
  begun: new Map(),
  ended: new Set(),
  withText: new Set(),
});

export const openCall = (since: number): CallBlock => ({
  kind: "call",
  name: "tool",
  detail: "",
  state: "running",
  byPerson: false,
  since,
  output: outputTail(liveLines),
});
