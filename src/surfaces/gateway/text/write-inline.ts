import type { MarkedToken, Token, Tokens } from "marked";
import { clean } from "../../../core/plain-text.ts";
import type { Writer } from "./writer.ts";

export function writeInline(tokens: readonly Token[], out: Writer): void {
  for (const token of tokens as readonly MarkedToken[]) writeToken(token, out);
}

function writeToken(token: MarkedToken, out: Writer): void {
  switch (token.type) {
    case "strong":
      return out.mark("bold", () => writeInline(token.tokens, out));
    case "em":
      return out.mark("italic", () => writeInline(token.tokens, out));
    case "del":
      return out.mark("strike", () => writeInline(token.tokens, out));
    case "codespan":
      return out.mark("code", () => out.write(token.text));
    case "br":
      return out.write("\n");
    case "link":
      return writeLink(token, out, () => writeInline(token.tokens, out));
    case "image":
      return writeLink(token, out, () => out.write(decoded(token.text)));
    case "html":
      return out.write(/^<br\s*\/?>$/i.test(token.raw) ? "\n" : token.raw);
    case "escape":
      return out.write(token.text);
    case "text":
      if (token.tokens !== undefined) return writeInline(token.tokens, out);
      return out.write(token.escaped === true ? token.text : decoded(token.text));
    default:
      return out.write(token.raw);
  }
}

function writeLink(
  { href, title, text, raw }: Tokens.Link | Tokens.Image,
  out: Writer,
  words: () => void,
): void {
  const url = decoded(href).replaceAll(/\s/g, "%20");
  const shown = text.trim() === "" ? () => out.write(url) : words;
  // `a@b.example` becomes a link by itself in every chat.
  if (href === `mailto:${text}` && !raw.startsWith("[")) return shown();
  const canLead = /^https?:\/\/./i.test(url) && URL.canParse(url) && !out.isIn("link");
  if (canLead) out.mark("link", shown, url);
  if (!canLead) shown();
  if (!canLead && text.trim() !== "" && text !== href && href !== "") out.write(` (${url})`);
  if (title) out.write(` (${decoded(title)})`);
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  copy: "©",
  times: "×",
  rarr: "→",
  larr: "←",
};

/** `&amp;` as a person sees it. Names that are not known stay as they are. */
const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name as string] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return "\uFFFD";
    return clean(String.fromCodePoint(code));
  });
