import type { Readable, Writable } from "node:stream";
import type { BareOperation, Client } from "../../core/calls.ts";
import type { OpenClient } from "../../core/host.ts";
import type { Setup } from "../../core/maintenance.ts";

/** What the program is started with. Everything the command line touches of the world is here. */
export type CliPorts = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** The chat on a whole terminal. Loaded when it is used. */
  readonly screen: (options: ScreenOptions) => Promise<ExitCode>;
  /** Serves an editor over stdin and stdout. Loaded when it is used. */
  readonly acp: (options: AcpOptions) => Promise<ExitCode>;
  /** Serves our tools to another agent over stdin and stdout. Loaded when it is used. */
  readonly mcp: (options: McpOptions) => Promise<ExitCode>;
  /** A host that stays. Loaded when it is used. */
  readonly serve: (options: ServeOptions) => Promise<ExitCode>;
  /** `talaria service …`, by the word behind it. Loaded when it is used. */
  readonly service: (action: string, options: ServiceOptions) => Promise<ExitCode>;
  readonly openHost: (options: HostOptions) => Promise<OpenClient>;
  /** Where a host that serves this home listens; nothing when none does. */
  readonly doors: (options: Pick<HostOptions, "profile">) => Promise<readonly string[]>;
  /** For what needs no home that can be opened. */
  readonly openBare: (options: Pick<HostOptions, "profile">) => Promise<Client<BareOperation>>;
  readonly setup: (options: Pick<HostOptions, "profile">) => Promise<Setup>;
  /** Calls back on SIGINT and SIGTERM; returns how to stop listening. */
  readonly onInterrupt: (callback: (signal: NodeJS.Signals) => void) => () => void;
  /** Calls back when nobody reads stdout any more (`talaria run … | head`); returns how to stop listening. */
  readonly onReaderGone: (callback: () => void) => () => void;
  readonly newKey: () => string;
};

export type ScreenOptions = {
  readonly profile?: string;
  readonly attach?: boolean;
  /** `true`: the person chooses. */
  readonly resume?: string | true;
  readonly continue?: boolean;
};

export type AcpOptions = { readonly profile?: string; readonly attach?: boolean; readonly check?: boolean };

export type McpOptions = {
  readonly profile?: string;
  readonly attach?: boolean;
  readonly withLocalTools?: boolean;
  readonly tools?: string;
};

export type ServeOptions = {
  readonly profile?: string;
  readonly port?: string;
  readonly status?: boolean;
  readonly drain?: boolean;
  readonly json?: boolean;
};

export type ServiceOptions = { readonly profile?: string; readonly yes?: boolean; readonly follow?: boolean };

export type HostOptions = {
  readonly profile?: string;
  /** `false`: in this process, also while a host serves the home. */
  readonly attach?: boolean;
  /** A command that runs no turn does not repair what a crash left, so that it cannot disturb a running process. */
  readonly skipRepair?: boolean;
  /** Sessions get titles and are reviewed in the background: for a person who stays. */
  readonly longLived?: boolean;
  /** What is known of a turn that follows at once: its runtime gets ready meanwhile. */
  readonly firstTurn?: { readonly runtime?: string; readonly model?: string };
};

/**
 * 0 done · 1 failed · 2 bad usage or configuration · 3 busy elsewhere · 130 interrupted · 141 nobody read the answer ·
 * 143 told to end (SIGTERM)
 */
export type ExitCode = 0 | 1 | 2 | 3 | 130 | 141 | 143;
