import type { Kysely, Selectable, Transaction } from "kysely";
import type { PeopleTable, StoredPairing } from "../../core/gateway/tables.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { PairingRow } from "../schema/gateway-rows.ts";

const mostWaiting = 3;
const betweenAsksMs = 10 * 60_000;
const mostWrong = 5;
const hourMs = 60 * 60_000;

/** Whoever asks again after a while has a new code, and the old one is none any more. */
export async function askPairing(
  tx: Transaction<Database>,
  { surface, id, name, chat, askedAt, expiresAt }: StoredPairing,
  code: string,
): ReturnType<PeopleTable["ask"]> {
  await tx.deleteFrom("pairing").where("expires_at", "<=", askedAt).execute();
  if (await isLocked(tx, askedAt)) return "locked";
  const waiting = await tx
    .selectFrom("pairing")
    .select(["id", "asked_at"])
    .where("surface", "=", surface)
    .execute();
  const own = waiting.find((one) => one.id === id);
  if (own !== undefined && askedAt - own.asked_at < betweenAsksMs) return "soon";
  if (own === undefined && waiting.length >= mostWaiting) return "many";
  const asked = {
    name: name ?? null,
    account: chat.account,
    chat: chat.chat,
    code,
    asked_at: askedAt,
    expires_at: expiresAt,
  };
  await tx
    .insertInto("pairing")
    .values({ surface, id, ...asked })
    .onConflict((conflict) => conflict.columns(["surface", "id"]).doUpdateSet(asked))
    .execute();
  return "asked";
}

/** None is while codes are locked. */
export async function isPairingWaiting(db: Kysely<Database>, code: string, at: number): Promise<boolean> {
  if (await isLocked(db, at)) return false;
  const found = await db
    .selectFrom("pairing")
    .select("id")
    .where("code", "=", code)
    .where("expires_at", ">", at)
    .executeTakeFirst();
  return found !== undefined;
}

/** The request with this code, which is used up by it. */
export async function confirmPairing(
  tx: Transaction<Database>,
  code: string,
  at: number,
): Promise<Selectable<PairingRow> | "wrong" | "locked"> {
  if (await isLocked(tx, at)) return "locked";
  const found = await tx
    .deleteFrom("pairing")
    .where("code", "=", code)
    .where("expires_at", ">", at)
    .returningAll()
    .executeTakeFirst();
  if (found !== undefined) return found;
  await countWrong(tx, at);
  return "wrong";
}

export async function pairingsAt(db: Kysely<Database>, at: number): Promise<readonly StoredPairing[]> {
  const rows = await db
    .selectFrom("pairing")
    .selectAll()
    .where("expires_at", ">", at)
    .orderBy("asked_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    surface: row.surface,
    id: row.id,
    chat: { surface: row.surface, account: row.account, chat: row.chat },
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
    ...present({ name: row.name }),
  }));
}

const isLocked = async (db: Kysely<Database>, at: number): Promise<boolean> =>
  (await db.selectFrom("wrong_code").select("seq").where("locked_until", ">", at).executeTakeFirst()) !==
  undefined;

/** None is counted while it is locked, so when it is open again all that were before are too old to count. */
async function countWrong(tx: Transaction<Database>, at: number): Promise<void> {
  await tx
    .deleteFrom("wrong_code")
    .where("at", "<=", at - hourMs)
    .execute();
  const before = await tx.selectFrom("wrong_code").select("seq").execute();
  const locked_until = before.length + 1 >= mostWrong ? at + hourMs : null;
  await tx.insertInto("wrong_code").values({ at, locked_until }).execute();
}
