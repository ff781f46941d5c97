import { knownVariables } from "./environment.ts";
import { looseMode, readTextFile } from "./files.ts";
import type { ConfigWarning } from "./findings.ts";
import type { Environment } from "./settings.ts";

/** A line that was not understood. Its text is never repeated: it may be half of a secret. */
export type DotEnvProblem = { readonly line: number; readonly name?: string; readonly message: string };

export type DotEnv = {
  readonly values: ReadonlyMap<string, string>;
  readonly lines: ReadonlyMap<string, number>;
  readonly problems: readonly DotEnvProblem[];
};

/**
 * `NAME=value` lines with comments, an optional `export`, and quotes on one line. `"…"` knows \n \r \t \" \\ \$,
 * `'…'` is literal, an unquoted value ends at ` #`. Nothing is expanded. Total: any text gives a result.
 */
export function parseDotEnv(text: string): DotEnv {
  const values = new Map<string, string>();
  const lines = new Map<string, number>();
  const problems: DotEnvProblem[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = index + 1;
    const content = raw.trim();
    if (content === "" || content.startsWith("#")) continue;
    const [, name, rest] = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/s.exec(content) ?? [];
    if (name === undefined || rest === undefined) {
      problems.push({ line, message: "is not NAME=value and was ignored" });
      continue;
    }
    const value = valueOf(rest);
    if (value === undefined) {
      problems.push({ line, name, message: "has quotes that do not close on this line and was ignored" });
      continue;
    }
    if (values.has(name)) problems.push({ line, name, message: "is set twice; this line wins" });
    values.set(name, value);
    lines.set(name, line);
  }
  return { values, lines, problems };
}

function valueOf(rest: string): string | undefined {
  if (rest.startsWith('"'))
    return /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/s.exec(rest)?.[1]?.replace(/\\(.)/gs, unescaped);
  if (rest.startsWith("'")) return /^'([^']*)'\s*(?:#.*)?$/s.exec(rest)?.[1];
  return rest.replace(/(?:^|\s+)#.*$/s, "").trimEnd();
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", $: "$" };

/** An escape we do not know stays as it was written. */
const unescaped = (whole: string, letter: string): string => escapes[letter] ?? whole;

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
