import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { Refusal } from "../../core/host.ts";
import type { InboxId, SessionId, TurnId } from "../../core/ids.ts";
import type { NewSession, Session } from "../../core/session.ts";
import type { Access } from "../access.ts";
import type { Database, MessageRow, SessionRow } from "../schema/database.ts";
import { forkSession } from "./fork.ts";
import { givenOf } from "./given.ts";
import { keepSpent } from "../key-spend.ts";
import { leasesOf } from "../leases.ts";
import { changedRows, columnsOf, prepared } from "../prepared.ts";
import { present } from "../present.ts";
import type { SessionChange, SessionTable } from "../store.ts";
import { outlineOf } from "./outline.ts";
import { countRows, countTurns, pastOf } from "./past.ts";
import { sessionSince } from "./since.ts";
import { rowsOf, storedMessage, userItem } from "./stored-message.ts";
import { storedTurn } from "./stored-turn.ts";

export const sessionTable = ({ read, write }: Access): SessionTable => ({
  get: (id) => read((db) => sessionById(db, id)),

  find: (idPrefix) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("session")
        .selectAll()
        .where("id", ">=", idPrefix as SessionId)
        .where("id", "<", `${idPrefix}\u{10ffff}` as SessionId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(10)
        .execute();
      return rows.map(sessionOf);
    }),

  list: ({ limit, cwd, parent }) =>
    read(async (db) => {
      const all = db
        .selectFrom("session")
        .selectAll()
        .where("parent", parent === undefined ? "is" : "=", parent ?? null)
        .where((is) => is.or([is("mark", "is", null), is("mark", "!=", "hidden")]))
        .orderBy("updated_at", "desc")
        .orderBy("id", "desc");
      const rows = await (cwd === undefined ? all : all.where("cwd", "=", cwd)).limit(limit).execute();
      const previews = await previewsOf(
        db,
        rows.map((row) => row.id),
      );
      return rows.map((row) => ({ ...sessionOf(row), ...present({ preview: previews.get(row.id) }) }));
    }),

  begin: (session, at) => write((tx) => insertSession(tx, session, at)),

  update: (id, change) => write(async (tx) => void (await updateSession(tx, id, change))),

  giveTitle: (id, title) =>
    write(async (tx) => {
      const untitled = tx
        .updateTable("session")
        .set({ title })
        .where("id", "=", id)
        .where("title", "is", null);
      return (await untitled.executeTakeFirst()).numUpdatedRows > 0n;
    }),

  delete: (id, only) => write(async (tx) => !(await saysMore(tx, id, only)) && (await deleteSession(tx, id))),

  ...transcript({ read }),
  outline: (id, of) => read((db) => outlineOf(db, id, of)),
  given: (id) => read((db) => givenOf(db, id)),
  past: (id, window) => read((db) => pastOf(db, id, window)),
  count: (id, upTo = Number.MAX_SAFE_INTEGER) =>
    read(async (db) => ({ turns: await countTurns(db, id), ...(await countRows(db, id, upTo)) })),

  fork: (lease, fork) =>
    write(async (tx) => ((await forkSession(tx, lease, fork)) ? sessionById(tx, fork.id) : undefined)),
});

/** What was said in it. */
const transcript = ({
  read,
}: Pick<Access, "read">): Pick<SessionTable, "messages" | "turns" | "since" | "lastTurns"> => ({
  messages: (id, window) =>
    read(async (db) => {
      if (window === undefined) return (await rowsOf(db, id).execute()).map(storedMessage);
      const rows =
        "from" in window
          ? (await rowsFrom(db, { session: id, turn: window.from })).rows
          : await rowsAround(db, id, window);
      return rows.map(storedMessage);
    }),

  turns: (id, after) =>
    read(async (db) => {
      const all = db.selectFrom("turn").selectAll().where("session", "=", id).orderBy("seq");
      const before = db
        .selectFrom("turn")
        .select("seq")
        .where("id", "=", after ?? ("" as TurnId));
      const rows = await (after === undefined ? all : all.where("seq", ">", before)).execute();
      return rows.map(storedTurn);
    }),

  since: (id, mark) => read((db) => sessionSince(db, id, mark)),

  lastTurns: (id, count) =>
    read(async (db) => {
      const { rows } = await newestTurns(db, { session: id, count });
      return rows.toReversed().map(storedTurn);
    }),
});

export async function requireKnown(db: Kysely<Database>, id: SessionId): Promise<void> {
  if ((await sessionById(db, id)) !== undefined) return;
  throw new Refusal("not_found", `There is no session ${id}.`, "See `talaria sessions list`.");
}

export async function sessionById(db: Kysely<Database>, id: SessionId): Promise<Session | undefined> {
  const [row] = (await sessionRow(db, { id })).rows;
  return row && sessionOf(row);
}

