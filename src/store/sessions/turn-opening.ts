import type { Transaction } from "kysely";
import type { SessionId } from "../../core/ids.ts";
import { type InputPart, userMessage } from "../../core/messages.ts";
import type { StoredTurn } from "../../core/session.ts";
import type { Database } from "../schema/database.ts";
import { admitInput } from "./inbox.ts";
import { acquireLease, requireLease } from "../leases.ts";
import { sessionById, touchSession, updateSession } from "./sessions.ts";
import type { Admission, Begun, Claim, Lease, NewTurn, Owner, TurnTable } from "../store.ts";
import { messageRow, userItem } from "./stored-message.ts";
import { storedTurn } from "./stored-turn.ts";

/** All that comes before a runtime can start: the lease, the input, the turn. */
export async function beginTurn(
  tx: Transaction<Database>,
  claim: Claim,
  admission: Admission,
  { id, runtime }: Parameters<TurnTable["begin"]>[2],
): Promise<Begun | { readonly busy: Owner }> {
  const { at, choices = {} } = admission;
  const session = sessionOf(admission);
  const acquired = await acquireLease(tx, session, claim, at);
  if ("busy" in acquired) return acquired;
  const { lease } = acquired;
  const admitted = await admitInput(tx, admission);
  if (!admitted.fresh || (await hasOpenTurn(tx, session))) return { lease, ...admitted };
  const before = await sessionById(tx, session);
  if (before === undefined) throw new Error(`session ${session} is gone`);
  const chosen = await updateSession(tx, session, choices);
  const known = { ...before, ...chosen };
  const opening = { id, inbox: admitted.row.id, runtime: known.runtime ?? runtime, cwd: known.cwd, at };
  const turn = await openTurn(tx, lease, opening);
  return { lease, ...admitted, ...(turn && { opened: { session: known, turn, before } }) };
}

export const sessionOf = ({ session }: Admission): SessionId =>
  typeof session === "string" ? session : session.id;

async function hasOpenTurn(tx: Transaction<Database>, session: SessionId): Promise<boolean> {
  const open = tx.selectFrom("turn").select("id").where("session", "=", session).where("state", "=", "open");
  return (await open.executeTakeFirst()) !== undefined;
}

export async function openTurn(
  tx: Transaction<Database>,
  lease: Lease,
  { id, inbox, runtime, cwd, at }: NewTurn,
): Promise<StoredTurn | undefined> {
  const { session, epoch } = lease;
  await requireLease(tx, lease);
  const input = await tx
    .updateTable("inbox")
    .set({ state: "started", turn_id: id })
    .where("id", "=", inbox)
    .where("session", "=", session)
    .where("state", "=", "waiting")
    .returning("body")
    .executeTakeFirst();
  if (input === undefined) return undefined;
  const row = await tx
    .insertInto("turn")
    .values({ id, session, inbox_id: inbox, epoch, runtime, cwd, state: "open", started_at: at })
    .returningAll()
    .executeTakeFirstOrThrow();
  const message = userMessage(JSON.parse(input.body) as InputPart[]);
  await tx
    .insertInto("message")
    .values(messageRow({ session, turn: id, item: userItem, at }, message))
    .execute();
  await touchSession(tx, session, at);
  return storedTurn(row);
}
