import { type Insertable, type Kysely, type Selectable, sql } from "kysely";
import type { GrantId } from "../../core/ids.ts";
import { stableJson } from "../../core/json.ts";
import type { Bound, StoredGrant } from "../../core/ledger.ts";
import type { Access } from "../access.ts";
import type { Database, GrantRow } from "../schema/database.ts";
import { present } from "../present.ts";
import type { GrantTable } from "../store.ts";

export const grantTable = ({ read, write }: Access): GrantTable => ({
  add: (grant) =>
    write(async (tx) => {
      await tx.insertInto("grant_rule").values(grantRow(grant)).execute();
    }),

  async use(action) {
    // Only a use that is counted needs the write lock.
    const found = await read((db) => bestGrant(db, action));
    if (found === undefined || found.uses_left === null) return found && grantOf(found);
    return write(async (tx) => {
      const grant = await bestGrant(tx, action);
      if (grant === undefined || grant.uses_left === null) return grant && grantOf(grant);
      const left = grant.uses_left - 1;
      await tx.updateTable("grant_rule").set({ uses_left: left }).where("id", "=", grant.id).execute();
      return grantOf({ ...grant, uses_left: left });
    });
  },

  list: ({ at, session, hash }) =>
    read(async (db) => {
      const all = at === undefined ? db.selectFrom("grant_rule") : holdingAt(db, at);
      const own = session === undefined ? all : all.where("session", "=", session);
      const wanted = hash === undefined ? own : own.where("hash", "=", hash);
      const rows = await wanted.selectAll().orderBy("seq", "desc").execute();
      return rows.map(grantOf);
    }),

  find: (idPrefix) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("grant_rule")
        .selectAll()
        .where("id", ">=", idPrefix as GrantId)
        .where("id", "<", `${idPrefix}\u{10ffff}` as GrantId)
        .orderBy("seq", "desc")
        .limit(10)
        .execute();
      return rows.map(grantOf);
    }),

  revoke: (id, at) =>
    write(async (tx) => {
      const revoked = await tx
        .updateTable("grant_rule")
        .set({ revoked_at: at })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      return revoked.numUpdatedRows > 0n;
    }),
});

/** What is without a limit goes first, so that a use that is counted is not spent in vain. */
const bestGrant = (
  db: Kysely<Database>,
  { hash, bound, session, at, scope }: Parameters<GrantTable["use"]>[0],
): Promise<Selectable<GrantRow> | undefined> =>
  holdingAt(db, at)
    .selectAll()
    .where("hash", "=", hash)
    .where((is) => (bound === undefined ? is("bound", "is", null) : is("bound", "=", boundText(bound))))
    .where("scope", "in", scope === undefined ? ["session", "always", "work"] : [scope])
    .where((is) => is.or([is("scope", "=", "always"), is("session", "=", session)]))
    .orderBy(sql`CASE scope WHEN 'session' THEN 0 WHEN 'always' THEN 1 ELSE 2 END`)
    .orderBy(sql`CASE WHEN uses_left IS NULL THEN 0 ELSE 1 END`)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();

const holdingAt = (db: Kysely<Database>, at: number) =>
  db
    .selectFrom("grant_rule")
    .where("revoked_at", "is", null)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", at)]))
    .where((is) => is.or([is("uses_left", "is", null), is("uses_left", ">", 0)]));

export const grantRow = (grant: StoredGrant): Insertable<GrantRow> => ({
  id: grant.id,
  scope: grant.scope,
  session: grant.session ?? null,
  hash: grant.hash,
  summary: grant.summary,
  tool: grant.tool,
  cwd: grant.cwd,
  made_by: grant.by,
  made_at: grant.madeAt,
  expires_at: grant.expiresAt ?? null,
  uses_left: grant.left ?? null,
  revoked_at: grant.revokedAt ?? null,
  bound: boundText(grant.bound),
});

/** The same files give the same text, in whatever order they were looked at. */
export const boundText = (bound: Bound | undefined): string | null =>
  bound === undefined ? null : stableJson(bound);

const grantOf = (row: Selectable<GrantRow>): StoredGrant => ({
  id: row.id,
  scope: row.scope,
  hash: row.hash,
  summary: row.summary,
  tool: row.tool,
  cwd: row.cwd,
  by: row.made_by,
  madeAt: row.made_at,
  ...present({
    session: row.session,
    expiresAt: row.expires_at,
    left: row.uses_left,
    revokedAt: row.revoked_at,
    bound: row.bound === null ? null : (JSON.parse(row.bound) as Bound),
  }),
});
