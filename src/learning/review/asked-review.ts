import { Refusal } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import { type Due, type DueDeps, reviewKinds } from "./due-session.ts";

/** `/refine` asks for everything, whether it is due or not. Rejects with a Refusal when there is nothing to look at. */
export async function askedReview({ store, settings }: DueDeps, id: SessionId): Promise<Due> {
  const session = await store.sessions.get(id);
  if (session === undefined)
    throw new Refusal("not_found", `There is no session ${id}.`, "See `talaria sessions list`.");
  if (session.parent !== undefined)
    throw new Refusal("usage", "This session is work that another one handed on.", "Review that one.");
  const turns = await store.sessions.turns(id);
  const last = turns.findLast(({ state, undone }) => state !== "open" && undone !== true);
  if (last === undefined)
    throw new Refusal("usage", "Nothing has been said in this session yet.", "Say something first.");
  const enabled = await settings.enabled();
  const kinds = reviewKinds.filter((kind) => enabled[kind]);
  if (kinds.length === 0) {
    const next = "Switch one on: talaria config set memory.enabled true, or skills.enabled true.";
    throw new Refusal("usage", "Memory and skills are both switched off.", next);
  }
  return { session, last, kinds };
}
