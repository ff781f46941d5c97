import { sentencesOf, states } from "./statements.ts";

/** More than that at once is copied rather than typed. */
const mostTyped = { chars: 1_500, lines: 25 } as const;

/**
 * A message without what somebody else seems to have written. Of several paragraphs only the first is taken for typed, and
 * none if something is asked about them. It errs on the side of too little: what is not known to be the person's own waits.
 */
export function withoutPastedText(message: string): string {
  const bare = withoutCodeBlocks(message.split(/\r?\n/)).filter((line) => !/^[ \t]*[>|]/.test(line));
  const lines = bare.filter((line) => line.trim() !== "");
  const text = bare.join("\n").trim();
  if (text.length > mostTyped.chars || lines.length > mostTyped.lines) return "";
  if (lines.length > 1 && lines.some((line) => aboutText.test(line))) return "";
  const [first = "", ...others] = text
    .replaceAll(quotation, (whole) => (isSentence(whole) ? "" : whole))
    .split(/\n[ \t]*\n/);
  if (others.length > 0 && !sentencesOf(text).every(states)) return "";
  return introduction.exec(first)?.[0] ?? first.trim();
}

/** The line before a block is dropped as well if it is only a file name, as editors write it. */
function withoutCodeBlocks(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let open: string | undefined;
  for (const line of lines) {
    const [, fence] = /^[ \t]*(`{3,}|~{3,})/.exec(line) ?? [];
    if (open !== undefined) {
      if (line.trim() === open) open = undefined;
      continue;
    }
    open = fence;
    if (fence === undefined) {
      kept.push(line);
      continue;
    }
    if (/^\S+:$/.test(kept.at(-1) ?? "")) kept.pop();
  }
  return kept;
}

const quotation = /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|『[^』]*』/gu;

/** A name or a term between quotation marks is the person's own. */
const isSentence = (quoted: string): boolean =>
  quoted.split(/\s+/).length > 3 || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{8}/u.test(quoted);

/** Something is to be done with a text, or it is said whose it is. */
const about = [
  "\\b(?:summari[sz]e|sum (?:it |this |that )?up|translate|proofread|paraphrase|rephrase|reword)\\b",
  "\\b(?:answer|reply to|respond to) (?:it|this|that|these|him|her|them|the)\\b",
  "\\b(?:this|that|the following|these|following|below|attached|pasted|copied|forwarded)\\b[^\\n.]{0,20}\\b(?:e-?mails?|mails?|messages?|texts?|pages?|articles?|logs?|errors?|output|snippets?|letters?|posts?|comments?|issues?|tickets?|notes?|documents?|readme|threads?|quotes?|specs?)\\b",
  "(?<!\\bi )\\b(?:wrote|writes|says|said|told me|sent me)\\b",
  "\\bhere(?:'s| is) (?:the|a|an|what)\\b|\\bsee below\\b|\\bthe following\\b",
  "(?<!\\p{L})(?:übersetz|beantworte|fasse?(?!\\p{L}))|\\bdiese[nrs]? (?:mail|e-mail|nachricht|text|seite|artikel|fehler|brief|meldung)|\\bfolgende|\\b(?:schrieb|schreibt)\\b",
  "\\b(?:traduis|traduire|résume|traduce|resume)\\b|\\b(?:ce|cet|cette|este|esta) (?:texte|mail|message|page|texto|correo|mensaje|página)",
  "переведи|перескажи|ответь на|этот текст|это письмо|следующ",
  "翻译|总结|概括|以下|下面这|翻訳|要約|次の",
].join("|");
const aboutText = new RegExp(about, "iu");

/** What follows it is the pasted text. */
const introduction = new RegExp(`^[^\\n:：]*(?:${about})[^\\n:：]*(?::(?=\\s)|：)`, "iu");
