import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { migrations } from "../../src/store/sqlite/schema.ts";
import { lostRows, oldRows, oldStore, oldVersion } from "../../test/old-home.ts";

/** Whatever the present schema is, there is something to do after it. */
export const newerProgram: readonly (readonly string[])[] = [
  ...migrations,
  [`ALTER TABLE session ADD COLUMN mood TEXT`, `UPDATE session SET mood = 'calm'`],
  [
    `CREATE TABLE extra (id INTEGER PRIMARY KEY, note TEXT) STRICT`,
    `CREATE INDEX extra_note ON extra (note)`,
  ],
];

/** The store of version 12 with so many more messages: a copy of it takes a while. */
export function largeOldStore(path: string, messages: number): void {
  oldStore(path);
  using db = new DatabaseSync(path);
  db.exec("BEGIN");
  const add = db.prepare(
    `INSERT INTO message (session, turn_id, item_id, role, at, content)
     SELECT session, turn_id, 'more-' || ?, 'assistant', at, ? FROM message ORDER BY seq LIMIT 1`,
  );
  for (let n = 0; n < messages; n += 1) add.run(n, `${n} ${"The owl sleeps in the barn. ".repeat(20)}`);
  db.exec("COMMIT");
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

type Before = { readonly rows: ReturnType<typeof oldRows>; readonly schema: readonly string[] };

export const lookedAt = (path: string): Before => ({ rows: oldRows(path), schema: schemaOf(path) });

/** What is wrong with a store whose upgrade may have been cut off, one line each. `isDone`: it must be new by now. */
export function wrongs(
  path: string,
  before: Before,
  whole: readonly string[],
  isDone: boolean,
): readonly string[] {
  const version = versionOf(path);
  const known = new Map([
    [oldVersion, before.schema],
    [newerProgram.length, whole],
  ]);
  const schema = known.get(version);
  const backup = `${path}.v${oldVersion}.backup`;
  return [
    ...(schema === undefined ? [`half: its version is ${version}`] : []),
    ...(schema !== undefined && schema.join() !== schemaOf(path).join()
      ? [`half: the schema is not that of ${version}`]
      : []),
    ...(isDone && version !== newerProgram.length ? [`not upgraded by the next start: ${version}`] : []),
    ...lostRows(path, before.rows).map((line) => `lost: ${line}`),
    ...unsound(path),
    ...(version > oldVersion || existsSync(backup) ? wrongBackup(backup, before) : []),
  ];
}

function wrongBackup(file: string, before: Before): readonly string[] {
  try {
    const lost = lostRows(file, before.rows).map((line) => `backup: ${line}`);
    const version = versionOf(file);
    return [
      ...lost,
      ...unsound(file),
      ...(version === oldVersion ? [] : [`backup: its version is ${version}`]),
    ];
  } catch (error) {
    return [`backup: ${String(error)}`];
  }
}

function unsound(path: string): readonly string[] {
  using db = new DatabaseSync(path);
  const said = db.prepare("PRAGMA integrity_check").all();
  for (const index of ["message_words", "message_trigrams"])
    db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
  return said.map((row) => String(row["integrity_check"])).filter((word) => word !== "ok");
}

function versionOf(path: string): number {
  using db = new DatabaseSync(path, { readOnly: true });
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
}

export function schemaOf(path: string): readonly string[] {
  using db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
  return rows.map((row) => JSON.stringify(row));
}
