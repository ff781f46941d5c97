import { type ExpressionBuilder, type Kysely, type Selectable, sql } from "kysely";
import {
  type StoredUsage,
  type UsageFilter,
  type UsageSum,
  dayMs,
  dayName,
  soundCost,
  soundTokens,
} from "../../core/usage.ts";
import type { Access } from "../access.ts";
import { columnsOf, onlyRow, prepared } from "../prepared.ts";
import { present } from "../present.ts";
import type { Database, UsageRow } from "../schema/database.ts";
import { sessionById } from "./sessions.ts";
import type { UsageTable } from "../store.ts";

export const usageTable = ({ read, write }: Access): UsageTable => ({
  add: (row) =>
    write(async (tx) => {
      const known = row.session !== undefined && (await sessionById(tx, row.session)) !== undefined;
      const { session: _gone, ...rest } = row;
      await insertUsage(tx, usageRow(known ? row : rest));
    }),

  sum: ({ session, from = 0 }) =>
    read(async (db) => {
      const { rows } = await (session === undefined
        ? sumSince(db, { from })
        : sumOfSession(db, { session, from }));
      return sumOf(onlyRow(rows));
    }),

  groups: (filter) =>
    read(async (db) => {
      const day = sql<number>`at / ${sql.lit(dayMs)}`;
      const rows = await rowsOf(db, filter)
        .select([day.as("day"), "provider", "model", "cause", "role"])
        .select(sums)
        .groupBy([day, "provider", "model", "cause", "role"])
        .orderBy("day")
        .orderBy("provider")
        .orderBy("model")
        .orderBy("cause")
        .orderBy((of) => of.fn.coalesce("role", sql.lit("")))
        .execute();
      return rows.map((row) => ({
        day: dayName(Number(row.day) * dayMs),
        provider: row.provider,
        model: row.model,
        cause: row.cause,
        ...present({ role: row.role }),
        ...sumOf(row),
      }));
    }),
});

/** Every number column is whole. */
const nano = 1e9;

/** As every way into the ledger writes it. */
export function usageRow(row: StoredUsage): NewUsage {
  const cost = soundCost(row.cost);
  return {
    at: Math.max(0, row.at),
    session: row.session ?? null,
    turn_id: row.turn ?? null,
    cause: row.cause,
    runtime: row.runtime,
    provider: row.provider,
    model: row.model,
    ...soundTokens(row),
    cost_nano: cost === undefined ? null : Math.round(cost * nano),
    uncounted: row.uncounted === true ? 1 : null,
  };
}

type NewUsage = Omit<Selectable<UsageRow>, "seq" | "role">;

export const insertUsage = prepared((db, row: NewUsage) =>
  db.insertInto("usage").values(columnsOf(row, usageColumns)),
);

const usageColumns = [
  "at",
  "session",
  "turn_id",
  "cause",
  "runtime",
  "provider",
  "model",
  "input",
  "cached",
  "output",
  "reasoning",
  "cost_nano",
  "uncounted",
] as const;

function rowsOf(db: Kysely<Database>, { session, from }: UsageFilter) {
  let rows = db.selectFrom("usage");
  if (session !== undefined) {
    const begun = db.selectFrom("session").select("id").where("parent", "=", session);
    rows = rows.where((is) => is.or([is("session", "=", session), is("session", "in", begun)]));
  }
  if (from !== undefined) rows = rows.where("at", ">=", from);
  return rows;
}

const sums = ({ fn }: ExpressionBuilder<Database, "usage">) => [
  fn.countAll<number>().as("rows"),
  fn.sum<number | null>("input").as("input"),
  fn.sum<number | null>("cached").as("cached"),
  fn.sum<number | null>("output").as("output"),
  fn.sum<number | null>("reasoning").as("reasoning"),
  // As a fraction, because a sum of whole numbers can become too large for one.
  sql<number | null>`sum(cost_nano * 1.0)`.as("cost"),
  fn.count<number>("cost_nano").as("priced"),
  fn.count<number>("uncounted").as("uncounted"),
];

const sumSince = prepared((db, { from }: Pick<Required<UsageFilter>, "from">) =>
  rowsOf(db, { from }).select(sums),
);

const sumOfSession = prepared((db, { session, from }: Required<UsageFilter>) =>
  rowsOf(db, { session, from }).select(sums),
);

type Summed = Readonly<Record<"input" | "cached" | "output" | "reasoning" | "cost", number | null>> & {
  readonly rows: number;
  readonly priced: number;
  readonly uncounted: number;
};

/** A sum over no rows is NULL. */
const sumOf = ({ rows, priced, uncounted, cost, ...tokens }: Summed): UsageSum => ({
  rows: Number(rows),
  input: Number(tokens.input),
  cached: Number(tokens.cached),
  output: Number(tokens.output),
  reasoning: Number(tokens.reasoning),
  ...(cost === null ? {} : { cost: cost / nano }),
  unpriced: Number(rows) - Number(priced),
  uncounted: Number(uncounted),
});
