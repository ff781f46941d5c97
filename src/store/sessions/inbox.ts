import { type Kysely, type Selectable, type Transaction, sql } from "kysely";
import { Refusal } from "../../core/host.ts";
import type { InboxId, SessionId, TurnId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { InputKey, StoredInput } from "../../core/session.ts";
import type { Access } from "../access.ts";
import { present } from "../present.ts";
import type { Database, InboxRow } from "../schema/database.ts";
import type { Admission, Admitted, InboxTable } from "../store.ts";
import { insertSession, touchSession } from "./sessions.ts";

export const inboxTable = ({ read, write }: Access): InboxTable => ({
  admit: (admission) => write((tx) => admitInput(tx, admission)),

  get: (id) =>
    read(async (db) => {
      const row = await db.selectFrom("inbox").selectAll().where("id", "=", id).executeTakeFirst();
      return row && inputOf(row);
    }),

  inState: (state, session) =>
    read(async (db) => {
      const all = db.selectFrom("inbox").selectAll().where("state", "=", state).orderBy("seq");
      const rows = await (session === undefined ? all : all.where("session", "=", session)).execute();
      return rows.map(inputOf);
    }),

  move: (id, from, to, turn) =>
    write(async (tx) => {
      const moved = await tx
        .updateTable("inbox")
        .set({ state: to, told: 0, ...(turn === undefined ? {} : { turn_id: turn }) })
        .where("id", "=", id)
        .where("state", "=", from)
        .executeTakeFirst();
      return moved.numUpdatedRows > 0n;
    }),

  drop: (id) => write((tx) => dropInput(tx, id)),

  async takeUnreported(session) {
    // Mostly there is none: looking first spares everybody the write lock.
    if ((await read((db) => unreported(db, session))).length === 0) return [];
    return write(async (tx) => {
      const rows = await unreported(tx, session);
      for (const { id } of rows)
        await tx.updateTable("inbox").set({ told: 1 }).where("id", "=", id).execute();
      return rows.map(inputOf);
    });
  },

  typed: (filter) => read((db) => typedTexts(db, filter)),
});

export async function admitInput(tx: Transaction<Database>, admission: Admission): Promise<Admitted> {
  const known = await byKey(tx, admission.key);
  if (known) return { row: inputOf(known), fresh: false };
  if (admission.again !== undefined && !(await dropInput(tx, admission.again))) throw notSetAside();
  const session = await ensureSession(tx, admission);
  const row = await tx
    .insertInto("inbox")
    .values({ ...newRow(admission), session })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row: inputOf(row), fresh: true };
}

/** One that nobody has to wait for. Its key is new. */
export async function startedInput(
  tx: Transaction<Database>,
  admission: Admission,
  session: SessionId,
  turn: TurnId,
): Promise<StoredInput> {
  const row = await tx
    .insertInto("inbox")
    .values({ ...newRow(admission), session, state: "started", turn_id: turn })
    .returningAll()
    .executeTakeFirstOrThrow();
  return inputOf(row);
}

const dropInput = async (tx: Transaction<Database>, id: InboxId): Promise<boolean> => {
  const gone = tx.deleteFrom("inbox").where("id", "=", id).where("state", "=", "kept");
  return (await gone.executeTakeFirst()).numDeletedRows > 0n;
};

const notSetAside = (): Refusal =>
  new Refusal(
    "not_found",
    "That message is no longer set aside: it was sent or dropped meanwhile.",
    "/queue lists what is.",
  );

const byKey = (tx: Transaction<Database>, key: InputKey) =>
  tx
    .selectFrom("inbox")
    .selectAll()
    .where("surface", "=", key.surface)
    .where("account", "=", key.account)
    .where("chat", "=", key.chat)
    .where("msg_id", "=", key.messageId)
    .executeTakeFirst();

/** Fails on an id nobody has created: input never makes a session by accident. */
async function ensureSession(tx: Transaction<Database>, { session, at }: Admission): Promise<SessionId> {
  if (typeof session === "string") {
    if (!(await touchSession(tx, session, at))) throw new Error(`session ${session} does not exist`);
    return session;
  }
  await insertSession(tx, session, at);
  return session.id;
}

const newRow = ({ id, key, from, input, at }: Admission) => ({
  id,
  surface: key.surface,
  account: key.account,
  chat: key.chat,
  msg_id: key.messageId,
  body: JSON.stringify(input),
  received_at: at,
  state: "waiting" as const,
  from_surface: from.surface,
  from_id: from.id,
  from_name: from.name ?? null,
  from_role: from.role,
  from_local: from.local ? 1 : 0,
});

const unreported = (db: Kysely<Database>, session: SessionId) =>
  db
    .selectFrom("inbox")
    .selectAll()
    .where("session", "=", session)
    .where("state", "=", "kept")
    .where("told", "=", 0)
    .orderBy("seq")
    .execute();

export const inputOf = (row: Selectable<InboxRow>): StoredInput => ({
  id: row.id,
  key: { surface: row.surface, account: row.account, chat: row.chat, messageId: row.msg_id },
  from: {
    surface: row.from_surface,
    id: row.from_id,
    ...present({ name: row.from_name }),
    role: row.from_role,
    local: row.from_local === 1,
  },
  session: row.session,
  input: JSON.parse(row.body) as readonly InputPart[],
  receivedAt: row.received_at,
  state: row.state,
  ...present({ turn: row.turn_id }),
});

/** Enough that repeated inputs do not hide the others, few enough to be read while somebody waits. */
const lookedAt = 20_000;
const pageSize = 200;

async function typedTexts(
  db: Kysely<Database>,
  { surfaces, limit }: { readonly surfaces: readonly string[]; readonly limit: number },
): Promise<readonly string[]> {
  const { newest } = await db
    .selectFrom("inbox")
    .select((of) => of.fn.max("seq").as("newest"))
    .executeTakeFirstOrThrow();
  const oldest = (newest ?? 0) - lookedAt;
  const found = new Set<string>();
  for (let before = (newest ?? 0) + 1; found.size < limit;) {
    const rows = await db
      .selectFrom("inbox")
      .select(["seq", "body"])
      .where("seq", "<", before)
      .where("seq", ">", oldest)
      // Not the bare column: its index would have all of them sorted for each page.
      .where((of) => of(of.fn.coalesce("surface", sql.lit("")), "in", surfaces))
      .orderBy("seq", "desc")
      .limit(pageSize)
      .execute();
    for (const { body } of rows) found.add(textOf(JSON.parse(body) as readonly InputPart[]));
    found.delete("");
    if (rows.length < pageSize) break;
    before = rows.at(-1)?.seq ?? 0;
  }
  return [...found].slice(0, Math.max(0, limit));
}

/** Empty when there is nothing to see in it. */
function textOf(input: readonly InputPart[]): string {
  const text = input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return text.trim() === "" ? "" : text;
}
