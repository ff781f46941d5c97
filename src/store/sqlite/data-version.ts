import { CompiledQuery } from "kysely";
import type { Engine } from "../engine.ts";

/** Often enough that a commit is seen within a quarter of a second, with the time to read it. */
const pollMs = 200;

/** SQLite tells nobody of a commit, but the number that it answers here changes with each of another connection. */
export const watchDataVersion: Engine["watchOthers"] = async (db, changed, clock, signal) => {
  const ask = CompiledQuery.raw("pragma data_version");
  let seen: number | undefined;
  while (!signal.aborted) {
    // One that cannot be asked now may have changed meanwhile.
    const { rows } = await db.executeQuery<{ data_version: number }>(ask).catch(() => ({ rows: [] }));
    const version = rows[0]?.data_version;
    if (version === undefined || version !== seen) changed();
    seen = version;
    await clock.sleep(pollMs, signal).catch(() => {});
  }
};
