import type { Agent } from "../../agent/index.ts";
import type { Loaded } from "../../config/config.ts";
import type { Auxiliary } from "../../core/auxiliary.ts";
import { hostBrowser } from "./browser-tools.ts";
import { type HostDelegation, hostDelegation } from "./delegation.ts";
import { type HeardResults, heardResults } from "./heard-results.ts";
import type { HostDeps } from "../host.ts";
import type { Learning } from "../learning/learning.ts";
import { type HostMcp, hostMcp } from "./mcp-servers.ts";
import type { Routes } from "../models/routes.ts";
import type { HostShell } from "./shell.ts";
import { type HostToolBox, hostToolBox } from "./tool-box.ts";
import { toolSwitches } from "./switches.ts";

type Sources = Omit<HostDeps, "asking" | "toolBox"> & {
  readonly auxiliary: Auxiliary;
  readonly loaded: Loaded;
  readonly routes: Routes;
  readonly shell: HostShell;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  /** The program stays, and need not have all that it could with the first turn. */
  readonly stays: boolean;
  readonly agent: () => Agent;
  readonly learning: Pick<Learning, "tools">;
};

export type HostTools = AsyncDisposable & {
  readonly toolBox: HostToolBox;
  readonly delegates: HostDelegation;
  readonly mcp: HostMcp;
  readonly heard: HeardResults;
};

/** All tools there are, from the settings. Nothing is loaded or started before a turn needs it. */
export function hostTools(sources: Sources): HostTools {
  const { store, shell, redact, loaded } = sources;
  const delegates = hostDelegation({ ...sources, config: loaded.config });
  const switches = toolSwitches(loaded.config);
  const mcp = hostMcp({ ...sources, isOff: (toolset) => switches.isOff({ name: "", toolset }) });
  const heard = heardResults();
  const reading = { ...sources, store: heard.over(store) };
  const browser = hostBrowser(reading);
  const { guarded } = shell;
  const web = async () => (await import("./web-tools.ts")).webTools(reading);
  const media = async () => (await import("./media-tools.ts")).hostMediaTools({ ...reading, guarded });
  return {
    toolBox: hostToolBox({
      store,
      shell,
      redact,
      delegates,
      switches,
      changing: mcp.tools,
      further: [web, media, browser.tools, sources.learning.tools],
    }),
    delegates,
    mcp,
    heard,
    async [Symbol.asyncDispose]() {
      await using parts = new AsyncDisposableStack();
      parts.use(mcp);
      parts.use(browser);
    },
  };
}
