import type { Styled } from "../text/styled.ts";
import { type Piece, piecesOf } from "./pieces.ts";

/** Styled text in Slack's own markup. Nothing in the text itself can become a link, a mention or an alarm for a channel. */
export function mrkdwn(whole: Styled): string {
  const out: string[] = [];
  let last = "\n";
  let isTight = false; // it ended with a mark, which letters may not touch
  const put = (text: string): void => {
    if (text === "") return;
    out.push(text);
    last = text;
  };
  for (const piece of piecesOf(whole)) {
    const isLineStart = last.endsWith("\n");
    if (piece.kind === "pre") {
      put(`${isLineStart ? "" : "\n"}\`\`\`\n${codeBlock(piece.text)}\n\`\`\`\n`);
      isTight = false;
      continue;
    }
    // A block of code has brought the end of its line with it.
    if (piece.kind === "line" && last.endsWith("```\n")) {
      last = "\n";
      continue;
    }
    if (isLineStart && piece.isQuoted) put("> ");
    const text = piece.kind === "line" ? "\n" : marked(piece);
    const isMarked = piece.kind === "text" && text !== escaped(piece.text);
    if (isMarked ? tightEnd.test(last) : isTight && tightStart.test(text)) put(gap);
    put(text);
    isTight = isMarked;
  }
  return out.join("").replace(/\n$/, "");
}

/** Slack takes a mark as one only beside a space or a sign. This one nobody sees. */
const gap = "\u200B";
const tightEnd = /[\p{L}\p{N}\p{M}*_~`>]$/u;
const tightStart = /^[\p{L}\p{N}\p{M}*_~`<]/u;

function marked({ text, styles, url }: Extract<Piece, { readonly kind: "text" }>): string {
  const core = text.trim();
  if (core === "") return escaped(text);
  const start = text.indexOf(core);
  const [before, after] = [text.slice(0, start), text.slice(start + core.length)];
  const inside = styles.has("code") && url === undefined ? `\`${codeWord(core)}\`` : linked(core, url);
  const marks = [
    ...(styles.has("bold") ? "*" : ""),
    ...(styles.has("italic") ? "_" : ""),
    ...(styles.has("strike") ? "~" : ""),
  ];
  return `${before}${marks.join("")}${inside}${marks.toReversed().join("")}${after}`;
}

function linked(label: string, url: string | undefined): string {
  if (url === undefined) return escaped(label);
  if (!/^(?:https?|mailto|tel):/i.test(url)) return escaped(label === url ? label : `${label} (${url})`);
  const address = escaped(url.replaceAll(/[\s<>|]/g, encodeURIComponent));
  return label === url ? `<${address}>` : `<${address}|${escaped(label)}>`;
}

/** Without a meaning for Slack. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Slack has no way to write the mark of code within code: another sign that looks like it. */
const codeWord = (text: string): string => escaped(text).replaceAll("`", "ˋ");

/** Three in a row would end the block: what follows would no longer be shown as it is. */
const codeBlock = (text: string): string =>
  escaped(text).replaceAll(/`{2,}/g, (marks) => [...marks].join(gap));
