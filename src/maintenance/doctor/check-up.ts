import { type HomeSources, type Loaded, loadConfig } from "../../config/config.ts";
import { findHome } from "../../config/home.ts";
import type { CheckUp } from "../../core/care.ts";
import { toFailure } from "../../core/failure.ts";
import { type Fault, FaultError } from "../../core/faults.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { isAlive, selfIdentity } from "../../lib/process-identity.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import type { CheckSources } from "./facts.ts";
import { fenceOf } from "../../host/check-fence.ts";
import type { Finding } from "./probe.ts";
import { checkOf, findings } from "./checks.ts";
import { routes } from "../../host/models/routes.ts";

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
  options: OpenCheckUp & { readonly clock: Clock },
  parts: AsyncDisposableStack,
): Promise<Exclude<CheckSources["settings"], { readonly fault: Fault }>> {
  const fence = await fenceOf(loaded, options, parts);
  return { loaded, routes: parts.use(routes(loaded, options.clock)), fence };
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
