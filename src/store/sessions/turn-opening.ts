import type { Transaction } from "kysely";
import type { SessionId } from "../../core/ids.ts";
import { type InputPart, userMessage } from "../../core/messages.ts";
import type { StoredTurn } from "../../core/session.ts";
import { acquireLease, requireLease } from "../leases.ts";
import { columnsOf, onlyRow, prepared } from "../prepared.ts";
import type { Database, TurnRow } from "../schema/database.ts";
import type { Begun } from "../schema/opened-turn.ts";
import type { Admission, Claim, Lease, NewTurn, Owner, TurnTable } from "../store.ts";
import { admitInput, startedInput } from "./inbox.ts";
import { sessionAtStart } from "./session-at-start.ts";
import { requireKnown, sessionById, touchSession, updateSession } from "./sessions.ts";
import { insertMessages, userItem } from "./stored-message.ts";
import { storedTurn } from "./stored-turn.ts";

type First = Parameters<TurnTable["begin"]>[2];

/** All that comes before a runtime can start: the lease, the input, the turn. */
export async function beginTurn(
  tx: Transaction<Database>,
  claim: Claim,
  admission: Admission,
  first: First,
  machine: string,
): Promise<Begun | { readonly busy: Owner }> {
  const acquired = await acquireLease(tx, sessionOf(admission), claim, admission.at);
  if ("busy" in acquired) return acquired;
  const { lease } = acquired;
  return (await goOn(tx, lease, admission, first, machine)) ?? startOrWait(tx, lease, admission, first);
}

/** What mostly happens: a new input for a session that is there and idle. `undefined`: it is not that, and nothing was written. */
async function goOn(
  tx: Transaction<Database>,
  lease: Lease,
  admission: Admission,
  { id, runtime, runtimeOf }: First,
  machine: string,
): Promise<Begun | undefined> {
  const { at, choices = {}, again } = admission;
  if (again !== undefined) return undefined;
  const idle = await sessionAtStart(tx, lease.session, admission, runtime, machine);
  if (idle === undefined) return undefined;
  const { session: before, found } = idle;
  const on = runtimeOf?.(before) ?? choices.runtime ?? before.runtime ?? runtime;
  const session = { ...before, ...(await updateSession(tx, before.id, choices)) };
  const row = await startedInput(tx, admission, session.id, id);
  const opening = { id, inbox: row.id, runtime: on, cwd: session.cwd, at };
  const turn = await insertTurn(tx, lease, opening, row.input);
  // What was found is of the runtime that it was looked for with.
  const isOther = on !== (session.runtime ?? runtime);
  const opened = { session, turn, before, ...(isOther ? {} : { found }) };
  return { lease, row: { ...row, state: "waiting" }, fresh: true, opened };
}

/** A new session, an input that is known already or sent again, or a turn that is still open. */
async function startOrWait(
  tx: Transaction<Database>,
  lease: Lease,
  admission: Admission,
  { id, runtime, runtimeOf }: First,
): Promise<Begun> {
  const { at, choices = {} } = admission;
  if (typeof admission.session === "string") await requireKnown(tx, admission.session);
  const admitted = await admitInput(tx, admission);
  // Where it is known already, no session was made for it.
  if (!admitted.fresh) return { lease, ...admitted };
  const before = await sessionById(tx, lease.session);
  if (before === undefined) throw new Error(`session ${lease.session} is gone`);
  const on = runtimeOf?.(before);
  if (await hasOpenTurn(tx, before.id)) return { lease, ...admitted };
  const session = { ...before, ...(await updateSession(tx, before.id, choices)) };
  const opening = {
    id,
    inbox: admitted.row.id,
    runtime: on ?? session.runtime ?? runtime,
    cwd: session.cwd,
    at,
  };
  const turn = await openTurn(tx, lease, opening);
  return { lease, ...admitted, ...(turn && { opened: { session, turn, before } }) };
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
  turn: NewTurn,
): Promise<StoredTurn | undefined> {
  await requireLease(tx, lease);
  const input = await tx
    .updateTable("inbox")
    .set({ state: "started", turn_id: turn.id })
    .where("id", "=", turn.inbox)
    .where("session", "=", lease.session)
    .where("state", "=", "waiting")
    .returning("body")
    .executeTakeFirst();
  if (input === undefined) return undefined;
  const stored = await insertTurn(tx, lease, turn, JSON.parse(input.body) as InputPart[]);
  await touchSession(tx, lease.session, turn.at);
  return stored;
}

/** With the person's row. */
async function insertTurn(
  tx: Transaction<Database>,
  { session, epoch }: Lease,
  { id, inbox, runtime, cwd, at }: NewTurn,
  input: readonly InputPart[],
): Promise<StoredTurn> {
  const opening = { id, session, inbox_id: inbox, epoch, runtime, cwd, started_at: at };
  const { rows } = await insertOpenTurn(tx, opening);
  await insertMessages(tx, { session, turn: id, item: userItem, at }, [userMessage(input)]);
  return storedTurn(onlyRow(rows));
}

type OpenTurn = Pick<TurnRow, "id" | "session" | "inbox_id" | "epoch" | "runtime" | "cwd" | "started_at">;

const insertOpenTurn = prepared((db, turn: OpenTurn) =>
  db
    .insertInto("turn")
    .values({ ...columnsOf(turn, turnColumns), state: "open" })
    .returningAll(),
);

const turnColumns = ["id", "session", "inbox_id", "epoch", "runtime", "cwd", "started_at"] as const;
