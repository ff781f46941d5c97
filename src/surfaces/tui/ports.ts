import type { OpenClient } from "../../core/host.ts";

/** What the screen is started with. */
export type TuiPorts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  readonly openHost: (options: {
    readonly profile?: string;
    readonly attach: boolean;
    readonly longLived: boolean;
  }) => Promise<OpenClient>;
  /** Calls back on any of these; returns how to stop listening. */
  readonly onSignal: (
    names: readonly NodeJS.Signals[],
    callback: (signal: NodeJS.Signals) => void,
  ) => () => void;
};

export type TuiOptions = {
  readonly profile?: string;
  readonly attach?: boolean;
  /** `true`: the person chooses. */
  readonly resume?: string | true;
  readonly continue?: boolean;
};

/** 0 left · 1 something broke · 2 bad configuration · 3 busy elsewhere */
export type TuiExit = 0 | 1 | 2 | 3;
