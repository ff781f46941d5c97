/** An absolute path without `.`, `..` and doubled slashes. Lexical: links are the caller's. Undefined: nobody can tell. */
export function resolvePath(cwd: string | undefined, path: string): string | undefined {
  if (!path.startsWith("/") && !cwd?.startsWith("/")) return undefined;
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${cwd}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    if (part !== "" && part !== "." && part !== "..") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** The folder itself counts. Letter case does not: many file systems ignore it, and the stricter reading is safe. */
export function isInside(path: string, folder: string): boolean {
  const [inner, outer] = [path.toLowerCase(), folder.toLowerCase()];
  return inner === outer || outer === "/" || inner.startsWith(`${outer}/`);
}

/** May a pattern of paths mean this path? `*` and `?` stay within one part of it. */
export function mayMean(pattern: string, path: string): boolean {
  const wanted = pattern.toLowerCase().split("/");
  const parts = path.toLowerCase().split("/");
  if (wanted.length !== parts.length) return false;
  return wanted.every((part, index) => matches(part, parts[index] ?? ""));
}

/** `*` any, `?` and `[…]` one. Two pointers: never more than the product of the lengths. */
export function matches(pattern: string, text: string): boolean {
  const tokens = tokensOf(pattern);
  let at = 0;
  let token = 0;
  let star = -1;
  let from = 0;
  while (at < text.length) {
    const wanted = tokens[token];
    if (wanted !== "*" && wanted !== undefined && (wanted === "?" || wanted === text.charAt(at))) {
      at++;
      token++;
      continue;
    }
    if (wanted === "*") {
      star = token++;
      from = at;
      continue;
    }
    if (star < 0) return false;
    token = star + 1;
    at = ++from;
  }
  while (tokens[token] === "*") token++;
  return token === tokens.length;
}

/** Letters one by one; a bracket expression, which may mean any of many, as `?`. */
function tokensOf(pattern: string): readonly string[] {
  const tokens: string[] = [];
  for (let index = 0; index < pattern.length; index++) {
    const char = pattern.charAt(index);
    const close = char === "[" ? pattern.indexOf("]", index + 2) : -1;
    tokens.push(close < 0 ? char : "?");
    if (close >= 0) index = close;
  }
  return tokens;
}
