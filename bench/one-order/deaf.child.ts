/** Loaded into a program before itself: one finished piece that it reads in the log is something that it does not know. */
import { StatementSync } from "node:sqlite";
const { all } = StatementSync.prototype;
let isDeaf = true;
StatementSync.prototype.all = function (this: StatementSync, ...bound) {
  const rows = all.apply(this, bound as Parameters<typeof all>);
  if (!isDeaf || !this.sourceSQL.includes('from "event"')) return rows;
  const item = rows.find((row) => row["type"] === "item");
  if (item === undefined) return rows;
  isDeaf = false;
  item["type"] = "unheard";
  return rows;
};
