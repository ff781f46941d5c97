import type { Kysely, Transaction } from "kysely";
import type { SessionId, TurnId } from "../core/ids.ts";
import type { Access } from "./access.ts";
import type { Database, LeaseRow } from "./schema/database.ts";
import {
  type Acquired,
  type Claim,
  type Lease,
  type LeaseTable,
  type Owner,
  StaleLeaseError,
  leaseExpiryMs,
} from "./store.ts";

export const leaseTable = ({ read, write }: Access): LeaseTable => ({
  acquire: (session, owner, at, isGone) => write((tx) => acquireLease(tx, session, { owner, isGone }, at)),

  holder: (session) =>
    read(async (db) => {
      const row = await leaseRow(db, session);
      const owner = row && ownerOf(row);
      return row && owner && { owner, heartbeat: row.heartbeat };
    }),

  renew: (lease, at) =>
    write(async (tx) => {
      const renewed = await ours(tx, lease).set({ heartbeat: at }).executeTakeFirst();
      return renewed.numUpdatedRows > 0n;
    }),

  release: (lease) => write((tx) => releaseLease(tx, lease)),
});

export async function acquireLease(
  tx: Transaction<Database>,
  session: SessionId,
  { owner, isGone }: Claim,
  at: number,
): Promise<Acquired> {
  const before = await leaseRow(tx, session);
  const holder = before && ownerOf(before);
  if (before && holder && at - before.heartbeat < leaseExpiryMs && !isGone(holder)) return { busy: holder };
  const epoch = (before?.epoch ?? 0) + 1;
  const held = { host: owner.host, pid: owner.pid, start_time: owner.startTime, epoch, heartbeat: at };
  await tx
    .insertInto("lease")
    .values({ session, ...held })
    .onConflict((conflict) => conflict.column("session").doUpdateSet(held))
    .execute();
  return { lease: { session, epoch } };
}

export async function releaseLease(tx: Transaction<Database>, lease: Lease): Promise<void> {
  await ours(tx, lease).set({ host: null, pid: null, start_time: null }).execute();
}

/** Throws unless this lease is the session's living one. Asked inside the transaction that writes. */
export async function requireLease(tx: Kysely<Database>, lease: Lease): Promise<void> {
  const row = await leaseRow(tx, lease.session);
  if (row?.epoch !== lease.epoch || row.pid === null) throw new StaleLeaseError(lease);
}

/** One question for both: is the lease living, and is the turn one of its session? */
export async function requireTurn(tx: Transaction<Database>, lease: Lease, turn: TurnId): Promise<void> {
  const row = await tx
    .selectFrom("lease")
    .leftJoin("turn", (join) => join.onRef("turn.session", "=", "lease.session").on("turn.id", "=", turn))
    .select("turn.id")
    .where("lease.session", "=", lease.session)
    .where("lease.epoch", "=", lease.epoch)
    .where("lease.pid", "is not", null)
    .executeTakeFirst();
  if (row === undefined) throw new StaleLeaseError(lease);
  if (row.id === null) throw new Error(`session ${lease.session} has no turn ${turn}`);
}

const leaseRow = (db: Kysely<Database>, session: SessionId): Promise<LeaseRow | undefined> =>
  db.selectFrom("lease").selectAll().where("session", "=", session).executeTakeFirst();

const ours = (tx: Kysely<Database>, lease: Lease) =>
  tx
    .updateTable("lease")
    .where("session", "=", lease.session)
    .where("epoch", "=", lease.epoch)
    .where("pid", "is not", null);

function ownerOf({ host, pid, start_time: startTime }: LeaseRow): Owner | undefined {
  if (host === null || pid === null || startTime === null) return undefined;
  return { host, pid, startTime };
}
