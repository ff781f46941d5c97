/** The grammar of a POSIX-like shell, as far as the policy needs it. Text inside is marked, see `shell-marks.ts`. */
export type Script = readonly Pipeline[];

export type Pipeline = { readonly stages: readonly Stage[]; readonly background: boolean };

export type Stage = Simple | Group | Definition;

export type Simple = {
  readonly kind: "simple";
  readonly assigns: readonly Assign[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
};

/** `( … )` or `{ …; }`. */
export type Group = {
  readonly kind: "group";
  readonly body: Script;
  readonly redirects: readonly Redirect[];
};

export type Definition = { readonly kind: "function"; readonly name: string; readonly body: Script };

/** Several words: an array. */
export type Assign = { readonly name: string; readonly value: readonly Word[] };

export type Redirect = {
  readonly op: string;
  readonly target: Word;
  /** Of a here-document, once its lines were read. */
  body?: Word;
};

export type Word = readonly Part[];

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "variable";
      readonly name: string;
      /** What follows the name in `${name…}`, such as `:-`, with `word` behind it. */
      readonly op: string;
      readonly word: Word;
      readonly quoted: boolean;
    }
  /** `$( … )` and backticks; `fed`: `<( … )`, a file that holds the output. */
  | { readonly kind: "run"; readonly body: Script; readonly quoted: boolean; readonly fed: boolean };
