import { type Kysely, sql } from "kysely";
import type { DurableEvent } from "../../core/event-log.ts";
import type { Fault } from "../../core/faults.ts";
import type { EndedEvent, Usage } from "../../core/events.ts";
import type { ApprovalId, InboxId, InquiryId, ItemId, SessionId, TurnId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import { type StoredInquiry, decisionOf } from "../../core/ledger.ts";
import { approvalById } from "../approvals/approvals.ts";
import { inquiryById } from "../approvals/inquiries.ts";
import { present } from "../present.ts";
import { inputOf } from "../sessions/inbox.ts";
import type { Database, EventRow } from "../schema/database.ts";

/** Puts an event together from the rows that it refers to. What is not known, or gone, is said as such. */
export async function eventOf(db: Kysely<Database>, row: EventRow): Promise<DurableEvent> {
  const { type, session } = row;
  const turn = row.turn_id ?? ("" as TurnId);
  const ref = row.ref ?? "";
  const made = await read[type as EventRow["type"]]?.(db, { session, turn, ref, body: row.body ?? "{}" });
  return made ?? { type: "other", name: type };
}

type Referred = {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly ref: string;
  readonly body: string;
};

type Read = (db: Kysely<Database>, row: Referred) => Promise<DurableEvent | undefined>;

const read: Readonly<Record<EventRow["type"], Read>> = {
  async began(db, { session }) {
    const columns = db.selectFrom("session").select(["cwd", "surface", "parent"]);
    const row = await columns.where("id", "=", session).executeTakeFirst();
    return row && { type: "began", cwd: row.cwd, surface: row.surface, ...present({ parent: row.parent }) };
  },
  changed: async (_db, { body }) => ({
    type: "changed",
    ...present(JSON.parse(body) as Record<string, string | null>),
  }),
  started: async (db, { turn }) => started(db, turn),
  async steered(db, { ref }) {
    const said = await wordsOf(db, ref as InboxId);
    return said && { type: "steered", ...said };
  },
  async item(db, { turn, ref }) {
    const columns = db.selectFrom("item").select("body").where("turn_id", "=", turn);
    const row = await columns.where("item_id", "=", ref as ItemId).executeTakeFirst();
    return row && { type: "item", item: JSON.parse(row.body) as Item };
  },
  notice: async (_db, { body }) => {
    const { code = "", text = "" } = JSON.parse(body) as { code?: string; text?: string };
    return { type: "notice", code, text };
  },
  approval_asked: (db, { ref }) => approval(db, ref as ApprovalId, false),
  approval_closed: (db, { ref }) => approval(db, ref as ApprovalId, true),
  inquiry_asked: (db, { ref }) => inquiry(db, ref as InquiryId, false),
  inquiry_closed: (db, { ref }) => inquiry(db, ref as InquiryId, true),
  ended: (db, { turn }) => ended(db, turn),
  undone: async () => ({ type: "undone" }),
  redone: async () => ({ type: "redone" }),
  compacted: async () => ({ type: "compacted" }),
  uncompacted: async () => ({ type: "uncompacted" }),
  deleted: async () => ({ type: "deleted" }),
};

async function started(db: Kysely<Database>, id: TurnId): Promise<DurableEvent | undefined> {
  const columns = db.selectFrom("turn").select(["runtime", "model", "cwd", "inbox_id"]);
  const turn = await columns.where("id", "=", id).executeTakeFirst();
  const said = turn && (await wordsOf(db, turn.inbox_id));
  if (turn === undefined || said === undefined) return undefined;
  const { runtime, model, cwd } = turn;
  return { type: "started", runtime, ...present({ model }), cwd, ...said };
}

async function wordsOf(db: Kysely<Database>, id: InboxId) {
  const row = await db.selectFrom("inbox").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return undefined;
  const { from, input } = inputOf(row);
  return { from, input };
}

async function ended(db: Kysely<Database>, id: TurnId): Promise<EndedEvent | undefined> {
  const columns = db.selectFrom("turn").select(["state", "fault", "usage"]);
  const turn = await columns.where("id", "=", id).executeTakeFirst();
  if (turn === undefined || turn.state === "open") return undefined;
  const items = db.selectFrom("item").where("turn_id", "=", id);
  const kind = sql<string>`json_extract(body, '$.kind')`;
  const { calls } = await items
    .select((of) => of.fn.countAll<number>().as("calls"))
    .where(kind, "=", "call")
    .executeTakeFirstOrThrow();
  const answer = await items
    .select("body")
    .where(kind, "=", "text")
    .where(sql<boolean>`coalesce(json_extract(body, '$.phase'), '') <> 'commentary'`)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return {
    type: "ended",
    outcome: turn.state,
    text: answer === undefined ? "" : (JSON.parse(answer.body) as { text: string }).text,
    calls: Number(calls),
    ...(turn.fault === null ? {} : { fault: JSON.parse(turn.fault) as Fault }),
    ...(turn.usage === null ? {} : { usage: JSON.parse(turn.usage) as Usage }),
  };
}

/** As it was then: the row knows how it ended meanwhile. */
async function approval(
  db: Kysely<Database>,
  ref: ApprovalId,
  closed: boolean,
): Promise<DurableEvent | undefined> {
  const row = await approvalById(db, ref);
  if (row === undefined) return undefined;
  const { id, question, shown, choices } = row;
  const decision = closed ? decisionOf(row) : undefined;
  return { type: "approval", approval: { id, question, shown, choices, ...present({ decision }) } };
}

async function inquiry(
  db: Kysely<Database>,
  ref: InquiryId,
  closed: boolean,
): Promise<DurableEvent | undefined> {
  const row = await inquiryById(db, ref);
  if (row === undefined) return undefined;
  const { id, form, answers, state } = row;
  const outcome = closed ? { ...present({ answers }), closed: outcomes[state] } : {};
  return { type: "inquiry", inquiry: { id, form, ...outcome } };
}

const outcomes = {
  pending: "withdrawn",
  answered: "answered",
  declined: "declined",
  expired: "timeout",
  withdrawn: "withdrawn",
} as const satisfies Record<StoredInquiry["state"], string>;
