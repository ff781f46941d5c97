import { type Kysely, type Selectable, type Transaction, sql } from "kysely";
import type { ByCall, NewOutbox, OutboxState, OutboxTable, StoredOutbox } from "../../core/gateway/tables.ts";
import type { Access } from "../access.ts";
import { requireLease, requireTurn } from "../leases.ts";
import type { Database } from "../schema/database.ts";
import type { OutboxRow } from "../schema/gateway-rows.ts";
import { cutAnswer } from "./cut-answer.ts";
import { messageDied } from "../work/outcomes.ts";
import { isSettled, newOutboxRow, outboxOf } from "./stored-outbox.ts";
import { isNamed } from "./named.ts";

export const outboxTable = (access: Access): OutboxTable => ({ ...writers(access), ...readers(access) });

type Writers = "add" | "cut" | "move" | "closeQuestion" | "forgetBodies";

const writers = ({ write, held }: Access): Pick<OutboxTable, Writers> => ({
  add({ byCall, ...row }, at) {
    if (byCall !== undefined) return held(byCall, (tx) => addedByCall(tx, row, byCall, at));
    return write(async (tx) =>
      outboxOf(
        await tx.insertInto("outbox").values(newOutboxRow(row, at)).returningAll().executeTakeFirstOrThrow(),
      ),
    );
  },

  cut: (id, parts) => write(async (tx) => (await cutAnswer(tx, id, parts))?.map(outboxOf)),

  move(id, from, to, also, lease) {
    const work = async (tx: Transaction<Database>): Promise<boolean> => {
      // Locks its row: who was replaced meanwhile cannot commit, and who replaces it waits.
      if (lease !== undefined) await requireLease(tx, lease);
      return moved(tx, id, from, to, also);
    };
    return lease === undefined ? write(work) : held(lease, work);
  },

  closeQuestion: (id) =>
    write(async (tx) => {
      const closed = await tx
        .updateTable("outbox")
        .set({ is_open: 0 })
        .where("id", "=", id)
        .where("is_open", "=", sql.lit(1))
        .executeTakeFirst();
      return closed.numUpdatedRows > 0n;
    }),

  forgetBodies: (before) =>
    write(async (tx) => {
      // What is not settled may have to be sent yet, however old it is.
      const forgotten = await tx
        .updateTable("outbox")
        .set({ body: null })
        .where("body", "is not", null)
        .where("settled_at", "<", before)
        .executeTakeFirst();
      return Number(forgotten.numUpdatedRows);
    }),
});

async function addedByCall(
  tx: Transaction<Database>,
  row: NewOutbox,
  { id, ...lease }: ByCall,
  at: number,
): Promise<StoredOutbox> {
  const { turn } = row;
  if (turn === undefined) throw new Error("what a call sends belongs to its turn");
  await requireTurn(tx, lease, turn);
  const there = await all(tx).where("id", "=", id).executeTakeFirst();
  if (there !== undefined) return outboxOf(there);
  const open = tx.selectFrom("turn").select("id").where("id", "=", turn).where("state", "=", "open");
  if ((await open.executeTakeFirst()) === undefined)
    throw new Error("the turn has ended, and its answer may be on its way already");
  const added = tx
    .insertInto("outbox")
    .values(newOutboxRow(row, at, id))
    .returningAll();
  return outboxOf(await added.executeTakeFirstOrThrow());
}

async function moved(
  tx: Transaction<Database>,
  id: string,
  from: readonly OutboxState[],
  to: OutboxState,
  { at, platformId, why, until }: Parameters<OutboxTable["move"]>[3],
): Promise<boolean> {
  const update = tx
    .updateTable("outbox")
    .set((is) => ({
      state: to,
      until: until ?? null,
      why: why ?? null,
      ...(to === "sending" ? { attempts: is("attempts", "+", 1) } : {}),
      ...(platformId === undefined ? {} : { platform_id: platformId }),
      ...(isSettled(to) ? { settled_at: at } : {}),
    }))
    .where("id", "=", id)
    .where("state", "in", from);
  const result = await (
    to === "sending"
      ? update.where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("outbox as other")
                .select("other.seq")
                .whereRef("other.surface", "=", "outbox.surface")
                .whereRef("other.account", "=", "outbox.account")
                .whereRef("other.chat", "=", "outbox.chat")
                .where("other.state", "=", sql.lit("sending" as const)),
            ),
          ),
        )
      : update
  ).executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  if (to === "dead") await messageDied(tx, id);
  return true;
}

type Readers = Exclude<keyof OutboxTable, Writers>;

const readers = ({ read }: Access): Pick<OutboxTable, Readers> => ({
  get: (id) =>
    read(async (db) => {
      const row = await all(db).where("id", "=", id).executeTakeFirst();
      return row && outboxOf(row);
    }),

  find: (idOrMessage) =>
    read(async (db) => {
      const rows = await all(db)
        .where(isNamed(idOrMessage, "platform_id"))
        .orderBy("seq", "desc")
        .limit(10)
        .execute();
      return rows.map(outboxOf);
    }),

  ofTurn: (turn) => listed(read, (db) => all(db).where("turn_id", "=", turn)),
  about: (about) => listed(read, (db) => all(db).where("about", "=", about)),

  due: (surface, account) =>
    listed(read, (db) =>
      all(db)
        .where("surface", "=", surface)
        .where("account", "=", account)
        .where("state", "in", ["pending", "sending", "refused"]),
    ),

  inState: (state, surface) =>
    listed(read, (db) => {
      const rows = all(db).where("state", "=", state);
      return surface === undefined ? rows : rows.where("surface", "=", surface);
    }),

  openQuestions: (surface, account) =>
    listed(read, (db) =>
      all(db)
        .where("surface", "=", surface)
        .where("account", "=", account)
        .where("is_open", "=", sql.lit(1))
        .where("state", "=", "sent"),
    ),
});

const all = (db: Kysely<Database>) => db.selectFrom("outbox").selectAll();

/** In the order in which they are sent. */
const listed = (
  read: Access["read"],
  wanted: (db: Kysely<Database>) => ReturnType<typeof all>,
): Promise<readonly StoredOutbox[]> =>
  read(async (db) => (await wanted(db).execute()).toSorted(byPlace).map(outboxOf));

type Placed = Pick<Selectable<OutboxRow>, "rank" | "seq" | "part">;

const byPlace = (one: Placed, other: Placed): number =>
  (one.rank ?? one.seq) - (other.rank ?? other.seq) || one.part - other.part;
