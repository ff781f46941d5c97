import type { Loaded } from "../../config/config.ts";
import type { Auxiliary } from "../../core/auxiliary.ts";
import type { ProcessRegistry } from "../../lib/child.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Redactor } from "../../lib/redact.ts";
import { childVariable } from "../../runtimes/codex/process/child-variable.ts";
import type { BrowserTools } from "../../tools/browser/browser-tools.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Routes } from "../models/routes.ts";
import type { SessionAddresses } from "./known-addresses.ts";

type Sources = {
  readonly loaded: Loaded;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly addresses: SessionAddresses;
  readonly routes: Pick<Routes, "at">;
  readonly auxiliary: Auxiliary;
  readonly redact: Redactor;
  readonly processes: ProcessRegistry;
  readonly clock: Clock;
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
    ...(blind === undefined ? {} : { blind }),
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
