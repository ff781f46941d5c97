import { knownVariables } from "./environment.ts";
import type { ConfigWarning } from "./findings.ts";
import { looseMode, readTextFile } from "./files.ts";
import { parseDotEnv } from "./dotenv.ts";
import type { Environment } from "./settings.ts";

export type Secrets = {
  /** The real environment first, even where it says nothing; then .env. */
  lookup(name: string): string | undefined;
  readonly values: readonly string[];
  readonly warnings: readonly ConfigWarning[];
};

/** Reads .env, which holds secrets and nothing else. */
export async function readSecrets(file: string, env: Environment): Promise<Secrets> {
  const text = await readTextFile(file);
  if (text === undefined) return { lookup: (name) => env[name] || undefined, values: [], warnings: [] };
  const { values, lines, problems } = parseDotEnv(text);
  const misplaced = knownVariables.flatMap((known): ConfigWarning[] => {
    const line = lines.get(known.name);
    if (line === undefined) return [];
    const instead =
      "overrides" in known ? `set ${known.overrides} in config.yaml` : "set it in the environment";
    return [{ file, line, column: 1, key: known.name, message: `has no effect in .env; ${instead}` }];
  });
  const unread = problems.map(({ line, name, message }) => ({
    file,
    line,
    column: 1,
    ...(name === undefined ? {} : { key: name }),
    message,
  }));
  return {
    lookup: (name) => (env[name] === undefined ? values.get(name) : env[name]) || undefined,
    values: [...values.values()],
    warnings: [...(await looseMode(file, "secrets")), ...unread, ...misplaced],
  };
}
