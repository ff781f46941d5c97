import type { Readable, Writable } from "node:stream";
import type { Host } from "../../core/host.ts";

/** What the surface for other agents is started with. */
export type McpPorts = {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Messages of the client. */
  readonly stdin: Readable;
  /** Messages to the client, and nothing else. */
  readonly stdout: Writable;
  /** For people who look into the client's log. */
  readonly stderr: Writable;
  readonly openHost: (options: { readonly profile?: string; readonly skipRepair?: boolean }) => Promise<Host>;
  /** Calls back on any of these; returns how to stop listening. */
  readonly onSignal: (
    names: readonly NodeJS.Signals[],
    callback: (signal: NodeJS.Signals) => void,
  ) => () => void;
};

export type McpOptions = {
  readonly profile?: string;
  /** Also the tools for commands and files of this machine. */
  readonly withLocalTools?: boolean;
  /** Only these: toolsets or tools, with commas between them. */
  readonly tools?: string;
};

/** 0 the client has left · 130, 143 ended by a signal (143: SIGTERM) */
export type McpExit = 0 | 130 | 143;
