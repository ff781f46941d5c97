import type { Fault } from "../../core/faults.ts";
import { mostConnections } from "./pool.ts";

/** For people: without the password. */
export function placeOf(url: string): string {
  const parts = URL.parse(url);
  if (parts === null) return "the database in database.url";
  const user = parts.username === "" ? "" : `${parts.username}@`;
  return `${parts.protocol}//${user}${parts.host}${parts.pathname}`;
}

/** Of two that were in each other's way one was rolled back whole, or the server only just starts. */
const passing: ReadonlySet<string> = new Set(["40001", "40P01", "57P03"]);
const uniqueViolation = "23505";

/** A row that was not there a moment ago is found when it is looked for again; more often than this it is a fault. */
const mostCollisions = 3;

export function isBusy(error: unknown, attempt: number): boolean {
  const code = codeOf(error);
  if (code === uniqueViolation) return attempt < mostCollisions;
  return passing.has(code) || (isBroken(error) && attempt < mostConnections);
}

/**
 * A connection that was good and is not any more. What was under way on it is rolled back (`knownCommit` asks where that
 * is in doubt), and the next one may be good; the server ends them all at once when it restarts.
 */
const isBroken = (error: unknown): boolean =>
  brokenBy.has(codeOf(error)) ||
  /terminated unexpectedly|not queryable/i.test(error instanceof Error ? error.message : "");
const brokenBy: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "57P01", "57P02"]);

/** What to tell people, when the server, the way to it or our rights there are to blame. */
export function databaseFault(url: string, error: unknown): Fault | undefined {
  const described = describe(placeOf(url), error);
  return described && { code: "storage", ...described };
}

function describe(place: string, error: unknown): Omit<Fault, "code"> | undefined {
  const code = codeOf(error);
  const said = textOf(error);
  const known = byCode[code] ?? byCode[code.slice(0, 2)] ?? (isAway(error) ? away : undefined);
  return known?.(place, said);
}

type Describe = (place: string, said: string) => Omit<Fault, "code">;

const away: Describe = (place, said) => ({
  message: `The database ${place} does not answer: ${said}.`,
  next: "Start the server or mend the way to it, then send it again. `talaria doctor` tries it.",
});
const refused: Describe = (place, said) => ({
  message: `The database ${place} does not let us in: ${said}.`,
  next: "Correct user and password in `database.url`, or in the variable that `database.url_env` names.",
});
const missing: Describe = (place, said) => ({
  message: `There is no such database: ${place} (${said}).`,
  next: "Create it (`createdb`), or correct its name in `database.url`.",
});
const forbidden: Describe = (place, said) => ({
  message: `The user of ${place} may not do what Talaria has to: ${said}.`,
  next: "Make that user the owner of the database, or grant it CREATE on the schema and all rights on its tables.",
});
const foreign: Describe = (place, said) => ({
  message: `${place} has tables of another program: ${said}. They were left as they are.`,
  next: "Give Talaria a database or a schema of its own.",
});
const full: Describe = (place, said) => ({
  message: `The server of ${place} has no room left: ${said}.`,
  next: "Free space on the server's disk, then send it again.",
});
const crowded: Describe = (place, said) => ({
  message: `The server of ${place} takes no more connections: ${said}.`,
  next: "Raise max_connections there, or end programs that keep connections open.",
});
const readOnly: Describe = (place, said) => ({
  message: `${place} can only be read: ${said}.`,
  next: "It is probably a standby: name the primary in `database.url`.",
});
const slow: Describe = (place, said) => ({
  message: `${place} took too long: ${said}.`,
  next: "Look what else the server is doing, then send it again.",
});
const failing: Describe = (place, said) => ({
  message: `The server of ${place} failed: ${said}.`,
  next: "Look into the server's log.",
});
const old: Describe = (place, said) => ({
  message: `${place} lacks what Talaria needs of PostgreSQL 15 or newer: ${said}.`,
  next: "Use PostgreSQL 15 or newer, built with ICU, as Debian's and most others are.",
});

/** By SQLSTATE, or by its class (the first two characters). */
const byCode: Readonly<Record<string, Describe>> = {
  "08": away,
  "57P01": away,
  "57P02": away,
  "57P03": away,
  "25P03": away,
  "28": refused,
  "3D": missing,
  "3F": forbidden,
  "42501": forbidden,
  "42P07": foreign,
  "42723": foreign,
  "25006": readOnly,
  "53100": full,
  "53200": full,
  "53300": crowded,
  "57014": slow,
  "40": slow,
  "58": failing,
  XX: failing,
  "42704": old,
  "0A": old,
};

/** Trouble on the way has a system's code, or only words of the driver. */
const isAway = (error: unknown): boolean =>
  /^E[A-Z]{3,}/.test(codeOf(error)) ||
  /timeout|terminated|not queryable|connection/i.test(error instanceof Error ? error.message : "");

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

function textOf(error: unknown): string {
  // A name that stands for several addresses fails with one error for each.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return (first instanceof Error ? first.message : String(first)).replace(/\.$/, "");
}
