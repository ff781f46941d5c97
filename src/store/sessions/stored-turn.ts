import type { Selectable } from "kysely";
import type { Usage } from "../../core/events.ts";
import type { Fault } from "../../core/faults.ts";
import type { Json } from "../../core/json.ts";
import type { StoredTurn } from "../../core/session.ts";
import type { TurnRow } from "../schema/database.ts";
import { present } from "../present.ts";

export const storedTurn = (row: Selectable<TurnRow>): StoredTurn => ({
  id: row.id,
  session: row.session,
  inbox: row.inbox_id,
  epoch: row.epoch,
  runtime: row.runtime,
  cwd: row.cwd,
  state: row.state,
  startedAt: row.started_at,
  ...present({
    model: row.model,
    side: row.side === null ? null : (JSON.parse(row.side) as Json),
    fault: row.fault === null ? null : (JSON.parse(row.fault) as Fault),
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage),
    endedAt: row.ended_at,
  }),
  ...(row.undone === null ? {} : { undone: true }),
});
