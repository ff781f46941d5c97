import type { Auxiliary } from "../../core/auxiliary.ts";
import { childVariable } from "../../runtimes/codex/process/child-variable.ts";
import type { BrowserTools } from "../../tools/browser/browser-tools.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Foundation } from "../foundation.ts";
import type { SessionAddresses } from "./known-addresses.ts";

type Sources = Pick<Foundation, "loaded" | "env" | "routes" | "redact" | "processes" | "clock"> & {
  readonly addresses: SessionAddresses;
  readonly auxiliary: Auxiliary;
};

/** Disposing ends the browser, if one was started. */
export type HostBrowser = AsyncDisposable & { tools(): Promise<readonly Tool[]> };

export function hostBrowser(sources: Sources): HostBrowser {
  let made: Promise<BrowserTools> | undefined;
  return {
    async tools() {
      made ??= makeTools(sources);
      return (await made).tools;
    },
    async [Symbol.asyncDispose]() {
      await (await made)?.[Symbol.asyncDispose]();
    },
  };
}

async function makeTools(sources: Sources): Promise<BrowserTools> {
  const { loaded, env, routes, processes, clock } = sources;
  const [{ browserTools }, { netGuard }, { describe, visionUnavailable }, { pageAccess }] = await Promise.all(
    [
      import("../../tools/browser/browser-tools.ts"),
      import("../../tools/net/guard.ts"),
      import("./vision.ts"),
      import("./web-tools.ts"),
    ],
  );
  const { approvals, browser, paths, web } = loaded.config;
  const blind = await visionUnavailable(loaded, routes);
  return browserTools({
    ...browser,
    ...(blind === undefined ? {} : { visionUnavailable: blind }),
    guard: netGuard(web),
    access: pageAccess(sources),
    describe: describe(sources),
    askMs: approvals.timeoutMs,
    folder: paths.run,
    env,
    processes,
    childVariable,
    clock,
  });
}
