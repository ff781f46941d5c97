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
