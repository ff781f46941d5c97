import { createHash } from "node:crypto";
import type { Insertable, Selectable } from "kysely";
import type { TurnId } from "../../core/ids.ts";
import type { Access } from "../access.ts";
import type { OutboxRow } from "../schema/database.ts";
import { present } from "../present.ts";
import type { OutboxTable, Reply, StoredReply } from "../store.ts";

export const outboxTable = ({ read, write }: Access): OutboxTable => ({
  inState: (state, surface) =>
    read(async (db) => {
      const all = db.selectFrom("outbox").selectAll().where("state", "=", state).orderBy("seq");
      const rows = await (surface === undefined ? all : all.where("surface", "=", surface)).execute();
      return rows.map(replyOf);
    }),

  move: ({ turn, part }, from, to, platformId) =>
    write(async (tx) => {
      const moved = await tx
        .updateTable("outbox")
        .set((eb) => ({
          state: to,
          ...(to === "sending" ? { attempts: eb("attempts", "+", 1) } : {}),
          ...(platformId === undefined ? {} : { platform_id: platformId }),
        }))
        .where("turn_id", "=", turn)
        .where("part", "=", part)
        .where("state", "=", from)
        .executeTakeFirst();
      return moved.numUpdatedRows > 0n;
    }),
});

/** The hash lets a checker compare what a platform received with what was meant, without keeping the words. */
export const replyRow = (turn: TurnId, reply: Reply): Insertable<OutboxRow> => ({
  turn_id: turn,
  part: reply.part,
  surface: reply.surface,
  chat: reply.chat,
  body: reply.body,
  body_hash: createHash("sha256").update(reply.body).digest("hex"),
  state: "pending",
});

const replyOf = (row: Selectable<OutboxRow>): StoredReply => ({
  turn: row.turn_id,
  part: row.part,
  surface: row.surface,
  chat: row.chat,
  body: row.body,
  state: row.state,
  attempts: row.attempts,
  ...present({ platformId: row.platform_id }),
});
