/** What a model is given with a turn before the person's words, part by part. */
export type ContextBill = {
  readonly runtime: string;
  readonly lines: readonly ContextLine[];
  /** What the provider counted with the last turn, where it said so. */
  readonly used?: number;
  readonly window?: number;
  /** What this bill cannot see, in words: what codex adds by itself. */
  readonly beyond?: string;
};

/** `tokens` is an estimate: four characters each. */
export type ContextLine = {
  readonly name: string;
  readonly detail: string;
  readonly characters: number;
  readonly tokens: number;
};

export const contextLine = (name: string, detail: string, characters: number): ContextLine => ({
  name,
  detail,
  characters,
  tokens: Math.ceil(characters / 4),
});
