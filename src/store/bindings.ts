import type { Transaction } from "kysely";
import type { SessionId } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import type { Access } from "./access.ts";
import type { Database } from "./schema/database.ts";
import { requireLease } from "./leases.ts";
import type { BindingTable } from "./store.ts";

export const bindingTable = ({ read, held }: Access): BindingTable => ({
  load: (session, runtime, cwd) =>
    read(async (db) => {
      const row = await db
        .selectFrom("binding")
        .select("value")
        .where("session", "=", session)
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
          .where("runtime", "=", runtime)
          .where("cwd", "=", cwd)
          .execute();
        return;
      }
      const text = JSON.stringify(value);
      await tx
        .insertInto("binding")
        .values({ session, runtime, cwd, value: text })
        .onConflict((conflict) =>
          conflict.columns(["session", "runtime", "cwd"]).doUpdateSet({ value: text }),
        )
        .execute();
    }),
});

/** Of every runtime and every folder. */
export async function forgetBindings(tx: Transaction<Database>, session: SessionId): Promise<void> {
  await tx.deleteFrom("binding").where("session", "=", session).execute();
}
