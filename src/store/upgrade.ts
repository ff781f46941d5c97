import { CompiledQuery, type Transaction, sql } from "kysely";
import { FaultError } from "../core/faults.ts";
import { isAlive } from "../lib/process/process-identity.ts";
import type { Access } from "./access.ts";
import type { Engine } from "./engine.ts";
import { present } from "./present.ts";
import type { Database } from "./schema/database.ts";
import { type Upgrade, leaseExpiryMs } from "./store.ts";

/**
 * Brings the schema up to date, all steps in one transaction: killed anywhere, it leaves the old schema or the new one. What
 * was there is kept as a copy first, while the write lock is held, so that nothing is written in between. Several may do
 * it at once.
 */
export async function upgrade(access: Access, engine: Engine): Promise<Upgrade | undefined> {
  const to = engine.migrations.length;
  const found = await access.read((db) => engine.version(db));
  if (found > to) throw tooNew(engine, found);
  if (found === to) return undefined;
  return access.alter(async (tx) => {
    const from = await engine.version(tx);
    if (from > to) throw tooNew(engine, from);
    if (from === to) return undefined; // another process was faster
    if (from > 0) await requireNobodyAtWork(tx, engine);
    const backup = from === 0 ? undefined : await engine.backups?.keep(from);
    for (const statement of from === 0 ? firstStatements(engine) : engine.migrations.slice(from).flat())
      await tx.executeQuery(CompiledQuery.raw(statement));
    await engine.setVersion(tx, to);
    return from === 0 ? undefined : { from, to, ...present({ backup }) };
  });
}

/** For an empty store: what most of the steps make together takes a fifth of the time that they take one after the other. */
const firstStatements = ({ whole, migrations }: Engine): readonly string[] => [
  ...whole.statements,
  ...migrations.slice(whole.version).flat(),
];

/** A turn that runs in a process of the earlier version could not be written any more: its statements are of the old schema. */
async function requireNobodyAtWork(tx: Transaction<Database>, engine: Engine): Promise<void> {
  const holders = await tx
    .selectFrom("lease")
    .select(["pid", "start_time as startTime", sql<number>`lease_time(0) - heartbeat`.as("age")])
    .where("pid", "is not", null)
    .execute();
  const other = holders.find(({ pid, startTime, age }) => {
    if (pid === null || startTime === null) return false;
    // On another machine only its heartbeat can be seen.
    if (engine.isShared) return age < leaseExpiryMs;
    return pid !== process.pid && isAlive({ pid, startTime });
  });
  if (other === undefined) return;
  throw new FaultError({
    code: "storage",
    message: `An earlier version of Talaria (process ${other.pid}) is at work, and ${engine.place} has to be upgraded. It was left as it is.`,
    next: "Let its turn end, or end that process, then start this one again.",
  });
}

function tooNew(engine: Engine, found: number): FaultError {
  const known = engine.migrations.length;
  const backup = engine.backups?.newest(known);
  const kept = backup === undefined ? "" : ` As it was before that, it is kept in ${backup}.`;
  return new FaultError({
    code: "storage",
    message: `${engine.place} was written by a newer Talaria (its schema is ${found}, this one knows up to ${known}). It was left as it is.${kept}`,
    next:
      backup === undefined
        ? "Run the newer version of Talaria, or choose another home with TALARIA_HOME."
        : "Run the newer version of Talaria, or go back to the backup as docs/operations/upgrade.md says.",
  });
}
