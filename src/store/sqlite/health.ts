import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Fault } from "../../core/faults.ts";
import type { Clock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { storageFault } from "./faults.ts";
import { applicationId } from "./file.ts";
import { migrations } from "./schema.ts";

export type Health =
  | { readonly state: "none" }
  | ({ readonly state: "sound" | "damaged" | "unchecked" } & Facts)
  | { readonly state: "foreign" }
  | { readonly state: "closed"; readonly fault: Fault };

type Facts = {
  readonly schema: number;
  /** What this version writes. */
  readonly newest: number;
  readonly bytes: number;
  /** Of the write-ahead log. */
  readonly logBytes: number;
  /** What SQLite says is wrong. */
  readonly problems: readonly string[];
  /** The version of PostgreSQL, where it is no file. */
  readonly server?: string;
};

/**
 * Looks at the file without writing to it, from a process of its own: a large file takes long, and a damaged one may
 * take down whoever reads it.
 */
export async function storeHealth(
  path: string,
  {
    clock,
    signal,
    limitMs,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly limitMs: number },
): Promise<Health> {
  const bytes = await sizeOf(path);
  if (bytes === undefined) return { state: "none" };
  const logBytes = (await sizeOf(`${path}-wal`)) ?? 0;
  const sizes = { newest: migrations.length, bytes, logBytes };
  const { stdout, stderr, timedOut } = await runCommand({
    command: process.execPath,
    args: ["--no-warnings", "-e", script, path],
    cwd: dirname(path),
    env: {},
    clock,
    signal,
    timeoutMs: limitMs,
  });
  const answers = stdout
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ProbeAnswer]));
  const { id, schema, tables } = answers.find(isOpened) ?? {};
  const error = answers.find(isError);
  if (error !== undefined) return { state: "closed", fault: faultOf(path, error) };
  if (schema === undefined) {
    const message = timedOut ? `it took longer than ${limitMs / 1000} s` : stderr.trim() || "no answer";
    return { state: "closed", fault: faultOf(path, { message }) };
  }
  if (id !== applicationId && !(id === 0 && tables === 0)) return { state: "foreign" };
  const check = answers.find(isChecked);
  if (timedOut || check === undefined) return { state: "unchecked", schema, ...sizes, problems: [] };
  const problems = check.check.filter((line) => line !== "ok");
  return { state: problems.length === 0 ? "sound" : "damaged", schema, ...sizes, problems };
}

type Opened = { readonly id: number; readonly schema: number; readonly tables: number };
type Checked = { readonly check: readonly string[] };
type Failed = { readonly message: string; readonly errcode?: number };
type ProbeAnswer = Opened | Checked | Failed;

const isOpened = (answer: ProbeAnswer): answer is Opened => "schema" in answer;
const isChecked = (answer: ProbeAnswer): answer is Checked => "check" in answer;
const isError = (answer: ProbeAnswer): answer is Failed => "message" in answer;

const script = `
const { DatabaseSync } = require("node:sqlite");
const say = (value) => console.log(JSON.stringify(value));
const one = (db, sql) => Object.values(db.prepare(sql).get())[0];
try {
  const db = new DatabaseSync(process.argv[1], { readOnly: true, timeout: 2000 });
  say({
    id: one(db, "pragma application_id"),
    schema: one(db, "pragma user_version"),
    tables: one(db, "select count(*) from sqlite_schema"),
  });
  say({ check: db.prepare("pragma quick_check(5)").all().map((row) => String(Object.values(row)[0])) });
} catch (error) {
  say({ message: error.message, errcode: error.errcode });
}`;

function faultOf(path: string, { message, errcode }: Failed): Fault {
  const error = Object.assign(new Error(message), errcode === undefined ? {} : { errcode });
  return (
    storageFault(path, error) ?? {
      code: "storage",
      message: `${path} cannot be looked at: ${message}.`,
      next: `Check ${dirname(path)} and the disk it is on.`,
    }
  );
}

const sizeOf = (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
