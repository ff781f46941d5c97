import type { Selectable } from "kysely";
import type { Json } from "../core/json.ts";
import type { Access } from "./access.ts";
import type { McpToolRow } from "./schema/mcp-tool-row.ts";
import type { McpToolTable, PinnedTool } from "./schema/tool-tables.ts";

export const mcpToolTable = ({ read, write }: Access): McpToolTable => ({
  list: (server) =>
    read(async (db) => {
      const all = db.selectFrom("mcp_tool").selectAll().orderBy("server").orderBy("name");
      const rows = await (server === undefined ? all : all.where("server", "=", server)).execute();
      return rows.map(pinnedTool);
    }),

  see: (server, tools, at) =>
    write(async (tx) => {
      for (const { name, hash, definition } of tools) {
        const text = JSON.stringify(definition);
        const seen = { seen_hash: hash, seen_definition: text, seen_at: at };
        await tx
          .insertInto("mcp_tool")
          .values({ server, name, hash, definition: text, approved_at: at, ...seen })
          .onConflict((conflict) => conflict.columns(["server", "name"]).doUpdateSet(seen))
          .execute();
      }
      const rows = await tx.selectFrom("mcp_tool").selectAll().where("server", "=", server).execute();
      return rows.map(pinnedTool);
    }),

  approve: (server, name, hash, at) =>
    write(async (tx) => {
      const approved = await tx
        .updateTable("mcp_tool")
        .set((of) => ({ hash: of.ref("seen_hash"), definition: of.ref("seen_definition"), approved_at: at }))
        .where("server", "=", server)
        .where("name", "=", name)
        .where("seen_hash", "=", hash)
        .executeTakeFirst();
      return approved.numUpdatedRows > 0n;
    }),

  forget: (server) =>
    write(async (tx) => {
      await tx.deleteFrom("mcp_tool").where("server", "=", server).execute();
    }),
});

const pinnedTool = (row: Selectable<McpToolRow>): PinnedTool => ({
  server: row.server,
  name: row.name,
  hash: row.hash,
  definition: JSON.parse(row.definition) as Json,
  ...(row.seen_hash === row.hash
    ? {}
    : {
        changed: {
          hash: row.seen_hash,
          definition: JSON.parse(row.seen_definition) as Json,
          at: row.seen_at,
        },
      }),
});
