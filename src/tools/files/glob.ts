/**
 * The source of a regular expression for a whole path with `/` between its parts: `*` and `?` stay within a part, `**`
 * crosses parts, `[a-z]`, `[!a]` and `{a,b}` as in a shell. What cannot be read as such stands for itself.
 */
export function globSource(glob: string): string {
  let source = "";
  for (let at = 0; at < glob.length;) {
    const rest = glob.slice(at);
    const token = tokens.find(({ pattern }) => pattern.test(rest)) ?? literal;
    const [text = ""] = token.pattern.exec(rest) ?? [rest.slice(0, 1)];
    source += token.source(text);
    at += text.length;
  }
  return source;
}

/** For a text that stands for itself. */
export const literalSource = (text: string): string => literal.source(text);

/** The glob without a slash is for names in any folder, as everybody means it. */
export const globPattern = (glob: string): RegExp =>
  new RegExp(`^${glob.includes("/") ? "" : "(?:.*/)?"}${globSource(glob.replace(/^\.?\//, ""))}$`, "su");

type Token = { readonly pattern: RegExp; source(text: string): string };

const literal: Token = {
  pattern: /^[^]/u,
  source: (text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"),
};

const tokens: readonly Token[] = [
  { pattern: /^\*\*\//, source: () => "(?:[^/]*/)*" },
  { pattern: /^\*\*+/, source: () => ".*" },
  { pattern: /^\*/, source: () => "[^/]*" },
  { pattern: /^\?/, source: () => "[^/]" },
  { pattern: /^\\[^]/u, source: (text) => literal.source(text.slice(1)) },
  {
    pattern: /^\[[!^]?\]?[^\]/]*\]/,
    source: (text) => {
      const inner = text
        .slice(1, -1)
        .replace(/^!/, "^")
        .replaceAll(/[\\[\]]/g, "\\$&");
      return isRegex(`[${inner}]`) ? `[${inner}]` : literal.source(text);
    },
  },
  {
    pattern: /^\{[^{}]*,[^{}]*\}/,
    source: (text) => `(?:${text.slice(1, -1).split(",").map(globSource).join("|")})`,
  },
];

function isRegex(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
