import type { Transaction } from "kysely";
import type { SessionId } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import type { Access } from "./access.ts";
import type { Database } from "./schema/database.ts";
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
      await tx
        .insertInto("binding")
        .values({ session, host: machine, runtime, cwd, value: text })
        .onConflict((conflict) =>
          conflict.columns(["session", "host", "runtime", "cwd"]).doUpdateSet({ value: text }),
        )
        .execute();
    }),
});

/** Of every machine, every runtime and every folder. */
export async function forgetBindings(tx: Transaction<Database>, session: SessionId): Promise<void> {
  await tx.deleteFrom("binding").where("session", "=", session).execute();
}
