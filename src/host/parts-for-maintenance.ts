import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Loaded } from "../config/config.ts";
import { noLongerNeeded } from "../lib/no-longer-needed.ts";
import { redactor } from "../lib/redact/redact.ts";
import type { OpenHostParts } from "../maintenance/host-parts.ts";
import { policySettings } from "./approvals/policy-settings.ts";
import { codexMigration } from "./codex/migration.ts";
import { findOwnCodex } from "./codex/plan.ts";
import { routes } from "./models/routes.ts";
import { hostShell } from "./tools/shell.ts";

/** The parts of a host that doctor and set-up look at, where none is open. Nothing is written into the home. */
export const openHostParts: OpenHostParts = async (loaded, { env, homeDir, clock }, stack) => {
  const stop = new AbortController();
  const processes = { add: async () => {}, remove: async () => {} };
  const shell = stack.use(
    hostShell({
      loaded: await provable(loaded, stack),
      env,
      settings: policySettings(loaded, env, homeDir),
      processes,
      clock,
      redact: redactor(loaded.secrets),
      signal: stop.signal,
    }),
  );
  // Whoever leaves does not wait for a program that hangs.
  stack.defer(() => stop.abort(noLongerNeeded));
  return {
    routes: stack.use(routes(loaded, clock)),
    sandbox: shell.sandbox,
    findCodex: (signal) => findOwnCodex(loaded.config, env, clock, signal, true),
    migration: codexMigration({ loaded, env, clock, processes, version: "0" }),
  };
};

/** Codex wants a folder of its own to prove its sandbox. In a home that is not there, a look must not make it. */
async function provable(loaded: Loaded, stack: AsyncDisposableStack): Promise<Loaded> {
  if (existsSync(loaded.config.home)) return loaded;
  const run = await mkdtemp(join(tmpdir(), "talaria-look-"));
  stack.defer(() => rm(run, { recursive: true, force: true }));
  return { ...loaded, config: { ...loaded.config, paths: { ...loaded.config.paths, run } } };
}
