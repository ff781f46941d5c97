import type { Selectable, Transaction } from "kysely";
import { type InboxId, type SessionId, type TurnId, newId } from "../../core/ids.ts";
import type { Database, TurnRow } from "../schema/database.ts";
import { requireLease } from "../leases.ts";
import type { Lease, NewFork } from "../store.ts";
import { latestTodos } from "./todos.ts";

type Tx = Transaction<Database>;

/** False: there is nothing to begin it with. */
export async function forkSession(tx: Tx, lease: Lease, fork: NewFork): Promise<boolean> {
  const from = lease.session;
  await requireLease(tx, lease);
  const inUse = await turnsInUse(tx, from).selectAll("turn").orderBy("turn.seq").execute();
  const turns =
    fork.upTo === undefined ? inUse : inUse.slice(0, 1 + inUse.findIndex(({ id }) => id === fork.upTo));
  const last = turns.at(-1);
  if (last === undefined) return false;
  await copySession(tx, from, fork);
  const copies: TurnId[] = [];
  for (const turn of turns) copies.push(await copyTurn(tx, turn, fork.id));
  const cut = fork.upTo === undefined ? undefined : last;
  await copyTodos(tx, from, { session: fork.id, turn: copies.at(-1), upTo: cut?.seq });
  await copyCompactions(tx, from, fork.id, cut && (await lastRow(tx, cut.id)));
  await copyPins(tx, from, fork.id);
  return true;
}

/** The turns that models are given: ended and not taken back. */
const turnsInUse = (tx: Tx, session: SessionId) =>
  tx
    .selectFrom("turn")
    .where("turn.session", "=", session)
    .where("turn.state", "!=", "open")
    .where("turn.undone", "is", null);

async function copySession(tx: Tx, from: SessionId, { id, at, title, upTo }: NewFork): Promise<void> {
  const session = await tx
    .selectFrom("session")
    .select(["cwd", "surface", "audience", "runtime", "model", "effort", "mark"])
    .where("id", "=", from)
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("session")
    .values({
      ...session,
      id,
      parent: null,
      mark: upTo === undefined ? null : session.mark,
      title: title ?? null,
      created_at: at,
      updated_at: at,
    })
    .execute();
}

/** The copy ran in another session, before any lease of the fork: it has no side, and epoch 0. */
async function copyTurn(tx: Tx, turn: Selectable<TurnRow>, session: SessionId): Promise<TurnId> {
  const id = newId("trn", turn.started_at);
  const inbox = newId("inb", turn.started_at);
  await copyInput(tx, turn.inbox_id, { id: inbox, session, turn: id });
  const { seq: _seq, ...row } = turn;
  await tx
    .insertInto("turn")
    .values({ ...row, id, session, inbox_id: inbox, epoch: 0, side: null, told: 1 })
    .execute();
  await copyItems(tx, turn.id, id);
  await copyMessages(tx, turn.id, id, session);
  return id;
}

async function copyTodos(
  tx: Tx,
  from: SessionId,
  { session, turn, upTo }: { session: SessionId; turn: TurnId | undefined; upTo: number | undefined },
): Promise<void> {
  const todos = await latestTodos(tx, from, upTo);
  if (todos.length === 0 || turn === undefined) return;
  await tx
    .insertInto("todo")
    .values({ session, turn_id: turn, list: JSON.stringify(todos) })
    .execute();
}

/**
 * The key is one that no surface uses, and the state one from which nothing is run. Its account is the turn that was
 * typed, also for the copy of a copy: a search finds that one alone while it is there.
 */
async function copyInput(
  tx: Tx,
  from: InboxId,
  { id, session, turn }: { readonly id: InboxId; readonly session: SessionId; readonly turn: TurnId },
): Promise<void> {
  const { surface, account, turn_id, ...row } = await tx
    .selectFrom("inbox")
    .select(["body", "received_at", "surface", "account", "turn_id"])
    .select(["from_surface", "from_id", "from_name", "from_role", "from_local"])
    .where("id", "=", from)
    .executeTakeFirstOrThrow();
  const origin = surface === "fork" ? account : (turn_id ?? "");
  const key = { surface: "fork", account: origin, chat: session, msg_id: turn };
  await tx
    .insertInto("inbox")
    .values({ ...row, ...key, id, session, state: "started", turn_id: turn })
    .execute();
}

async function copyItems(tx: Tx, from: TurnId, to: TurnId): Promise<void> {
  await tx
    .insertInto("item")
    .columns(["turn_id", "item_id", "body", "at"])
    .expression((of) =>
      of
        .selectFrom("item")
        .select((its) => [its.val(to).as("turn_id"), "item_id", "body", "at"])
        .where("turn_id", "=", from)
        .orderBy("seq"),
    )
    .execute();
}

async function copyMessages(tx: Tx, from: TurnId, to: TurnId, session: SessionId): Promise<void> {
  const words = [
    "item_id",
    "role",
    "at",
    "content",
    "parts",
    "tool_calls",
    "tool_call_id",
    "reasoning",
  ] as const;
  await tx
    .insertInto("message")
    .columns(["session", "turn_id", ...words])
    .expression((of) =>
      of
        .selectFrom("message")
        .select((its) => [its.val(session).as("session"), its.val(to).as("turn_id"), ...words])
        .where("turn_id", "=", from)
        .orderBy("seq"),
    )
    .execute();
}

const lastRow = async (tx: Tx, turn: TurnId): Promise<number> => {
  const rows = tx.selectFrom("message").select("seq").where("turn_id", "=", turn);
  return (await rows.orderBy("seq", "desc").limit(1).executeTakeFirst())?.seq ?? 0;
};

/** `upTo`: a summary of what is left out is left out, too. */
async function copyCompactions(
  tx: Tx,
  from: SessionId,
  to: SessionId,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const rows = await tx
    .selectFrom("compaction")
    .selectAll()
    .where("session", "=", from)
    .where("up_to", "<=", upTo)
    .orderBy("id")
    .execute();
  if (rows.length === 0) return;
  const newSeq = await seqMapping(tx, from, to);
  const ids = new Map<number, number>();
  for (const { id, previous, up_to, seen, ...row } of rows) {
    const copy = await tx
      .insertInto("compaction")
      .values({
        ...row,
        session: to,
        up_to: newSeq(up_to),
        seen: newSeq(seen),
        previous: previous === null ? null : (ids.get(previous) ?? null),
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    ids.set(id, copy.id);
  }
}

/** Maps a seq of the one session to the row at the same position in the other. 0: before all rows. */
async function seqMapping(tx: Tx, from: SessionId, to: SessionId): Promise<(seq: number) => number> {
  const before = await turnsInUse(tx, from)
    .innerJoin("message", "message.turn_id", "turn.id")
    .select("message.seq")
    .orderBy("turn.seq")
    .orderBy("message.seq")
    .execute();
  const after = await tx
    .selectFrom("message")
    .select("seq")
    .where("session", "=", to)
    .orderBy("seq")
    .execute();
  // What is behind the end of the copy was not copied.
  const place = (border: number): number => before.findLastIndex(({ seq }) => seq <= border);
  return (border) => after[Math.min(place(border), after.length - 1)]?.seq ?? 0;
}

async function copyPins(tx: Tx, from: SessionId, to: SessionId): Promise<void> {
  await tx
    .insertInto("pin")
    .columns(["session", "line"])
    .expression((of) =>
      of
        .selectFrom("pin")
        .select((its) => [its.val(to).as("session"), "line"])
        .where("session", "=", from)
        .orderBy("id"),
    )
    .execute();
}
