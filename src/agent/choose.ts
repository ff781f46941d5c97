import { type Host, Refusal } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import { busyHere } from "./admission.ts";
import { knownSession } from "./between-turns.ts";
import type { Inside } from "./inside.ts";

/** What the next turns of a session run with. A turn that runs keeps what it began with, so nothing is changed under it. */
export async function choose(
  { deps, jobs }: Inside,
  id: SessionId,
  { runtime, model, effort }: Parameters<Host["choose"]>[1],
): Promise<void> {
  await knownSession(deps, id);
  if (jobs.has(id)) throw busyHere(id);
  if (runtime !== undefined && deps.runtimes[runtime] === undefined) {
    const names = Object.keys(deps.runtimes).join(", ");
    throw new Refusal("config", `There is no runtime "${runtime}" here.`, `Choose one of: ${names}.`);
  }
  await deps.store.sessions.update(id, {
    ...(runtime === undefined ? {} : { runtime }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
  });
}
