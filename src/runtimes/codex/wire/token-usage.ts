import { type Fields, fieldsOf, numberIn } from "./fields.ts";

export type TokenCounts = {
  readonly total: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
};

/** `total` grows over the whole thread; `last` is the latest answer of the model. */
export type TokenUsage = {
  readonly total: TokenCounts;
  readonly last: TokenCounts;
  readonly window?: number;
};

/** `undefined`: the value says nothing about tokens. */
export function readTokenUsage(value: unknown): TokenUsage | undefined {
  const fields = fieldsOf(value);
  const total = fieldsOf(fields["total"]);
  const last = fieldsOf(fields["last"]);
  if (Object.keys(total).length === 0 && Object.keys(last).length === 0) return undefined;
  const window = numberIn(fields, "modelContextWindow");
  return {
    total: countsOf(total),
    last: countsOf(last),
    ...(window === undefined || window <= 0 ? {} : { window }),
  };
}

const countsOf = (fields: Fields): TokenCounts => ({
  total: count(fields, "totalTokens"),
  input: count(fields, "inputTokens"),
  cached: count(fields, "cachedInputTokens"),
  output: count(fields, "outputTokens"),
  reasoning: count(fields, "reasoningOutputTokens"),
});

/** The same as codex writes it into the file of a thread. */
export function recordedCounts(value: unknown): TokenCounts {
  const fields = fieldsOf(value);
  return {
    total: count(fields, "total_tokens"),
    input: count(fields, "input_tokens"),
    cached: count(fields, "cached_input_tokens"),
    output: count(fields, "output_tokens"),
    reasoning: count(fields, "reasoning_output_tokens"),
  };
}

/** Nonsense counts as nothing: no sum of ours may go below zero. */
const count = (fields: Fields, key: string): number => Math.max(0, Math.floor(numberIn(fields, key) ?? 0));