const sessionRow = prepared((db, { id }: Pick<SessionRow, "id">) =>
  db.selectFrom("session").selectAll().where("id", "=", id),
);

const newestTurns = prepared((db, of: { readonly session: SessionId; readonly count: number }) =>
  db.selectFrom("turn").selectAll().where("session", "=", of.session).orderBy("seq", "desc").limit(of.count),
);

/** What it began goes with it. */
async function deleteSession(tx: Transaction<Database>, id: SessionId): Promise<boolean> {
  await keepSpent(tx, id);
  await tx.deleteFrom("lease").where("name", "in", leasesOf(tx, id)).execute();
  const gone = await tx.deleteFrom("session").where("id", "=", id).executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

async function saysMore(
  tx: Transaction<Database>,
  id: SessionId,
  than: InboxId | undefined,
): Promise<boolean> {
  if (than === undefined) return false;
  const others = tx.selectFrom("inbox").select("id").where("session", "=", id).where("id", "!=", than);
  return (await others.limit(1).executeTakeFirst()) !== undefined;
}

async function previewsOf(
  db: Kysely<Database>,
  ids: readonly SessionId[],
): Promise<ReadonlyMap<SessionId, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("session")
    // Its first turn alone, however many there are.
    .innerJoin("turn", (join) =>
      join.on("turn.seq", "=", (of) =>
        of
          .selectFrom("turn as first")
          .select("first.seq")
          .whereRef("first.session", "=", "session.id")
          .where("first.undone", "is", null)
          .orderBy("first.seq")
          .limit(1),
      ),
    )
    .innerJoin("message", "message.turn_id", "turn.id")
    .select(["turn.session", sql<string>`substr(content, 1, 120)`.as("preview")])
    .where("session.id", "in", ids)
    .where("message.item_id", "=", userItem)
    .execute();
  return new Map(rows.map((row) => [row.session, row.preview]));
}

/** Gives what was changed. */
export async function updateSession(
  tx: Transaction<Database>,
  id: SessionId,
  { cwd, title, runtime, model, effort }: SessionChange,
): Promise<SessionChange> {
  const set = present({ cwd, title, runtime, model, effort });
  if (Object.keys(set).length > 0) await tx.updateTable("session").set(set).where("id", "=", id).execute();
  return set;
}

/** One that is there already is only marked as active. */
export async function insertSession(
  tx: Transaction<Database>,
  session: NewSession,
  at: number,
): Promise<void> {
  const { title = null, runtime = null, model = null, effort = null, parent = null, mark = null } = session;
  const row = { ...session, title, runtime, model, effort, parent, mark, created_at: at, updated_at: at };
  await newSession(tx, row);
}

const newSession = prepared((db, row: Omit<SessionRow, "events">) =>
  db
    .insertInto("session")
    .values(columnsOf(row, sessionColumns))
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ updated_at: row.updated_at })),
);

const sessionColumns = [
  "id",
  "cwd",
  "surface",
  "audience",
  "title",
  "runtime",
  "model",
  "effort",
  "parent",
  "mark",
  "created_at",
  "updated_at",
] as const;

/** Marks activity. False: there is no such session. */
export async function touchSession(tx: Transaction<Database>, id: SessionId, at: number): Promise<boolean> {
  return changedRows(await touch(tx, { id, at })) > 0;
}

const touch = prepared((db, { id, at }: { readonly id: SessionId; readonly at: number }) =>
  db.updateTable("session").set({ updated_at: at }).where("id", "=", id),
);

const rowsFrom = prepared((db, from: { readonly session: SessionId; readonly turn: TurnId }) =>
  rowsOf(db, from.session).where("seq", ">=", (of) =>
    of
      .selectFrom("message")
      .select((each) => each.fn.min("seq").as("first"))
      .where("turn_id", "=", from.turn),
  ),
);

/** Counted in rows, because the numbers of one session have gaps. */
async function rowsAround(
  db: Kysely<Database>,
  id: SessionId,
  { around, radius }: { readonly around: number; readonly radius: number },
): Promise<readonly Selectable<MessageRow>[]> {
  const before = await rowsOf(db, id)
    .clearOrderBy()
    .where("seq", "<", around)
    .orderBy("seq", "desc")
    .limit(radius)
    .execute();
  const from = await rowsOf(db, id)
    .where("seq", ">=", around)
    .limit(radius + 1)
    .execute();
  const after = from[0]?.seq === around ? from : from.slice(0, radius);
  return [...before.toReversed(), ...after];
}

export const sessionOf = (row: Omit<SessionRow, "events">): Session => ({
  id: row.id,
  cwd: row.cwd,
  surface: row.surface,
  audience: row.audience,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  ...present({
    title: row.title,
    runtime: row.runtime,
    model: row.model,
    effort: row.effort,
    parent: row.parent,
    mark: row.mark,
  }),
});
