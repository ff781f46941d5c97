import { type Kysely, type Selectable, type Transaction, sql } from "kysely";
import { Refusal } from "../../core/host.ts";
import type { InboxId, SessionId, TurnId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { InputKey, StoredInput } from "../../core/session.ts";
import type { DueWork, WorkTerms } from "../../core/work/work.ts";
import type { Access } from "../access.ts";
import { columnsOf, onlyRow, prepared } from "../prepared.ts";
import { present } from "../present.ts";
import type { Database, InboxRow } from "../schema/database.ts";
import type { DueInputs } from "../schema/work-tables.ts";
import type { Admission, Admitted, InboxTable } from "../store.ts";
import { insertSession, touchSession } from "./sessions.ts";

export const inboxTable = ({ read, write }: Access): InboxTable => ({
  admit: (admission) => write((tx) => admitInput(tx, admission)),

  get: (id) => read((db) => inputById(db, id)),

  inState: (state, session) =>
    read(async (db) => {
      const all = db.selectFrom("inbox").selectAll().where("state", "=", state).orderBy("seq");
      const rows = await (session === undefined ? all : all.where("session", "=", session)).execute();
      return rows.map(inputOf);
    }),

  ...dueInputs(read),

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

  saidIn: (session, who) =>
    read(async (db) => {
      const said = db.selectFrom("inbox").select("seq").where("session", "=", session).limit(1);
      const own = said.where("from_surface", "=", who.surface).where("from_id", "=", who.id);
      const others = said.where((is) =>
        is.or([is("from_surface", "!=", who.surface), is("from_id", "!=", who.id)]),
      );
      return {
        own: (await own.executeTakeFirst()) !== undefined,
        others: (await others.executeTakeFirst()) !== undefined,
      };
    }),

  isOfChat: (session, { surface, account, chat }) =>
    read(async (db) => {
      const row = await db
        .selectFrom("inbox")
        .select("seq")
        .where("session", "=", session)
        .where("surface", "=", surface)
        .where("account", "=", account)
        .where("chat", "=", chat)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
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

async function inputById(db: Kysely<Database>, id: InboxId): Promise<StoredInput | undefined> {
  const row = await db.selectFrom("inbox").selectAll().where("id", "=", id).executeTakeFirst();
  return row && inputOf(row);
}

const dueInputs = (read: Access["read"]): DueInputs => ({
  due: (at) =>
    read(async (db) => {
      const rows = await dueWork(db).selectAll().where("due_at", "<=", at).orderBy("due_at").execute();
      return rows.map(inputOf);
    }),

  nextDue: (after) =>
    read(async (db) => {
      const next = dueWork(db).select("due_at").where("due_at", ">", after).orderBy("due_at").limit(1);
      return (await next.executeTakeFirst())?.due_at ?? undefined;
    }),

  named: (key) =>
    read(async (db) => {
      const row = await byKey(db, key);
      return row && inputOf(row);
    }),
});

/** A literal, so that the index of just these rows is used. */
const dueWork = (db: Kysely<Database>) =>
  db
    .selectFrom("inbox")
    .where("state", "=", sql.lit("waiting" as const))
    .where("due_at", "is not", null);

export async function admitInput(tx: Transaction<Database>, admission: Admission): Promise<Admitted> {
  const known = await byKey(tx, admission.key);
  if (known) return { row: inputOf(known), fresh: false };
  if (admission.again !== undefined && !(await dropInput(tx, admission.again))) throw notSetAside();
  const session = await ensureSession(tx, admission);
  const { rows } = await insertInput(tx, { ...newRow(admission), session });
  return { row: inputOf(onlyRow(rows)), fresh: true };
}

/** One that nobody has to wait for. Its key is new. */
export async function startedInput(
  tx: Transaction<Database>,
  admission: Admission,
  session: SessionId,
  turn: TurnId,
): Promise<StoredInput> {
  const { rows } = await insertInput(tx, { ...newRow(admission), session, state: "started", turn_id: turn });
  return inputOf(onlyRow(rows));
}

type NewInput = Omit<Selectable<InboxRow>, "seq" | "told">;

const insertInput = prepared((db, row: NewInput) =>
  db.insertInto("inbox").values(columnsOf(row, inputColumns)).returningAll(),
);

const inputColumns = [
  "id",
  "surface",
  "account",
  "chat",
  "msg_id",
  "session",
  "body",
  "received_at",
  "state",
  "turn_id",
  "from_surface",
  "from_id",
  "from_name",
  "from_role",
  "from_local",
  "origin",
  "subject",
  "due_at",
  "attempt",
  "terms",
] as const;

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

const byKey = async (db: Kysely<Database>, key: InputKey): Promise<Selectable<InboxRow> | undefined> =>
  (await inputByKey(db, key)).rows[0];

const inputByKey = prepared((db, { surface, account, chat, messageId }: InputKey) =>
  db
    .selectFrom("inbox")
    .selectAll()
    .where("surface", "=", surface)
    .where("account", "=", account)
    .where("chat", "=", chat)
    .where("msg_id", "=", messageId),
);

/** Fails on an id nobody has created: input never makes a session by accident. */
async function ensureSession(tx: Transaction<Database>, { session, at }: Admission): Promise<SessionId> {
  if (typeof session === "string") {
    if (!(await touchSession(tx, session, at))) throw new Error(`session ${session} does not exist`);
    return session;
  }
  await insertSession(tx, session, at);
  return session.id;
}

const newRow = ({ id, key, from, input, at, work }: Admission): Omit<NewInput, "session"> => ({
  id,
  surface: key.surface,
  account: key.account,
  chat: key.chat,
  msg_id: key.messageId,
  body: JSON.stringify(input),
  received_at: at,
  state: "waiting",
  turn_id: null,
  from_surface: from.surface,
  from_id: from.id,
  from_name: from.name ?? null,
  from_role: from.role,
  from_local: from.local ? 1 : 0,
  origin: work?.origin ?? null,
  subject: work?.subject ?? null,
  due_at: work?.dueAt ?? null,
  attempt: work?.attempt ?? 1,
  terms: work === undefined ? null : JSON.stringify(work.terms),
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
  ...present({ turn: row.turn_id, work: workOf(row) }),
});

function workOf({ origin, subject, due_at: dueAt, attempt, terms }: Selectable<InboxRow>): DueWork | null {
  if (origin === null || subject === null || dueAt === null || terms === null) return null;
  return { origin, subject, dueAt, attempt, terms: JSON.parse(terms) as WorkTerms };
}

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
