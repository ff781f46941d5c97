import { type Kysely, type Transaction, sql } from "kysely";
import type { InboxId } from "../../core/ids.ts";
import type { Limit } from "../../core/spend.ts";
import type { Origin } from "../../core/work/work.ts";
import type { Access } from "../access.ts";
import { changedRows, columnsOf, onlyRow, prepared } from "../prepared.ts";
import type { Database } from "../schema/database.ts";
import type { Reservation, WorkLimit, WorkSpendTable, WorkUse } from "../schema/work-tables.ts";

const nano = 1e9;

export const workSpendTable = ({ read, write }: Access): WorkSpendTable => ({
  reserve: (wanted, limits) =>
    write(async (tx) => {
      const takes = { turns: 1, tokens: wanted.tokens, usd: wanted.usd };
      const isNew = (await openness(tx, wanted)).rows.length === 0;
      const before = await usesOf(tx, limits);
      if (!isNew) return { uses: before };
      const uses = before.map((use) => ({ ...use, used: use.used + takes[use.unit] }));
      const full = before.find((use) => use.used + takes[use.unit] > use.limit);
      if (full !== undefined) return { full };
      await insertSpend(tx, { ...wanted, cost_nano: Math.round(wanted.usd * nano) });
      return { uses };
    }),

  uses: (limits) => read((db) => usesOf(db, limits)),

  async settle(inbox, spent) {
    const [known] = (await read((db) => openness(db, { inbox }))).rows;
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

const openness = prepared((db, { inbox }: Pick<Reservation, "inbox">) =>
  db.selectFrom("work_spend").select("is_open").where("inbox", "=", inbox),
);

type NewSpend = Omit<Reservation, "usd"> & { readonly cost_nano: number };

const insertSpend = prepared((db, row: NewSpend) =>
  db.insertInto("work_spend").values({ ...columnsOf(row, spendColumns), is_open: 1 }),
);

const spendColumns = ["inbox", "origin", "subject", "at", "tokens", "cost_nano"] as const;

/** Limits of different units are often over the same. */
async function usesOf(db: Kysely<Database>, limits: readonly WorkLimit[]): Promise<readonly WorkUse[]> {
  const uses: WorkUse[] = [];
  const sums = new Map<string, Sum>();
  for (const limit of limits) {
    const over = JSON.stringify([limit.since, limit.origin, limit.subject]);
    const sum = sums.get(over) ?? (await sumOf(db, limit));
    sums.set(over, sum);
    uses.push({ ...limit, used: sum[limit.unit] });
  }
  return uses;
}

type Sum = Readonly<Record<WorkLimit["unit"], number>>;

async function sumOf(db: Kysely<Database>, { since, origin, subject }: WorkLimit): Promise<Sum> {
  const over = { since, origin: origin ?? null, subject: subject ?? null };
  const { turns, tokens, cost } = onlyRow((await spentOver(db, over)).rows);
  return { turns: Number(turns), tokens: Number(tokens), usd: Number(cost) / nano };
}

type Over = { readonly since: number; readonly origin: Origin | null; readonly subject: string | null };

/** Without an origin that of every row, and so with the subject. */
const spentOver = prepared((db, { since, origin, subject }: Over) =>
  db
    .selectFrom("work_spend")
    .where("at", ">=", since)
    .where((is) => is("origin", "=", is.fn.coalesce(is.val(origin), is.ref("origin"))))
    .where((is) => is("subject", "=", is.fn.coalesce(is.val(subject), is.ref("subject"))))
    .select((of) => [
      of.fn.countAll<number>().as("turns"),
      of.fn.coalesce(of.fn.sum<number>("tokens"), sql.lit(0)).as("tokens"),
      of.fn.coalesce(of.fn.sum<number>("cost_nano"), sql.lit(0)).as("cost"),
    ]),
);

/** In place of what it might have taken: what its session took, and those that it began. */
export async function settleSpend(tx: Transaction<Database>, inbox: InboxId): Promise<boolean> {
  const { input, output, cost } = onlyRow((await spentFor(tx, { inbox })).rows);
  return settleWith(tx, inbox, { tokens: Number(input) + Number(output), usd: Number(cost) / nano });
}

const spentFor = prepared((db, { inbox }: Pick<Reservation, "inbox">) => {
  const session = db.selectFrom("inbox").select("inbox.session").where("inbox.id", "=", inbox);
  return db
    .selectFrom("usage")
    .select((of) => [
      of.fn.coalesce(of.fn.sum<number>("input"), sql.lit(0)).as("input"),
      of.fn.coalesce(of.fn.sum<number>("output"), sql.lit(0)).as("output"),
      of.fn.coalesce(of.fn.sum<number>("cost_nano"), sql.lit(0)).as("cost"),
    ])
    .where((is) =>
      is.or([
        is("usage.session", "=", session),
        is("usage.session", "in", db.selectFrom("session").select("id").where("parent", "=", session)),
      ]),
    );
});

async function settleWith(
  tx: Transaction<Database>,
  inbox: InboxId,
  { tokens, usd }: Required<Limit>,
): Promise<boolean> {
  return changedRows(await closeSpend(tx, { inbox, tokens, cost_nano: Math.round(usd * nano) })) > 0;
}

const closeSpend = prepared(
  (db, { inbox, tokens, cost_nano }: Pick<NewSpend, "inbox" | "tokens" | "cost_nano">) =>
    db
      .updateTable("work_spend")
      .set({ tokens, cost_nano, is_open: 0 })
      .where("inbox", "=", inbox)
      .where("is_open", "=", 1),
);

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
