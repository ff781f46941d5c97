import { Refusal } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import type { Schedule } from "../core/work/work.ts";
import type { Store } from "../store/store.ts";
import type { Maker } from "./make-schedule.ts";

/** The turn in which a model wants something. */
type From = { readonly session: SessionId; readonly from: Principal; readonly attended?: true };

/**
 * Whose schedules a turn makes, and how deep that is: one with a person makes the first, a run of such a schedule the second,
 * and a run of that one none. Rejects with a Refusal.
 */
export async function makerIn(
  { outcomes, schedules }: Pick<Store, "outcomes" | "schedules">,
  { session, from, attended }: From,
): Promise<Maker> {
  if (from.role !== "owner")
    throw new Refusal("refused", "Schedules are the owner's, and this turn is not for them.", "");
  const run = attended === true ? undefined : await outcomes.ofSession(session);
  if (run === undefined) return { by: from, byModel: true, depth: 1 };
  const schedule = await schedules.get(run.subject as Schedule["id"]);
  if (schedule?.depth === 1) return { by: from, byModel: true, depth: 2 };
  throw new Refusal("refused", "A schedule that a schedule has made makes none itself.", "");
}

/** What runs of schedules may change is what such runs have made: not what the person has, whoever allowed it beforehand. */
export function mayChange({ depth }: Maker, schedule: Schedule): void {
  if (depth === 2 && schedule.depth === 1)
    throw new Refusal("refused", `A run of a schedule does not change “${schedule.name}”.`, "");
}

/** How many a model may make in an hour, and how many of all models may be there. */
export const modelLimits = { hourly: 10, alive: 50 } as const;
