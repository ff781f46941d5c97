import { Kysely } from "kysely";
import type { Clock } from "../lib/clock.ts";
import { accessTo, type Access } from "./access.ts";
import { accessTable } from "./access-table.ts";
import { approvalTable } from "./approvals/approvals.ts";
import { grantTable } from "./approvals/grants.ts";
import { inquiryTable } from "./approvals/inquiries.ts";
import { bindingTable } from "./bindings.ts";
import type { Engine } from "./engine.ts";
import { commitWatch } from "./events/commit-watch.ts";
import { eventTable } from "./events/events.ts";
import { chatTable } from "./gateway/chats.ts";
import { outboxTable } from "./gateway/outbox.ts";
import { peopleTable } from "./gateway/people.ts";
import { receivedTable } from "./gateway/received.ts";
import { learnedUseTable } from "./learning/learned-uses.ts";
import { reviewTable } from "./learning/reviews.ts";
import { revisionTable } from "./learning/revisions.ts";
import { snapshotTable } from "./learning/snapshots.ts";
import { leaseTable } from "./leases.ts";
import { mcpToolTable } from "./mcp-tools.ts";
import type { Database } from "./schema/database.ts";
import { callTable } from "./sessions/calls.ts";
import { compactionTable } from "./sessions/compactions.ts";
import { inboxTable } from "./sessions/inbox.ts";
import { leftRunningTable, processTable } from "./sessions/processes.ts";
import { sessionTable } from "./sessions/sessions.ts";
import { todoTable } from "./sessions/todos.ts";
import { turnTable } from "./sessions/turns.ts";
import { usageTable } from "./sessions/usage.ts";
import { outcomeTable } from "./work/outcomes.ts";
import { scheduleTable } from "./work/schedules.ts";
import { workSpendTable } from "./work/work-spend.ts";
import { goalTable } from "./work/goals.ts";
import { prepared } from "./prepared.ts";
import { present } from "./present.ts";
import { cardTable } from "./work/cards.ts";
import type { Store, MetaTable } from "./store.ts";
import { upgrade } from "./upgrade.ts";

/** A store over any engine, with its schema up to date. */
export async function openStore(engine: Engine, clock: Clock, machine?: string): Promise<Store> {
  const db = new Kysely<Database>({ dialect: engine.dialect });
  const { access, watch, close } = commitWatch(db, accessTo(db, engine, clock, machine), engine, clock);
  const upgraded = await upgrade(access, engine).catch(async (error: unknown) => {
    await db.destroy();
    throw error;
  });
  return {
    ...present({ upgraded }),
    sessions: sessionTable(access),
    inbox: inboxTable(access),
    leases: leaseTable(access),
    turns: turnTable(access),
    received: receivedTable(access),
    chats: chatTable(access),
    people: peopleTable(access),
    outbox: outboxTable(access),
    bindings: bindingTable(access),
    processes: processTable(access),
    leftRunning: leftRunningTable(access),
    approvals: approvalTable(access),
    inquiries: inquiryTable(access),
    grants: grantTable(access),
    usage: usageTable(access),
    compactions: compactionTable(access),
    calls: callTable(access),
    todos: todoTable(access),
    mcpTools: mcpToolTable(access),
    revisions: revisionTable(access),
    reviews: reviewTable(access),
    learnedUses: learnedUseTable(access),
    snapshots: snapshotTable(access),
    events: eventTable(access, engine, watch),
    access: accessTable(access),
    schedules: scheduleTable(access),
    outcomes: outcomeTable(access),
    workSpend: workSpendTable(access),
    goals: goalTable(access),
    cards: cardTable(access),
    meta: metaTable(access),
    search: (query) => access.read((reader) => engine.search(reader, query)),
    async [Symbol.asyncDispose]() {
      await close();
      await access.settled();
      await engine.close(db);
    },
  };
}

const metaValue = prepared((db, { key }: { readonly key: string }) =>
  db.selectFrom("meta").select("value").where("key", "=", key),
);

const metaTable = ({ read, write }: Access): MetaTable => ({
  get: (key) =>
    read(async (db) => {
      return (await metaValue(db, { key })).rows[0]?.value;
    }),

  set: (key, value) =>
    write(async (tx) => {
      await tx
        .insertInto("meta")
        .values({ key, value })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
        .execute();
    }),
});
