/** What one run of the worker is told. */
export type Job = {
  readonly home: string;
  readonly cwd: string;
  /** Address of the model. */
  readonly model: string;
  /** Each text is unique over the whole bench, so that it can be found again. */
  readonly inputs: readonly string[];
  /** `effect`: at the first statement after the first effect of a call is there. */
  readonly crashAt?: { readonly statement: number; readonly when: "before" | "after" } | "effect";
  /** `start`: the reconciler's statements count too; `turns`: only from the first input on. */
  readonly countFrom: "start" | "turns";
  readonly mutant?: StoreMutant;
  /** Name of the variable that marks the children of this home. */
  readonly marker: string;
};

/** `call-before-row`: a call is written down with its result only. */
export type StoreMutant = "ack-before-commit" | "call-before-row";

/** The database forgets to log items, or logs each twice. */
export type LogMutant = "item-not-logged" | "item-logged-twice";

export type Mutant = StoreMutant | LogMutant;

/** What a worker said before it died. */
export type Said = {
  readonly acked: string[];
  readonly shown: { readonly turn: string; readonly item: string }[];
  readonly ended: { readonly turn: string; readonly outcome: string }[];
  statements?: number;
};
