import { clean } from "../../../core/plain-text.ts";
import { blocksOf } from "./bounded-lexer.ts";
import type { Styled } from "./span.ts";
import { writeBlocks } from "./write-blocks.ts";
import { Writer } from "./writer.ts";

export type { Span, Style, Styled } from "./span.ts";

/**
 * Markdown as a person sees it in a chat. No word is lost: what a chat cannot show as such (HTML, relative links, cells too many) stands
 * there as it is written. Nothing in it steers a screen, and it is well-formed UTF-16.
 */
export function styledOf(markdown: string): Styled {
  const out = new Writer();
  writeBlocks(blocksOf(harmless(markdown)), out);
  return out.done();
}

const harmless = (text: string): string => clean(text.replaceAll(/\r\n?/g, "\n").toWellFormed());
