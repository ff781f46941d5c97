import { createHash } from "node:crypto";
import type { Insertable, Selectable } from "kysely";
import type { NewOutbox, OutboxBody, OutboxState, StoredOutbox } from "../../core/gateway/tables.ts";
import { newId } from "../../core/ids.ts";
import { present } from "../present.ts";
import type { OutboxRow } from "../schema/gateway-rows.ts";

export const isSettled = (state: OutboxState): boolean => state === "sent" || state === "dead";

export const newOutboxRow = (
  row: NewOutbox,
  at: number,
  id: string = newId("obx", at),
): Insertable<OutboxRow> => ({
  id,
  turn_id: row.turn ?? null,
  surface: row.surface,
  account: row.account,
  chat: row.chat,
  reply_to: row.replyTo ?? null,
  about: row.about ?? null,
  rank: null,
  part: 0,
  ...bodyColumns(row.body),
  state: "pending",
  until: row.until ?? null,
  at,
  is_open: isQuestion(row.about) ? 1 : 0,
});

const isQuestion = (about: string | undefined): boolean => /^(?:apr|inq)_/.test(about ?? "");

/** The hash lets a checker compare what a platform received with what was meant, when the words are gone. */
export const bodyColumns = (body: OutboxBody): Pick<Insertable<OutboxRow>, "body" | "body_hash"> => ({
  body: JSON.stringify(body),
  body_hash: createHash("sha256").update(saidIn(body)).digest("hex"),
});

function saidIn(body: OutboxBody): string {
  switch (body.kind) {
    case "answer":
      return body.markdown;
    case "part":
      return JSON.stringify(body.part);
    case "file":
      return JSON.stringify([body.file, body.caption ?? ""]);
  }
}

const forgotten: OutboxBody = { kind: "part", part: null };

export const outboxOf = (row: Selectable<OutboxRow>): StoredOutbox => ({
  id: row.id,
  surface: row.surface,
  account: row.account,
  chat: row.chat,
  body: row.body === null ? forgotten : (JSON.parse(row.body) as OutboxBody),
  part: row.part,
  state: row.state,
  attempts: row.attempts,
  at: row.at,
  isOpen: row.is_open === 1,
  ...present({
    turn: row.turn_id,
    replyTo: row.reply_to,
    about: row.about,
    until: row.until,
    settledAt: row.settled_at,
    platformId: row.platform_id,
    why: row.why,
  }),
});
