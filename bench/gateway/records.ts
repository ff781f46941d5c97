import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** What a home has really stored of its chats, past the store. */
export type Records = {
  readonly received: readonly ReceivedRecord[];
  readonly turns: readonly { readonly id: string; readonly inbox: string; readonly state: string }[];
  readonly outbox: readonly OutboxRecord[];
  /** Inputs that nobody has begun. */
  readonly waiting: number;
};

type ReceivedRecord = {
  readonly surface: string;
  readonly chat: string;
  readonly messageId: string;
  readonly state: string;
  readonly fate: string | null;
  readonly inbox: string | null;
};

export type OutboxRecord = {
  readonly id: string;
  readonly turn: string | null;
  readonly surface: string;
  readonly chat: string;
  readonly about: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly platformId: string | null;
  readonly text: string;
};

/** While a host repairs the file after a kill, it is its own. */
const patienceMs = 10_000;

export function recordsOf(home: string): Records {
  using db = new DatabaseSync(storeIn(home), { readOnly: true, timeout: patienceMs });
  db.exec("begin");
  const rows = <Row>(sql: string): readonly Row[] => db.prepare(sql).all() as unknown as readonly Row[];
  return {
    received: rows(
      'select surface, chat, message_id as "messageId", state, fate, inbox from received order by seq',
    ),
    turns: rows("select id, inbox_id as inbox, state from turn order by started_at"),
    outbox: rows(
      `select id, turn_id as turn, surface, chat, about, state, attempts, platform_id as "platformId",
         coalesce(json_extract(body, '$.part.plain'), json_extract(body, '$.markdown'), '') as text
       from outbox order by coalesce(rank, seq), part`,
    ),
    waiting: rows<{ n: number }>("select count(*) n from inbox where state = 'waiting'")[0]?.n ?? 0,
  };
}

export const storeIn = (home: string): string => join(home, "talaria.db");

const busy: ReadonlySet<string> = new Set(["pending", "sending", "refused"]);

/** Is everything dealt with that is known of? */
export const isQuiet = ({ received, turns, outbox, waiting }: Records): boolean =>
  waiting === 0 &&
  received.every(({ state }) => state === "done") &&
  turns.every(({ state }) => state !== "open") &&
  outbox.every(({ state }) => !busy.has(state));
