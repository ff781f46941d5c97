import type { Transaction } from "kysely";
import type { ApprovalId } from "../../core/ids.ts";
import type { BegunCall, CallHead } from "../../core/items.ts";
import type { ApprovalRowState } from "../../core/ledger.ts";
import type { Access } from "../access.ts";
import type { Database } from "../schema/database.ts";
import { requireTurn } from "../leases.ts";
import type { CallTable } from "../schema/tool-tables.ts";

export const callTable = ({ read, held }: Access): CallTable => ({
  begin: (call, at) => held(call, (tx) => beginCall(tx, call, at)),

  open: (turn) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("begun_call")
        .leftJoin("approval", "approval.id", "begun_call.approval_id")
        .select(["begun_call.body", "begun_call.approval_id", "approval.state"])
        .where("begun_call.turn_id", "=", turn)
        .orderBy("begun_call.seq")
        .execute();
      return rows.map(({ body, approval_id, state }) => ({
        ...(JSON.parse(body) as CallHead),
        mayHaveRun: approval_id === null || (state !== null && isYes[state]),
      }));
    }),
});

/** The row of the question decides whether it was allowed, so the yes of another process begins it too. */
const isYes: Readonly<Record<ApprovalRowState, boolean>> = {
  pending: false,
  once: true,
  session: true,
  always: true,
  denied: false,
  expired: false,
  withdrawn: false,
  allowed: true,
  refused: false,
};

/** A call that asks, or asks again, is begun with its newest question. */
export async function beginCall(
  tx: Transaction<Database>,
  { session, turn, epoch, id, callId, tool, args }: BegunCall,
  at: number,
  approval: ApprovalId | null = null,
): Promise<void> {
  await requireTurn(tx, { session, epoch }, turn);
  // Codex's own are written down beside the turn: by then it may have ended, and so may the call.
  const open = await tx
    .selectFrom("turn")
    .select("id")
    .where("id", "=", turn)
    .where("state", "=", "open")
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("item").select("item_id").where("turn_id", "=", turn).where("item_id", "=", id))),
    )
    .executeTakeFirst();
  if (open === undefined) return;
  const head: CallHead = { id, callId, tool, args };
  await tx
    .insertInto("begun_call")
    .values({ turn_id: turn, item_id: id, body: JSON.stringify(head), approval_id: approval, at })
    .onConflict((conflict) => {
      const same = conflict.columns(["turn_id", "item_id"]);
      return approval === null ? same.doNothing() : same.doUpdateSet({ approval_id: approval });
    })
    .execute();
}
