import { unheardOf } from "../../agent/open-calls.ts";
import type { SessionId } from "../../core/ids.ts";
import type { CallItem } from "../../core/items.ts";
import type { StoredMessage } from "../../core/session.ts";
import type { Owner, Store } from "../../store/store.ts";
import type { OpenCall } from "../../store/tool-tables.ts";
import { project, startProjection } from "../../transcript/projector.ts";

/**
 * The rows of a session as people see them. Calls that were begun and have no result yet stand at the end, because what
 * they did may be there: those of a process that is gone as the next start will keep them, others as what they are. Those
 * of this process are left out: whoever watches here hears of them.
 */
export async function sessionRows(
  { sessions, calls, leases }: Pick<Store, "sessions" | "calls" | "leases">,
  {
    isGone,
    isSelf,
  }: { readonly isGone: (owner: Owner) => boolean; readonly isSelf: (owner: Owner) => boolean },
  session: SessionId,
): Promise<readonly StoredMessage[]> {
  const [rows, turns] = await Promise.all([sessions.messages(session), sessions.turns(session)]);
  const last = turns.at(-1);
  const open = last?.state === "open" ? await calls.open(last.id) : [];
  if (last === undefined || open.length === 0) return rows;
  const holder = await leases.holder(session);
  if (holder !== undefined && isSelf(holder.owner)) return rows;
  const asItem = holder === undefined || isGone(holder.owner) ? unheardOf : atWork;
  const { seq = 0, at = last.startedAt } = rows.at(-1) ?? {};
  const added = open.flatMap((call) => {
    const [, messages] = project(startProjection(), { type: "item", item: asItem(call) });
    return messages.map((message) => ({ turn: last.id, item: call.id, at, message }));
  });
  return [...rows, ...added.map((row, place) => ({ ...row, seq: seq + 1 + place }))];
}

const atWork = ({ mayHaveRun, ...head }: OpenCall): CallItem => ({
  ...head,
  kind: "call",
  output: mayHaveRun ? "[runs now]" : "[waits for permission]",
  ok: true,
});
