import { createHash, createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ServeFile } from "./place.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the two files with settings say now, as a digest. One that is missing says nothing. */
export async function settingsDigest(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0))));
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length} `).update(text);
  return hash.digest("hex");
}

/** Keyed with the token of the start: whoever reads a digest learns nothing of a key. */
export const variableDigests = (
  token: string,
  names: readonly string[],
  env: Environment,
): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      createHmac("sha256", token)
        .update(env[name]?.trim() ?? "")
        .digest("base64url"),
    ]),
  );

/** Why this process would do something else than the host; `undefined`: it would not. */
export async function disagreement(
  { settings, variables, token, home }: ServeFile,
  own: { readonly home: string; readonly files: readonly string[]; readonly env: Environment },
): Promise<string | undefined> {
  if (home !== own.home) return `it serves ${home}`;
  if (settings !== (await settingsDigest(own.files)))
    return "the settings have changed since it was started; start it anew to use them there";
  const ours = variableDigests(token, Object.keys(variables), own.env);
  const others = Object.keys(variables).filter((name) => ours[name] !== variables[name]);
  if (others.length === 0) return undefined;
  return `${others.join(" and ")} ${others.length === 1 ? "is" : "are"} not the same here as where it was started`;
}
