import type { Readable, Writable } from "node:stream";
import type { OpenClient } from "../../core/host.ts";

/** What the surface for editors is started with. */
export type AcpPorts = {
  readonly version: string;
  /** Messages of the editor. */
  readonly stdin: Readable;
  /** Messages to the editor, and nothing else. */
  readonly stdout: Writable;
  /** For people who look into the editor's log. */
  readonly stderr: Writable;
  readonly openHost: (options: {
    readonly profile?: string;
    readonly attach?: boolean;
    readonly skipRepair?: boolean;
    readonly longLived?: boolean;
    /** What is known of a turn that will soon follow: its runtime gets ready meanwhile. */
    readonly firstTurn?: { readonly runtime?: string };
  }) => Promise<OpenClient>;
  /** Calls back on any of these; returns how to stop listening. */
  readonly onSignal: (
    names: readonly NodeJS.Signals[],
    callback: (signal: NodeJS.Signals) => void,
  ) => () => void;
};

export type AcpOptions = {
  readonly profile?: string;
  readonly attach?: boolean;
  /** Only say whether an editor could work with it. */
  readonly check?: boolean;
};

/** 0 the editor has left · 2 bad configuration (`check`) · 130, 143 ended by a signal (143: SIGTERM) */
export type AcpExit = 0 | 1 | 2 | 3 | 130 | 143;
