import { Kysely } from "kysely";
import type { Clock } from "../lib/clock.ts";
import { accessTo } from "./access.ts";
import { approvalTable } from "./approvals.ts";
import { bindingTable } from "./bindings.ts";
import { compactionTable } from "./compactions.ts";
import type { Database } from "./database.ts";
import type { Engine } from "./engine.ts";
import { grantTable } from "./grants.ts";
import { inboxTable } from "./inbox.ts";
import { inquiryTable } from "./inquiries.ts";
import { learnedUseTable } from "./learned-uses.ts";
import { leaseTable } from "./leases.ts";
import { mcpToolTable } from "./mcp-tools.ts";
import { metaTable } from "./meta.ts";
import { migrate } from "./migration.ts";
import { outboxTable } from "./outbox.ts";
import { leftRunningTable } from "./left-running.ts";
import { processTable } from "./processes.ts";
import { reviewTable } from "./reviews.ts";
import { revisionTable } from "./revisions.ts";
import { sessionTable } from "./sessions.ts";
import { snapshotTable } from "./snapshots.ts";
import type { Store } from "./store.ts";
import { todoTable } from "./todos.ts";
import { turnTable } from "./turns.ts";
import { usageTable } from "./usage.ts";

/** A store over any engine, with its schema up to date. */
export async function openStore(engine: Engine, clock: Clock): Promise<Store> {
  const db = new Kysely<Database>({ dialect: engine.dialect });
  const access = accessTo(db, engine, clock);
  try {
    await migrate(access, engine);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    sessions: sessionTable(access),
    inbox: inboxTable(access),
    leases: leaseTable(access),
    turns: turnTable(access),
    outbox: outboxTable(access),
    bindings: bindingTable(access),
    processes: processTable(access),
    leftRunning: leftRunningTable(access),
    approvals: approvalTable(access),
    inquiries: inquiryTable(access),
    grants: grantTable(access),
    usage: usageTable(access),
    compactions: compactionTable(access),
    todos: todoTable(access),
    mcpTools: mcpToolTable(access),
    revisions: revisionTable(access),
    reviews: reviewTable(access),
    learnedUses: learnedUseTable(access),
    snapshots: snapshotTable(access),
    meta: metaTable(access),
    search: (query) => access.read((reader) => engine.search(reader, query)),
    async [Symbol.asyncDispose]() {
      await access.settled();
      // After the writes of others to the same medium, so that none is cut off.
      await engine.inTurn(() => db.destroy());
    },
  };
}
