import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HomeSources, type Loaded, loadConfig } from "../config/config.ts";
import { findHome } from "../config/home.ts";
import type { CheckUp } from "../core/care.ts";
import { toFailure } from "../core/failure.ts";
import { type Fault, FaultError } from "../core/faults.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { isAlive, selfIdentity } from "../lib/process-identity.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { policySettings } from "./approvals.ts";
import type { CheckSources } from "./check-facts.ts";
import type { Finding } from "./check-probe.ts";
import { checkOf, findings } from "./checks.ts";
import { routes } from "./routes.ts";
import { hostShell } from "./shell.ts";

export type OpenCheckUp = HomeSources & { readonly profile?: string; readonly clock?: Clock };

/**
 * Needs nothing to be right: a home that is not there, settings that cannot be read and a store that cannot be opened are
 * findings. Rejects with a config fault only when there is no such profile.
 */
export async function openCheckUp(options: OpenCheckUp): Promise<CheckUp> {
  await using parts = new AsyncDisposableStack();
  const sources = await sourcesOf(options, parts);
  let last: readonly Finding[] = [];
  const kept = parts.move();
  return {
    unreadable: "fault" in sources.settings,
    async *look(signal) {
      last = [];
      for await (const finding of findings(sources, signal)) {
        last = [...last, finding];
        yield checkOf(finding);
      }
    },
    mend: () => mend(last),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function sourcesOf(options: OpenCheckUp, parts: AsyncDisposableStack): Promise<CheckSources> {
  const { env, profile, clock = systemClock } = options;
  const flags = profile === undefined ? {} : { profile };
  const place = await findHome({ ...options, flags });
  const own = selfIdentity();
  return {
    place,
    env,
    clock,
    isGone: (owner) => owner.host === own.host && !isAlive(owner),
    openStore: lazyStore(place.paths.db, clock, parts),
    settings: await loadConfig({ ...options, flags }).then(
      (loaded) => readable(loaded, { ...options, clock }, parts),
      (error: unknown) => ({ fault: faultOf(error) }),
    ),
  };
}

/** Only a file that opening does not change: sound, and of this version. */
function lazyStore(path: string, clock: Clock, parts: AsyncDisposableStack): CheckSources["openStore"] {
  let opening: ReturnType<typeof openSqliteStore> | undefined;
  parts.defer(async () => void (await (await opening?.catch(() => undefined))?.[Symbol.asyncDispose]()));
  return async (health) => {
    const fit = (health.state === "sound" || health.state === "unchecked") && health.schema === health.newest;
    return fit ? (opening ??= openSqliteStore(path, { clock })) : undefined;
  };
}

async function readable(
  loaded: Loaded,
  { env, homeDir, clock }: OpenCheckUp & { readonly clock: Clock },
  parts: AsyncDisposableStack,
): Promise<Exclude<CheckSources["settings"], { readonly fault: Fault }>> {
  const settings = policySettings(loaded, env, homeDir);
  const processes = { add: async () => {}, remove: async () => {} };
  const shell = hostShell({ loaded: await provable(loaded, parts), env, settings, processes, clock });
  return { loaded, routes: parts.use(routes(loaded, clock)), fence: parts.use(shell).fence };
}

/** Codex wants a folder of its own to prove its sandbox. In a home that is not there, a look must not make it. */
async function provable(loaded: Loaded, parts: AsyncDisposableStack): Promise<Loaded> {
  if (existsSync(loaded.config.home)) return loaded;
  const run = await mkdtemp(join(tmpdir(), "talaria-doctor-"));
  parts.defer(() => rm(run, { recursive: true, force: true }));
  return { ...loaded, config: { ...loaded.config, paths: { ...loaded.config.paths, run } } };
}

const faultOf = (error: unknown): Fault =>
  error instanceof FaultError ? error.fault : (toFailure(error) as Fault);

async function mend(found: readonly Finding[]): Promise<readonly string[]> {
  const done: string[] = [];
  for (const { name, mend: act } of found) {
    if (act === undefined) continue;
    done.push(
      await act().catch((error: unknown) => `${name} could not be mended: ${toFailure(error).message}`),
    );
  }
  return done;
}
