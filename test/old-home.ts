import { cpSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "node:sqlite";

const fixture = fileURLToPath(new URL("fixtures/homes/v12/", import.meta.url));

/** The schema of the home that is kept as a fixture. */
export const oldVersion = 12;

/**
 * Puts a home there as version 12 left it: all that was in its folder, killed in the middle of its work. `person`: the folder
 * in which its sessions worked is `boat` in there.
 */
export function oldHome(home: string, person: string): void {
  for (const learned of ["memories", "skills"])
    cpSync(join(fixture, learned), join(home, learned), { recursive: true });
  oldStore(join(home, "talaria.db"), person);
}

/** Its store alone. */
export function oldStore(path: string, person = "/home/person"): void {
  const sql = readFileSync(join(fixture, "talaria.sql"), "utf8");
  using db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL");
  db.exec(
    `BEGIN; ${sql.replaceAll("/home/person", person).replaceAll("'workstation'", `'${hostname()}'`)} COMMIT`,
  );
}

type Row = Readonly<Record<string, unknown>>;

/** Every row of every table of version 12. */
export function oldRows(path: string): ReadonlyMap<string, readonly Row[]> {
  using db = new DatabaseSync(path, { readOnly: true });
  return new Map(
    tablesOf(db).map((table) => [table, db.prepare(`SELECT * FROM "${table}" ORDER BY 1, 2`).all()]),
  );
}

/**
 * What of it is not there any more, one line each. A step may add tables and columns; one that does more than that has its
 * line in `moved`.
 */
export function lostRows(path: string, before: ReturnType<typeof oldRows>): readonly string[] {
  using db = new DatabaseSync(path, { readOnly: true });
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  return [...before].flatMap(([table, rows]) => {
    const move = version > oldVersion ? (moved[table] ?? same) : same;
    const now = db.prepare(`SELECT * FROM "${table}" ORDER BY 1, 2`).all();
    const wanted = rows.map(move);
    const names = Object.keys(wanted[0] ?? {});
    const found = new Set(now.map((row) => JSON.stringify(names.map((name) => row[name]))));
    const lost = wanted.filter((row) => !found.has(JSON.stringify(names.map((name) => row[name]))));
    const isSame = now.length === rows.length || (now.length > rows.length && withMore.has(table));
    const counts = isSame ? [] : [`${table}: ${rows.length} rows became ${now.length}`];
    return [...counts, ...lost.map((row) => `${table}: ${JSON.stringify(row)} is gone`)];
  });
}

const same = (row: Row): Row => row;

/** What steps after 12 make of a row that was there. */
const moved: Readonly<Record<string, (row: Row) => Row>> = {
  lease: ({ session, ...row }) => ({ name: `session:${String(session)}`, ...row }),
  turn: ({ thread, codex_turn: turn, ...row }) => ({
    ...row,
    side: thread === null ? null : JSON.stringify({ thread, turn }),
  }),
  outbox: ({ body, state, ...row }) => ({
    ...row,
    body: JSON.stringify({ kind: "answer", markdown: body }),
    state: { unknown: "ambiguous", sending: "ambiguous", failed: "dead" }[String(state)] ?? state,
  }),
};

/** Tables of version 12 to which steps after it add rows. */
const withMore: ReadonlySet<string> = new Set(["meta", "sqlite_sequence"]);

const tablesOf = (db: DatabaseSync): readonly string[] =>
  db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'message!_%' ESCAPE '!' ORDER BY name",
    )
    .all()
    .map(({ name }) => String(name));
