import { type Transaction, sql } from "kysely";
import type { InboxId, SessionId, TurnId } from "../../core/ids.ts";
import { type InputPart, userMessage } from "../../core/messages.ts";
import type { Session, StoredInput, StoredTurn } from "../../core/session.ts";
import { acquireLease, requireLease } from "../leases.ts";
import { columnsOf, onlyRow, prepared } from "../prepared.ts";
import type { Database, TurnRow } from "../schema/database.ts";
import type { Begun, BegunWaiting, FirstOfWaiting, OpenedTurn, Waiting } from "../schema/opened-turn.ts";
import type { Admission, Claim, Lease, NewTurn, Owner, TurnTable } from "../store.ts";
import { admitInput, startedInput } from "./inbox.ts";
import { type IdleSession, sessionAtStart } from "./session-at-start.ts";
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
  const begun = await goOn(tx, lease, admission, first, machine);
  return begun ?? startOrWait(tx, lease, admission, first, machine);
}

/** The same for an input that was admitted before. Without `opened`: it does not wait any more, a turn is open, or it has no runtime. */
export async function beginWaiting(
  tx: Transaction<Database>,
  claim: Claim,
  input: Waiting,
  chosen: Chosen,
  first: FirstOfWaiting,
  machine: string,
): Promise<BegunWaiting | { readonly busy: Owner }> {
  const acquired = await acquireLease(tx, input.session, claim, chosen.at);
  if ("busy" in acquired) return acquired;
  const { lease } = acquired;
  const opened = await openWaiting(tx, lease, input, chosen, first, machine);
  return { lease, ...(opened && { opened }) };
}

/** `undefined`: it does not wait, its session is not idle, or has no runtime. */
async function openWaiting(
  tx: Transaction<Database>,
  lease: Lease,
  input: Waiting,
  chosen: Chosen,
  { id, runtime, runtimeOf }: FirstOfWaiting,
  machine: string,
): Promise<OpenedTurn | undefined> {
  const { session } = lease;
  const idle = await sessionAtStart(tx, session, chosen, { waiting: input.id }, runtime, machine);
  const on = idle && runtimeOf(idle.session);
  if (idle === undefined || on === undefined) return undefined;
  if ((await startInput(tx, { inbox: input.id, session, turn: id })).rows.length === 0) return undefined;
  return openIdle(tx, lease, idle, input, chosen, { id, runtime, on });
}

/** What mostly happens: a new input for a session that is there and idle. `undefined`: it is not that, and nothing was written. */
async function goOn(
  tx: Transaction<Database>,
  lease: Lease,
  admission: Admission,
  { id, runtime, runtimeOf }: First,
  machine: string,
): Promise<Begun | undefined> {
  if (admission.again !== undefined) return undefined;
  const idle = await sessionAtStart(tx, lease.session, admission, admission, runtime, machine);
  if (idle === undefined) return undefined;
  const on = runtimeOf?.(idle.session) ?? runtimeIn(idle.session, admission, runtime);
  const row = await startedInput(tx, admission, lease.session, id);
  const opened = await openIdle(tx, lease, idle, row, admission, { id, runtime, on });
  return { lease, row: { ...row, state: "waiting" }, fresh: true, opened };
}

type Chosen = Pick<Admission, "choices" | "at">;

const runtimeIn = (session: Session, { choices }: Chosen, otherwise: string): string =>
  choices?.runtime ?? session.runtime ?? otherwise;

/** Opens the turn of an input that is started with it. `on`: where it runs. */
async function openIdle(
  tx: Transaction<Database>,
  lease: Lease,
  { session: before, found }: IdleSession,
  { id: inbox, input }: Pick<StoredInput, "id" | "input">,
  { choices = {}, at }: Chosen,
  { id, runtime, on }: Pick<First, "id" | "runtime"> & { readonly on: string },
): Promise<OpenedTurn> {
  const session = { ...before, ...(await updateSession(tx, before.id, choices)) };
  const turn = await insertTurn(tx, lease, { id, inbox, runtime: on, cwd: session.cwd, at }, input);
  // What was found is of the runtime that it was looked for with.
  const isOther = on !== (session.runtime ?? runtime);
  return { session, turn, before, ...(isOther ? {} : { found }) };
}

/** A new session, an input that is known already or sent again, or a turn that is still open. */
async function startOrWait(
  tx: Transaction<Database>,
  lease: Lease,
  admission: Admission,
  { id, runtime, runtimeOf }: First,
  machine: string,
): Promise<Begun> {
  if (typeof admission.session === "string") await requireKnown(tx, admission.session);
  const admitted = await admitInput(tx, admission);
  // Where it is known already, no session was made for it.
  if (!admitted.fresh) return { lease, ...admitted };
  const first = {
    id,
    runtime,
    runtimeOf: (of: Session) => runtimeOf?.(of) ?? runtimeIn(of, admission, runtime),
  };
  const opened = await openWaiting(tx, lease, admitted.row, admission, first, machine);
  if (opened !== undefined) return { lease, ...admitted, opened };
  // It waits, and is refused now where it would be later.
  const session = await sessionById(tx, lease.session);
  if (session !== undefined) first.runtimeOf(session);
  return { lease, ...admitted };
}

export const sessionOf = ({ session }: Admission): SessionId =>
  typeof session === "string" ? session : session.id;

export async function openTurn(
  tx: Transaction<Database>,
  lease: Lease,
  turn: NewTurn,
): Promise<StoredTurn | undefined> {
  await requireLease(tx, lease);
  const { rows } = await startInput(tx, { inbox: turn.inbox, session: lease.session, turn: turn.id });
  const [input] = rows;
  if (input === undefined) return undefined;
  const stored = await insertTurn(tx, lease, turn, JSON.parse(input.body) as InputPart[]);
  await touchSession(tx, lease.session, turn.at);
  return stored;
}

type Started = { readonly inbox: InboxId; readonly session: SessionId; readonly turn: TurnId };

/** From waiting, and from nothing else. */
const startInput = prepared((db, { inbox, session, turn }: Started) =>
  db
    .updateTable("inbox")
    .set({ state: "started", turn_id: turn })
    .where("id", "=", inbox)
    .where("session", "=", session)
    .where("state", "=", sql.lit("waiting" as const))
    .returning("body"),
);

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
