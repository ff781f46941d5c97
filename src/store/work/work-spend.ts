import { type Kysely, type Transaction, sql } from "kysely";
import type { InboxId } from "../../core/ids.ts";
import type { Limit } from "../../core/spend.ts";
import type { Access } from "../access.ts";
import type { Database } from "../schema/database.ts";
import type { WorkLimit, WorkSpendTable, WorkUse } from "../schema/work-tables.ts";

const nano = 1e9;

export const workSpendTable = ({ read, write }: Access): WorkSpendTable => ({
  reserve: (wanted, limits) =>
    write(async (tx) => {
      const takes = { turns: 1, tokens: wanted.tokens, usd: wanted.usd };
      const known = tx.selectFrom("work_spend").select("inbox").where("inbox", "=", wanted.inbox);
      const isNew = (await known.executeTakeFirst()) === undefined;
      const before = await usesOf(tx, limits);
      if (!isNew) return { uses: before };
      const uses = before.map((use) => ({ ...use, used: use.used + takes[use.unit] }));
      const full = before.find((use) => use.used + takes[use.unit] > use.limit);
      if (full !== undefined) return { full };
      const { usd, ...row } = wanted;
      await tx
        .insertInto("work_spend")
        .values({ ...row, cost_nano: Math.round(usd * nano), is_open: 1 })
        .execute();
      return { uses };
    }),

  uses: (limits) => read((db) => usesOf(db, limits)),

  async settle(inbox, spent) {
    const known = await read((db) =>
      db.selectFrom("work_spend").select("is_open").where("inbox", "=", inbox).executeTakeFirst(),
    );
    // Whoever looks again spares everybody the write lock.
    if (known?.is_open !== 1) return known === undefined;
    return write((tx) => (spent === undefined ? settleSpend(tx, inbox) : settleWith(tx, inbox, spent)));
  },

  open: (origin) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("work_spend")
        .select(["inbox", "subject", "at"])
        .where("origin", "=", origin)
        // As the index of open ones says it, with a literal: otherwise all that was ever reserved is read.
        .where("is_open", "=", sql.lit(1))
        .orderBy("at")
        .execute();
      return rows.map(({ at, ...row }) => ({ ...row, at: Number(at) }));
    }),

  withdraw: (inbox) =>
    write(async (tx) => {
      if (await dropUnbegun(tx, inbox))
        await tx.deleteFrom("work_spend").where("inbox", "=", inbox).execute();
    }),
});

async function usesOf(db: Kysely<Database>, limits: readonly WorkLimit[]): Promise<readonly WorkUse[]> {
  const uses: WorkUse[] = [];
  for (const limit of limits) uses.push({ ...limit, used: (await sumOf(db, limit))[limit.unit] });
  return uses;
}

async function sumOf(
  db: Kysely<Database>,
  { since, origin, subject }: WorkLimit,
): Promise<Readonly<Record<WorkLimit["unit"], number>>> {
  const day = db.selectFrom("work_spend").where("at", ">=", since);
  const own = origin === undefined ? day : day.where("origin", "=", origin);
  const { turns, tokens, cost } = await (subject === undefined ? own : own.where("subject", "=", subject))
    .select((of) => [
      of.fn.countAll<number>().as("turns"),
      of.fn.coalesce(of.fn.sum<number>("tokens"), sql.lit(0)).as("tokens"),
      of.fn.coalesce(of.fn.sum<number>("cost_nano"), sql.lit(0)).as("cost"),
    ])
    .executeTakeFirstOrThrow();
  return { turns: Number(turns), tokens: Number(tokens), usd: Number(cost) / nano };
}

/** In place of what it might have taken: what its session took, and those that it began. */
export async function settleSpend(tx: Transaction<Database>, inbox: InboxId): Promise<boolean> {
  const session = tx.selectFrom("inbox").select("inbox.session").where("inbox.id", "=", inbox);
  const spent = await tx
    .selectFrom("usage")
    .select((of) => [
      of.fn.coalesce(of.fn.sum<number>("input"), sql.lit(0)).as("input"),
      of.fn.coalesce(of.fn.sum<number>("output"), sql.lit(0)).as("output"),
      of.fn.coalesce(of.fn.sum<number>("cost_nano"), sql.lit(0)).as("cost"),
    ])
    .where((is) =>
      is.or([
        is("usage.session", "=", session),
        is("usage.session", "in", tx.selectFrom("session").select("id").where("parent", "=", session)),
      ]),
    )
    .executeTakeFirstOrThrow();
  const tokens = Number(spent.input) + Number(spent.output);
  return settleWith(tx, inbox, { tokens, usd: Number(spent.cost) / nano });
}

async function settleWith(
  tx: Transaction<Database>,
  inbox: InboxId,
  { tokens, usd }: Required<Limit>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("work_spend")
    .set({ tokens, cost_nano: Math.round(usd * nano), is_open: 0 })
    .where("inbox", "=", inbox)
    .where("is_open", "=", 1)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Nothing was said in a session that has not begun: it goes, with its input. False: its turn is there. */
export async function dropUnbegun(tx: Transaction<Database>, inbox: InboxId): Promise<boolean> {
  const row = await tx
    .selectFrom("inbox")
    .select("session")
    .where("id", "=", inbox)
    .where("state", "in", ["waiting", "kept"])
    .where("turn_id", "is", null)
    .executeTakeFirst();
  if (row === undefined) return false;
  await tx.deleteFrom("session").where("id", "=", row.session).execute();
  return true;
}
