import { type Kysely, type Transaction, sql } from "kysely";
import type { SessionId, TurnId } from "../core/ids.ts";
import { type Access, leaseName } from "./access.ts";
import type { Database, LeaseName, LeaseRow } from "./schema/database.ts";
import { changedRows, prepared } from "./prepared.ts";
import type { DutyLease, LeaseTable } from "./schema/lease-tables.ts";
import {
  type Acquired,
  type Claim,
  type Lease,
  type Owner,
  StaleLeaseError,
  leaseExpiryMs,
} from "./store.ts";

export const leaseTable = ({ read, held }: Access): LeaseTable => ({
  acquire: (session, owner, at, isGone) =>
    held({ session }, (tx) => acquireLease(tx, session, { owner, isGone }, at)),

  acquireDuty: (duty, owner, at, isGone) =>
    held({ duty }, async (tx) => {
      const taken = await take(tx, duty, { owner, isGone }, at);
      return "busy" in taken ? taken : { lease: { duty, ...taken } };
    }),

  holder: (session) => read((db) => holderOf(db, leaseName({ session }))),

  dutyHolder: (duty) => read((db) => holderOf(db, duty)),

  renew: (lease, at) =>
    held(lease, async (tx) => {
      const renewed = await ours(tx, numbered(lease))
        .set({ heartbeat: leaseTime(at) })
        .executeTakeFirst();
      return renewed.numUpdatedRows > 0n;
    }),

  release: (lease) => held(lease, async (tx) => void (await releaseLease(tx, lease))),
});

export async function acquireLease(
  tx: Transaction<Database>,
  session: SessionId,
  claim: Claim,
  at: number,
): Promise<Acquired> {
  const taken = await take(tx, leaseName({ session }), claim, at);
  return "busy" in taken ? taken : { lease: { session, ...taken } };
}

/** Mostly nobody has it. The row is locked before it is looked at, so of two who want it the second sees that it is taken. */
async function take(
  tx: Transaction<Database>,
  name: LeaseName,
  claim: Claim,
  at: number,
): Promise<{ readonly epoch: number } | { readonly busy: Owner }> {
  const { rows } = await takeFree(tx, { name, ...claim.owner, at });
  return rows[0] ?? takeFrom(tx, name, claim, at);
}

const takeFree = prepared(
  (db, { name, host, pid, startTime, at }: Owner & Named & { readonly at: number }) => {
    const held = { host, pid, start_time: startTime, heartbeat: leaseTime(at) };
    return db
      .insertInto("lease")
      .values({ name, epoch: 1, ...held })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet({ ...held, epoch: sql<number>`lease.epoch + 1` })
          .where("lease.pid", "is", null),
      )
      .returning("epoch");
  },
);

type Named = { readonly name: LeaseName };

/** From a holder that is gone or has not been heard of for too long. */
async function takeFrom(
  tx: Transaction<Database>,
  name: LeaseName,
  { owner, isGone }: Claim,
  at: number,
): Promise<{ readonly epoch: number } | { readonly busy: Owner }> {
  const before = await tx
    .updateTable("lease")
    .set((is) => ({ epoch: is.ref("epoch") }))
    .where("name", "=", name)
    .returning(["host", "pid", "start_time", "epoch", sql<number>`${leaseTime(at)} - heartbeat`.as("age")])
    .executeTakeFirstOrThrow();
  const holder = ownerOf(before);
  if (holder && before.age < leaseExpiryMs && !isGone(holder)) return { busy: holder };
  const epoch = before.epoch + 1;
  const held = { host: owner.host, pid: owner.pid, start_time: owner.startTime, epoch };
  await tx
    .updateTable("lease")
    .set({ ...held, heartbeat: leaseTime(at) })
    .where("name", "=", name)
    .execute();
  return { epoch };
}

/** False: it was no longer ours. Locks the row as `requireLease` does. */
export async function releaseLease(tx: Transaction<Database>, lease: Lease | DutyLease): Promise<boolean> {
  return changedRows(await release(tx, numbered(lease))) > 0;
}

const release = prepared((db, lease: Numbered) =>
  ours(db, lease).set({ host: null, pid: null, start_time: null }),
);

/** A lease as its row has it. */
export type Numbered = Named & { readonly epoch: number };

export const numbered = (lease: Lease | DutyLease): Numbered => ({
  name: leaseName(lease),
  epoch: lease.epoch,
});

/** It is the living one. For a store that has one writer at a time: nothing is locked. */
export const isHeld = (db: Kysely<Database>, { name, epoch }: Numbered) =>
  db
    .selectFrom("lease")
    .select("lease.epoch")
    .where("lease.name", "=", name)
    .where("lease.epoch", "=", epoch)
    .where("lease.pid", "is not", null);

/**
 * Throws unless this lease is the living one. Asked inside the transaction that writes, and before it writes anything: it
 * locks the lease's row, so whoever wants to take the lease over waits until that transaction has ended. With a read
 * alone, a holder that is paused here would still commit after it was replaced.
 */
export async function requireLease(tx: Kysely<Database>, lease: Lease | DutyLease): Promise<void> {
  if (changedRows(await lock(tx, numbered(lease))) === 0) throw new StaleLeaseError(lease);
}

/** `requireLease`, and the turn is one of its session, in one statement. */
export async function requireTurn(tx: Transaction<Database>, lease: Lease, turn: TurnId): Promise<void> {
  if (changedRows(await lockWithTurn(tx, { ...numbered(lease), session: lease.session, turn })) > 0) return;
  await requireLease(tx, lease);
  throw new Error(`session ${lease.session} has no turn ${turn}`);
}

/** Of these sessions, which are about to be deleted. */
export const leasesOf = (db: Kysely<Database>, id: SessionId) =>
  db
    .selectFrom("session")
    .select(sql<LeaseName>`'session:' || id`.as("name"))
    .where((is) => is.or([is("id", "=", id), is("parent", "=", id)]));

const lock = prepared((db, lease: Numbered) => locking(db, lease));

const lockWithTurn = prepared((db, at: Numbered & TurnOfSession) =>
  locking(db, at).where(({ exists }) => exists(turnOf(db, at))),
);

export type TurnOfSession = { readonly turn: TurnId; readonly session: SessionId };

/** The turn, if it is one of this session. */
export const turnOf = (db: Kysely<Database>, { turn, session }: TurnOfSession) =>
  db.selectFrom("turn").select("turn.id").where("turn.id", "=", turn).where("turn.session", "=", session);

const locking = (tx: Kysely<Database>, lease: Numbered) =>
  ours(tx, lease).set((is) => ({ epoch: is.ref("epoch") }));

const ours = (tx: Kysely<Database>, { name, epoch }: Numbered) =>
  tx.updateTable("lease").where("name", "=", name).where("epoch", "=", epoch).where("pid", "is not", null);

/** The caller's time, or the database's where several machines share one: their clocks need not agree. */
const leaseTime = (at: number) => sql<number>`lease_time(${at})`;

async function holderOf(db: Kysely<Database>, name: LeaseName) {
  const row = await db.selectFrom("lease").selectAll().where("name", "=", name).executeTakeFirst();
  const owner = row && ownerOf(row);
  return row && owner && { owner, heartbeat: row.heartbeat };
}

function ownerOf({
  host,
  pid,
  start_time: startTime,
}: Pick<LeaseRow, "host" | "pid" | "start_time">): Owner | undefined {
  if (host === null || pid === null || startTime === null) return undefined;
  return { host, pid, startTime };
}
