import type { OwnerColumns } from "./schema/database.ts";
import type { Owner } from "./store.ts";

export const ownerColumns = (owner: Owner): OwnerColumns => ({
  owner_host: owner.host,
  owner_pid: owner.pid,
  owner_start_time: owner.startTime,
});

export const ownerOf = (row: OwnerColumns): Owner => ({
  host: row.owner_host,
  pid: row.owner_pid,
  startTime: row.owner_start_time,
});
