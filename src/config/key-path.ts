/** `model.default`; a name with other characters stands in quotes: `mcp_servers."my.files".url`. */
export const keyText = (path: readonly PropertyKey[]): string =>
  path
    .map((segment) => (plain.test(String(segment)) ? String(segment) : JSON.stringify(String(segment))))
    .join(".");

/** The inverse of `keyText`; nothing when the text is no key path. */
export function parseKeyPath(text: string): readonly string[] | undefined {
  const segments: string[] = [];
  let rest = text;
  for (;;) {
    const [whole] = /^(?:"(?:[^"\\]|\\.)*"|[^".]+)/s.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    const segment = whole.startsWith('"') ? unquoted(whole) : whole;
    if (segment === undefined) return undefined;
    segments.push(segment);
    rest = rest.slice(whole.length);
    if (rest === "") return segments;
    if (!rest.startsWith(".")) return undefined;
    rest = rest.slice(1);
  }
}

const plain = /^[A-Za-z0-9_-]+$/;

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}
