/** Not to be seen, and in the way of what Discord would otherwise read as one sign. */
export const unseen = "\u200B";

/** Words that mean nothing but themselves to Discord. `isLineStart`: what makes a list, a heading or a quotation of a line is one there. */
export function escaped(text: string, isLineStart: boolean): string {
  const [, indent = "", rest = ""] = /^([ \t]*)([\s\S]*)$/.exec(isLineStart ? text : "") ?? [];
  const words = isLineStart ? rest : text;
  const sign = isLineStart ? /^(?:[#>+-]|\d{1,9}(?=\.))/.exec(words)?.[0] : undefined;
  if (sign === undefined) return indent + inLine(words);
  if (/^\d/.test(sign)) return `${indent}${sign}\\.${inLine(words.slice(sign.length + 1))}`;
  return `${indent}\\${sign}${inLine(words.slice(sign.length))}`;
}

/** An address as Discord makes a link of it, and of nothing behind it. */
export const bareLink = (url: string): string => `<${linkable(url)}>`;

/** Without what would end it, or what it stands in. */
export const linkable = (url: string): string =>
  url.replaceAll(
    /[\s<>()\\*~`|]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );

/** Letters as they are, on one line. Signs of code within it are kept apart, where it takes that. */
export function inlineCode(text: string): string {
  if (!text.includes("`")) return `\`${text}\``;
  const apart = text.replaceAll(/`(?=`)/g, `\`${unseen}`);
  const padded = `${apart.startsWith("`") ? " " : ""}${apart}${apart.endsWith("`") ? " " : ""}`;
  return `\`\`${padded}\`\``;
}

export const codeBlock = (text: string, language = ""): string =>
  `\`\`\`${/^[\w+.#-]*$/.test(language) ? language : ""}\n${text.replaceAll("``", `\`${unseen}\``)}\n\`\`\``;

const addresses = /https?:\/\/[^\s<>]*[^\s<>.,:;!?"'\])}*_~`|\\]/gi;

/** Addresses are not escaped: Discord would take the signs for a part of them. */
function inLine(text: string): string {
  if (!text.includes("://")) return signs(text);
  let from = 0;
  const parts: string[] = [];
  for (const match of text.matchAll(addresses)) {
    parts.push(signs(text.slice(from, match.index)), bareLink(match[0]));
    from = match.index + match[0].length;
  }
  return parts.join("") + signs(text.slice(from));
}

const anySign = /[\\*_~`|<[\]]|:(?=\/\/)|@(?=everyone|here)/i;
const allSigns = new RegExp(anySign, "gi");

/** Everybody is named by a word alone, so there the word is broken. */
const signs = (text: string): string =>
  anySign.test(text)
    ? text.replaceAll(allSigns, (sign) => (sign === "@" ? `@${unseen}` : `\\${sign}`))
    : text;
