import type { HomeSources, Loaded } from "../config/config.ts";
import type { Fault } from "../core/faults.ts";
import type { Migration } from "../core/migration.ts";
import type { Clock } from "../lib/clock.ts";
import type { Route } from "../models/model.ts";
import type { CodexBinary } from "../runtimes/codex/process/binary.ts";

/** What a host with these settings has. Doctor and set-up look at it; the host itself stands above them and hands it down. */
export type HostParts = {
  readonly routes: {
    find(model: string | undefined): Promise<Route | Fault>;
    all(model: string | undefined): Promise<readonly (Route | Fault)[]>;
  };
  /** What commands of the loop run in, in words. It is tried when it is asked for. */
  sandbox(): Promise<{ readonly confined: boolean; readonly text: string }>;
  /** Looked for anew with every call. */
  findCodex(signal: AbortSignal): Promise<CodexBinary | Fault>;
  readonly migration: Pick<Migration, "run">;
};

/** Makes them where no host is open. What was begun ends with `stack`. */
export type OpenHostParts = (
  loaded: Loaded,
  sources: HomeSources & { readonly clock: Clock },
  stack: AsyncDisposableStack,
) => Promise<HostParts>;
