import type { MarkedToken, Token, Tokens } from "marked";
import { tableText } from "./table.ts";
import { writeInline } from "./write-inline.ts";
import type { Writer } from "./writer.ts";

/** `gap`: what stands between two of them. */
export function writeBlocks(tokens: readonly Token[], out: Writer, gap = "\n\n"): void {
  let isFirst = true;
  for (const token of tokens as readonly MarkedToken[]) {
    if (token.type === "space" || (token.type === "def" && token.raw === "")) continue;
    if (!isFirst) out.write(gap);
    // The words of a task stand on the line of its box.
    isFirst = token.type === "checkbox";
    writeBlock(token, out);
  }
}

function writeBlock(token: MarkedToken, out: Writer): void {
  switch (token.type) {
    case "heading":
      return out.mark("bold", () => writeInline(token.tokens, out));
    case "code":
      return writeCode(token, out);
    case "blockquote":
      return writeQuote(token, out);
    case "list":
      return writeList(token, out);
    case "table":
      return out.pre(tableText(token));
    case "hr":
      return out.write("———");
    case "checkbox":
      return out.write(token.checked ? "☑ " : "☐ ");
    case "html":
    case "def":
      return out.write(token.raw.trimEnd());
    case "paragraph":
      return writeInline(token.tokens, out);
    default:
      return writeInline([token], out);
  }
}

/** Some write their first line behind the fence: what does not look like a language is not lost. */
function writeCode({ text, lang = "" }: Tokens.Code, out: Writer): void {
  const info = lang.trim();
  const [word = ""] = info.split(/\s/, 1);
  const language = /^[\w+#.-]{1,40}$/.test(word) ? word : undefined;
  if (text === "") return out.write(info);
  if (info !== (language ?? "")) out.write(`${info}\n`);
  out.pre(text, language);
}

/** A quotation in another one has its sign before each line: chats know only one level. */
function writeQuote({ tokens }: Tokens.Blockquote, out: Writer): void {
  if (out.isIn("quote")) return out.indent("> ", "> ", () => writeBlocks(tokens, out));
  out.mark("quote", () => writeBlocks(tokens, out));
}

function writeList({ items, ordered, start }: Tokens.List, out: Writer): void {
  for (const [index, item] of items.entries()) {
    if (index > 0) out.write("\n");
    const sign = ordered ? `${Number(start) + index}. ` : "• ";
    out.indent(sign, " ".repeat(sign.length), () =>
      writeBlocks(item.tokens, out, item.loose ? "\n\n" : "\n"),
    );
  }
}
