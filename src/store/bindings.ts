import type { Transaction } from "kysely";
import type { SessionId } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import type { Access } from "./access.ts";
import { columnsOf, prepared } from "./prepared.ts";
import type { BindingRow, Database } from "./schema/database.ts";
import { requireLease } from "./leases.ts";
import type { BindingTable } from "./store.ts";

export const bindingTable = ({ read, held, machine }: Access): BindingTable => ({
  load: (session, runtime, cwd) =>
    read(async (db) => {
      const row = await db
        .selectFrom("binding")
        .select("value")
        .where("session", "=", session)
        .where("host", "=", machine)
        .where("runtime", "=", runtime)
        .where("cwd", "=", cwd)
        .executeTakeFirst();
      return row && (JSON.parse(row.value) as Json);
    }),

  save: (lease, runtime, cwd, value) =>
    held(lease, async (tx) => {
      const { session } = lease;
      await requireLease(tx, lease);
      if (value === undefined) {
        await tx
          .deleteFrom("binding")
          .where("session", "=", session)
          .where("host", "=", machine)
          .where("runtime", "=", runtime)
          .where("cwd", "=", cwd)
          .execute();
        return;
      }
      const text = JSON.stringify(value);
      await insertBinding(tx, { session, host: machine, runtime, cwd, value: text });
    }),
});

const insertBinding = prepared((db, row: BindingRow) =>
  db
    .insertInto("binding")
    .values(columnsOf(row, ["session", "host", "runtime", "cwd", "value"]))
    .onConflict((conflict) =>
      conflict.columns(["session", "host", "runtime", "cwd"]).doUpdateSet({ value: row.value }),
    ),
);

/** Of every machine, every runtime and every folder. */
export async function forgetBindings(tx: Transaction<Database>, session: SessionId): Promise<void> {
  await tx.deleteFrom("binding").where("session", "=", session).execute();
}
