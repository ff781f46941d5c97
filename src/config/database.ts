import { FaultError } from "../core/faults.ts";
import type { FileSettings } from "./keys.ts";

/**
 * The address of the database, where there is one besides the file in the home. A variable goes first: an address holds a
 * password, and config.yaml is shown around. Throws a FaultError `config` when that variable is not set: another store
 * would look like a lost one.
 */
export function databaseUrl(
  settings: FileSettings["database"],
  secret: (name: string) => string | undefined,
): string | undefined {
  const name = settings?.url_env;
  if (name === undefined) return settings?.url;
  const url = secret(name);
  if (url === undefined)
    throw new FaultError({
      code: "config",
      message: `\`database.url_env\` names ${name}, and that is not set.`,
      next: `Set ${name} in the environment or in .env, to an address such as postgres://talaria:password@db.example/talaria.`,
    });
  if (isDatabaseUrl(url)) return url;
  throw new FaultError({
    code: "config",
    message: `${name}, which \`database.url_env\` names, is no address of a PostgreSQL database.`,
    next: "Such an address is postgres://user:password@host:port/database.",
  });
}

export const isDatabaseUrl = (text: string): boolean =>
  ["postgres:", "postgresql:"].includes(URL.parse(text)?.protocol ?? "");

/** What must not be shown of it: the whole, and the password as it is written and as it is meant. */
export function secretsInUrl(url: string | undefined): readonly string[] {
  const password = (url === undefined ? undefined : URL.parse(url)?.password) ?? "";
  if (url === undefined || password === "") return [];
  return [url, password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
