import type { Insertable, Selectable } from "kysely";
import type { RevisionId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { Revision } from "../../core/learning.ts";
import type { Access } from "../access.ts";
import type { RevisionRow } from "../schema/database.ts";
import { present } from "../present.ts";
import type { RevisionTable } from "../schema/learning-tables.ts";

export const revisionTable = ({ read, write }: Access): RevisionTable => ({
  add: (revision) =>
    write(async (tx) => {
      await tx.insertInto("revision").values(rowOf(revision)).execute();
    }),

  settle: (id, from, to) =>
    write(async (tx) => {
      const settled = await tx
        .updateTable("revision")
        .set(settledRow(to))
        .where("id", "=", id)
        .where("state", "=", from)
        .executeTakeFirst();
      return settled.numUpdatedRows > 0n;
    }),

  latest: (file) =>
    read(async (db) => {
      const row = await db
        .selectFrom("revision")
        .selectAll()
        .where("file", "=", file)
        .where("state", "=", "active")
        .orderBy((of) => of.fn.coalesce("decided_at", "at"), "desc")
        .orderBy("seq", "desc")
        .limit(1)
        .executeTakeFirst();
      return row && revisionOf(row);
    }),

  list: ({ limit, since, states, kind, file }) =>
    read(async (db) => {
      let query = db.selectFrom("revision").selectAll().orderBy("seq", "desc").limit(limit);
      // What was proposed long ago and decided since then is news.
      if (since !== undefined)
        query = query.where((of) => of(of.fn.coalesce("decided_at", "at"), ">=", since));
      if (states !== undefined) query = query.where("state", "in", states);
      if (kind !== undefined) query = query.where("kind", "=", kind);
      if (file !== undefined) query = query.where("file", "=", file);
      return (await query.execute()).map(revisionOf);
    }),

  find: (idPrefix) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("revision")
        .selectAll()
        .where("id", ">=", idPrefix as RevisionId)
        .where("id", "<", `${idPrefix}\u{10ffff}` as RevisionId)
        .orderBy("seq", "desc")
        .limit(10)
        .execute();
      return rows.map(revisionOf);
    }),

  forget: (ids, named = []) =>
    write(async (tx) => {
      for (const id of ids) {
        const row = named.includes(id) ? { ...forgotten, file: gone } : forgotten;
        await tx.updateTable("revision").set(row).where("id", "=", id).execute();
      }
    }),
});

const gone = "(forgotten)";

const forgotten = {
  summary: gone,
  evidence: "[]",
  change: "null",
  why: null,
  before: null,
  after: null,
} as const;

const settledRow = ({ state, at, by, why, before, after }: Parameters<RevisionTable["settle"]>[2]) => ({
  state,
  decided_at: at,
  ...present({ decided_by: by, why }),
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});

const rowOf = (revision: Revision): Insertable<RevisionRow> => ({
  id: revision.id,
  at: revision.at,
  kind: revision.kind,
  file: revision.file,
  author: revision.by,
  session: revision.session ?? null,
  turn_id: revision.turn ?? null,
  trusted: revision.trusted ? 1 : 0,
  state: revision.state,
  why: revision.why ?? null,
  reverts: revision.reverts ?? null,
  decided_at: revision.decidedAt ?? null,
  decided_by: revision.decidedBy ?? null,
  summary: revision.summary,
  evidence: JSON.stringify(revision.evidence),
  change: JSON.stringify(revision.change),
  before: revision.before ?? null,
  after: revision.after ?? null,
});

const revisionOf = (row: Selectable<RevisionRow>): Revision => ({
  id: row.id,
  at: row.at,
  kind: row.kind,
  file: row.file,
  by: row.author,
  trusted: row.trusted === 1,
  state: row.state,
  summary: row.summary,
  evidence: JSON.parse(row.evidence) as readonly string[],
  change: JSON.parse(row.change) as Json,
  ...present({
    session: row.session,
    turn: row.turn_id,
    why: row.why,
    reverts: row.reverts,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    before: row.before,
    after: row.after,
  }),
});
