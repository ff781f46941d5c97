/** Far below the depth at which recursive code overflows the stack, and far above any real message. */
export const deepestJson = 500;

/** Is a JSON text nested deeper than that? `JSON.parse` can read it, but recursive code over the result would overflow. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    if (sign === quote) at = textEnd(json, at);
    else if (sign === openBrace || sign === openBracket) depth += 1;
    else if (sign === closeBrace || sign === closeBracket) depth -= 1;
    if (depth > deepestJson) return true;
  }
  return false;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [...`"\\{}[]`].map((sign) =>
  sign.charCodeAt(0),
);

/** The end of the string that begins here: its closing quote, not an escaped one. */
function textEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json.charCodeAt(before - 1) === backslash) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return json.length;
}
