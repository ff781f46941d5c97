import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HomeSources, Loaded } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import { nobodyWaits } from "../lib/nobody-waits.ts";
import { redactor } from "../lib/redact.ts";
import { policySettings } from "./approvals/policy-settings.ts";
import { type HostShell, hostShell } from "./tools/shell.ts";

/** What commands of the loop would run in, without a host. It is tried when it is asked for. */
export async function fenceOf(
  loaded: Loaded,
  { env, homeDir, clock }: HomeSources & { readonly clock: Clock },
  parts: AsyncDisposableStack,
): Promise<HostShell["fence"]> {
  const settings = policySettings(loaded, env, homeDir);
  const processes = { add: async () => {}, remove: async () => {} };
  const own = await provable(loaded, parts);
  const stop = new AbortController();
  const shell = hostShell({
    loaded: own,
    env,
    settings,
    processes,
    clock,
    redact: redactor(loaded.secrets),
    signal: stop.signal,
  });
  parts.use(shell);
  // Whoever leaves does not wait for a program that hangs.
  parts.defer(() => stop.abort(nobodyWaits));
  return shell.fence;
}

/** Codex wants a folder of its own to prove its sandbox. In a home that is not there, a look must not make it. */
async function provable(loaded: Loaded, parts: AsyncDisposableStack): Promise<Loaded> {
  if (existsSync(loaded.config.home)) return loaded;
  const run = await mkdtemp(join(tmpdir(), "talaria-look-"));
  parts.defer(() => rm(run, { recursive: true, force: true }));
  return { ...loaded, config: { ...loaded.config, paths: { ...loaded.config.paths, run } } };
}
