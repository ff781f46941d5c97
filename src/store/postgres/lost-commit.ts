import { type Kysely, sql } from "kysely";
import { DatabaseError } from "pg";
import { type Fault, FaultError } from "../../core/faults.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Work } from "../engine.ts";
import type { Database } from "../schema/database.ts";

/** Long enough for a server to notice that a connection is gone, or to come back after a restart. */
const pausesMs = [50, 200, 500, 1000, 2000, 4000];

/**
 * Runs a transaction whose COMMIT may get no answer, because the way to the server broke just then: the server is asked
 * what became of it, so that nobody is told that something was not kept which was, and does it twice.
 */
export async function knownCommit<T>(
  db: Kysely<Database>,
  begin: (work: Work<T>) => Promise<T>,
  work: Work<T>,
  clock: Clock,
  place: string,
): Promise<T> {
  let finished: { readonly id: string | null; readonly result: T } | undefined;
  try {
    return await begin(async (tx) => {
      const result = await work(tx);
      const { rows } = await sql<{
        id: string | null;
      }>`select pg_current_xact_id_if_assigned()::text as id`.execute(tx);
      finished = { id: rows[0]?.id ?? null, result };
      return result;
    });
  } catch (error) {
    // What the server itself has refused did not happen; what wrote nothing does not matter.
    if (finished === undefined || finished.id === null || error instanceof DatabaseError) throw error;
    const outcome = await outcomeOf(db, finished.id, clock);
    if (outcome === "committed") return finished.result;
    throw outcome === "aborted" ? error : new FaultError(unknownOutcome(place), error);
  }
}

async function outcomeOf(db: Kysely<Database>, id: string, clock: Clock): Promise<string | undefined> {
  for (const pause of pausesMs) {
    await clock.sleep(pause, undefined, { hold: true });
    const asked = sql<{ status: string | null }>`select pg_xact_status(${id}::xid8) as status`.execute(db);
    const status = await asked.then(({ rows }) => rows[0]?.status ?? undefined).catch(() => "in progress");
    if (status !== "in progress") return status;
  }
  return undefined;
}

const unknownOutcome = (place: string): Fault => ({
  code: "storage",
  message: `The way to ${place} broke while something was being kept, and the server cannot be asked whether it was.`,
  next: "Look at the session with `talaria sessions show` once the server answers, before you send it again.",
});
