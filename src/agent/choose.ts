import type { Host } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import type { Inside } from "./inside.ts";
import { busyHere, requireRuntime, requireSession } from "./target.ts";

/** What the next turns of a session run with. A turn that runs keeps what it began with, so nothing is changed under it. */
export async function choose(
  { deps, jobs }: Inside,
  id: SessionId,
  { runtime, model, effort }: Parameters<Host["choose"]>[1],
): Promise<void> {
  await requireSession(deps, id);
  if (jobs.has(id)) throw busyHere(id);
  if (runtime !== undefined) requireRuntime(deps, runtime);
  await deps.store.sessions.update(id, {
    ...(runtime === undefined ? {} : { runtime }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
  });
}
