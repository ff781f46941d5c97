import type { WaitingRow } from "./schema/database.ts";
import type { Owner } from "./store.ts";

export const waitedForBy = (owner: Owner): WaitingRow => ({
  owner_host: owner.host,
  owner_pid: owner.pid,
  owner_start_time: owner.startTime,
});

export const waitingOwner = (row: WaitingRow): Owner => ({
  host: row.owner_host,
  pid: row.owner_pid,
  startTime: row.owner_start_time,
});
