import type { LiveBot } from "../gateway/gateway.ts";
import type { Host } from "../host.ts";

/** What a host that stays is doing. */
export type ServeStatus = {
  readonly version: string;
  readonly home: string;
  readonly pid: number;
  readonly startedAt: number;
  /** Sessions in which a turn runs or waits for one. */
  readonly running: number;
  /** Questions that wait for somebody. */
  readonly questions: number;
  /** Programs that are connected, over all doors. */
  readonly attached: number;
  /** Where the doors are. */
  readonly doors: readonly string[];
  /** How the bots on chat apps are. Missing: there are none, or the host is of a version that did not say. */
  readonly bots?: readonly LiveBot[];
  /** It takes no more work. */
  readonly stopping: boolean;
};

/** One line of what a host that stays writes down; `fields` are plain JSON. */
export type ServeLog = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

/** What is behind a door. Whoever comes in has a client by `host.as`, and nothing else. */
export type BehindDoor = {
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** What `--port` says. */
  readonly port?: number;
  status(): Promise<ServeStatus>;
  /** It takes no more work. Missing: that cannot be. */
  readonly isStopping?: () => boolean;
  /** Ends the host, with a line that says why. Missing: nobody can. */
  readonly end?: (why: string) => void;
  readonly log: ServeLog;
};

/** A way into a host that stays. Disposing closes it: nobody comes in any more, and whoever is inside is let go. */
export type Entrance = AsyncDisposable & {
  /** Missing: nobody connects to it, it connects to others. */
  readonly address?: string;
  attached(): number;
};
export type Door = Entrance & { readonly address: string };

/** `undefined`: the settings want no such door. */
export type OpenDoor = (behind: BehindDoor) => Promise<Door | undefined>;
