/** What one run of the worker is told. */
export type Job = {
  readonly home: string;
  readonly cwd: string;
  /** Address of the model. */
  readonly model: string;
  /** Each text is unique over the whole bench, so that it can be found again. */
  readonly inputs: readonly string[];
  readonly crashAt?: { readonly statement: number; readonly when: "before" | "after" };
  /** `start`: the reconciler's statements count too; `turns`: only from the first input on. */
  readonly countFrom: "start" | "turns";
  readonly mutant?: "ack-before-commit";
  /** Name of the variable that marks the children of this home. */
  readonly marker: string;
};

/** What a worker said before it died. */
export type Said = {
  readonly acked: string[];
  readonly shown: { readonly turn: string; readonly item: string }[];
  readonly ended: { readonly turn: string; readonly outcome: string }[];
  statements?: number;
};
