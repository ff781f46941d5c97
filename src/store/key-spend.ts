import { type Kysely, sql } from "kysely";
import type { SessionId } from "../core/ids.ts";
import { dayMs } from "../core/usage.ts";
import type { Database } from "./schema/database.ts";

/** What a key has used since then, deleted sessions included. */
export async function spentByKey(
  db: Kysely<Database>,
  key: string,
  since: number,
): Promise<{ readonly tokens: number; readonly usd: number }> {
  const row = await byKeys(db)
    .where("inbox.from_id", "=", key)
    .where("usage.at", ">=", since)
    .select(sums)
    .executeTakeFirstOrThrow();
  const rest = Object.entries(await deletedOf(db, key)).filter(([day]) => Number(day) * dayMs >= since);
  const tokens = rest.reduce((sum, [, spent]) => sum + spent.tokens, Number(row.tokens ?? 0));
  const nano = rest.reduce((sum, [, spent]) => sum + spent.nano, Number(row.nano ?? 0));
  return { tokens, usd: nano / 1e9 };
}

/** Before a session goes: the ledger's rows lose the name of who used them, and what a key may use is not to come back. */
export async function keepSpent(tx: Kysely<Database>, session: SessionId): Promise<void> {
  const rows = await byKeys(tx)
    .where("turn.session", "in", withParts(tx, session))
    .select(["inbox.from_id as key", day.as("day")])
    .select(sums)
    .groupBy(["inbox.from_id", day])
    .execute();
  for (const { key, day: number, tokens, nano } of rows) {
    const spent = { ...(await deletedOf(tx, key)) };
    const before = spent[number] ?? { tokens: 0, nano: 0 };
    spent[number] = {
      tokens: before.tokens + Number(tokens ?? 0),
      nano: before.nano + Number(nano ?? 0),
    };
    const value = JSON.stringify(Object.fromEntries(Object.entries(spent).slice(-keptDays)));
    await tx
      .insertInto("meta")
      .values({ key: nameOf(key), value })
      .onConflict((on) => on.column("key").doUpdateSet({ value }))
      .execute();
  }
}

/** A budget is for a day; one more for whoever deletes at midnight. */
const keptDays = 2;

type Spent = { readonly tokens: number; readonly nano: number };

/** By day. Numbers are in order in an object, so the newest are the last. */
async function deletedOf(db: Kysely<Database>, key: string): Promise<Readonly<Record<string, Spent>>> {
  const found = db.selectFrom("meta").select("value").where("key", "=", nameOf(key));
  return JSON.parse((await found.executeTakeFirst())?.value ?? "{}") as Record<string, Spent>;
}

const nameOf = (key: string): string => `spent:${key}`;

const byKeys = (db: Kysely<Database>) =>
  db
    .selectFrom("usage")
    .innerJoin("turn", "turn.id", "usage.turn_id")
    .innerJoin("inbox", "inbox.id", "turn.inbox_id")
    .where("inbox.from_surface", "=", "api");

const sums = [
  sql<number | null>`sum(usage.input) + sum(usage.output)`.as("tokens"),
  sql<number | null>`sum(usage.cost_nano)`.as("nano"),
] as const;

const day = sql<number>`usage.at / ${sql.lit(dayMs)}`;

/** A session, and those that it has begun. */
const withParts = (db: Kysely<Database>, session: SessionId) =>
  db
    .withRecursive("part", (with_) =>
      with_
        .selectFrom("session")
        .select("session.id")
        .where("session.id", "=", session)
        .union(
          with_.selectFrom("session").innerJoin("part", "part.id", "session.parent").select("session.id"),
        ),
    )
    .selectFrom("part")
    .select("part.id");
