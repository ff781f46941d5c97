import type { Writable } from "node:stream";
import type { BehindDoor, Entrance, ServeStatus } from "../../core/serving/door.ts";
import type { Host } from "../../core/host.ts";

/** What a host that stays is started with. */
export type ServePorts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly stdout: Writable;
  readonly stdin: { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly openHost: (options: {
    readonly profile?: string;
    readonly executor: true;
    readonly longLived: true;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly onLog: (line: string) => void;
  }) => Promise<Host>;
  /** Opened in this order, and closed in the other one. */
  readonly doors: readonly ((behind: BehindDoor) => Promise<Entrance | undefined>)[];
  /** What a host that runs says of itself; `undefined`: none runs in this home. */
  readonly status: (options: { readonly profile?: string }) => Promise<ServeStatus | undefined>;
  /** Calls back on any of these; returns how to stop listening. */
  readonly onSignal: (
    names: readonly NodeJS.Signals[],
    callback: (signal: NodeJS.Signals) => void,
  ) => () => void;
};

export type ServeOptions = {
  readonly profile?: string;
  /** As it was typed. */
  readonly port?: string;
  readonly status?: boolean;
  readonly drain?: boolean;
  readonly json?: boolean;
};
