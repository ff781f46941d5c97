import { isTooDeep } from "../lib/rpc/json-depth.ts";
import { type Fields, isPlainObject, parsedJson } from "../core/json.ts";
import type { Problem } from "./fault.ts";
import type { DeltaEvent, FinishedEvent, ModelRequest, ModelUsage, UsageEvent } from "./model.ts";
import type { SseFrame } from "./sse.ts";

/** What a protocol machine says: a model event, or a problem that the classifier will put into words. */
export type WireEvent =
  | DeltaEvent
  | FinishedEvent
  | UsageEvent
  | {
      readonly type: "completed";
      readonly skipped: number;
      readonly early?: Extract<Problem, { kind: "incomplete" }>;
    }
  | { readonly type: "problem"; readonly problem: Problem };

export type Step<State> = readonly [State, readonly WireEvent[]];

/** One protocol, purely: same frames, same events, however the bytes were cut. */
export type Wire<State extends WireState> = {
  /** Appended to the route's base address. */
  readonly path: string;
  body(request: ModelRequest, streamed: boolean): object;
  readonly start: State;
  step(state: State, frame: SseFrame): Step<State>;
  /** Some servers ignore `stream: true` and send one JSON answer. */
  whole(answer: unknown): readonly WireEvent[];
  /** The bytes are over and no terminal event came: the answer may be whole all the same. */
  end(state: State): readonly WireEvent[];
};

export type WireState = {
  /** Frames that brought the answer forward; keep-alives do not count. */
  readonly advanced: number;
  readonly skipped: number;
  /** Everything that matters has been said, though the protocol has no end yet. */
  readonly closing?: boolean;
};

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export function jsonObject(text: string): Fields | undefined {
  const value = isTooDeep(text) ? undefined : parsedJson(text);
  return isPlainObject(value) ? value : undefined;
}

/** An answer of more items comes from a model gone astray, and would cost us more time with each of them. */
export const mostItems = 1000;

export const isBlank = (text: string): boolean => text.trim() === "";

/** A provider's numbers are only for display and sums: nonsense counts as nothing. */
export function usageOf(input: unknown, cached: unknown, output: unknown, reasoning: unknown): ModelUsage {
  return { input: count(input), cached: count(cached), output: count(output), reasoning: count(reasoning) };
}

const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
