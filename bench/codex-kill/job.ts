/** One conversation of three inputs on codex, in a home of its own, and the place where something is killed. */
export type Job = {
  /** TALARIA_HOME. */
  readonly home: string;
  readonly cwd: string;
  readonly codexHome: string;
  /** Path of the codex, real or not. */
  readonly binary: string;
  /** Address of the model. */
  readonly model: string;
  /** Each text is unique over the whole bench, so that it can be found again. */
  readonly inputs: readonly string[];
  /** After so many frames of the first codex: that codex, or this process. */
  readonly kill?: { readonly frame: number; readonly what: "codex" | "self" };
  readonly mutant?: Mutant;
  /** Name of the variable that marks the children of this home. */
  readonly marker: string;
};

/** Deliberate faults, each of which must be noticed. */
export type Mutant = "forget-thread" | "show-before-commit";
