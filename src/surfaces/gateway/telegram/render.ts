import type { InlineKeyboardButton, InlineKeyboardMarkup } from "grammy/types";
import type { Button, Part } from "../../../core/gateway/chat.ts";
import { fieldsOf, type Json, listOf } from "../../../core/json.ts";
import { type Fit, split } from "../text/split.ts";
import { type Span, type Styled, styledOf } from "../text/styled.ts";

export const limits = { text: 4096, caption: 1024, entities: 100, dataBytes: 64, label: 64 } as const;

/** The platform's own form of a text. */
export type Body = { readonly text: string; readonly entities: readonly Entity[] };
export type Entity = {
  readonly type: "bold" | "italic" | "strikethrough" | "code" | "pre" | "blockquote" | "text_link";
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
};

export function render(markdown: string): readonly Part[] {
  return split(nestable(styledOf(markdown)), fitOf(limits.text)).map((part) => partOf(part));
}

/** What is too long is cut with a mark. */
export function renderQuestion(
  markdown: string,
  buttons: Part["buttons"],
): { readonly part: Part; readonly isCut: boolean } {
  const { styled, isCut } = firstPart(nestable(styledOf(markdown)), limits.text);
  return { part: { ...partOf(styled), ...(buttons === undefined ? {} : { buttons }) }, isCut };
}

/** The text that stands below a file. */
export function captionOf({ text, entities }: Body): Body {
  if (text.length <= limits.caption) return { text, entities };
  const { styled } = firstPart({ text, spans: entities.map(spanOf) }, limits.caption);
  return bodyOf(styled);
}

/** A part's body as it was made here; anything else has no words. */
export function readBody(body: Json): Body {
  const { text, entities } = fieldsOf(body);
  return { text: typeof text === "string" ? text : "", entities: listOf(entities) as readonly Entity[] };
}

export const keyboardOf = (buttons: Part["buttons"]): InlineKeyboardMarkup | undefined =>
  buttons === undefined || buttons.length === 0
    ? undefined
    : { inline_keyboard: buttons.map((row) => row.map(buttonOf)) };

const buttonOf = ({ label, data }: Button): InlineKeyboardButton => ({
  text: label.length > limits.label ? `${label.slice(0, limits.label - 1).toWellFormed()}…` : label,
  callback_data: data,
});

const mark = "…";

function firstPart(styled: Styled, limit: number): { readonly styled: Styled; readonly isCut: boolean } {
  const [first = { text: "", spans: [] }, ...more] = split(styled, fitOf(limit));
  if (more.length === 0) return { styled: first, isCut: false };
  const [cut = first] = split(styled, fitOf(limit - mark.length - 1));
  return { styled: { ...cut, text: `${cut.text}\n${mark}` }, isCut: true };
}

/** Addresses beyond this are dropped by the platform, so they stand in the text. */
const longestUrl = 2_000;

const fitOf = (limit: number): Fit => ({
  limit,
  mostSpans: limits.entities,
  measure: ({ text, spans }) =>
    text.length + (spans.some(({ url = "" }) => url.length > longestUrl) ? limit : 0),
});

type Holed = { readonly span: Span; readonly holes: Span[] };

/** Code has no other style around it or in it, as the platform wants it; a link stays one. */
function nestable({ text, spans }: Styled): Styled {
  const kept: Holed[] = [];
  let open: readonly Holed[] = [];
  for (const span of spans) {
    open = open.filter((outer) => outer.span.end > span.start);
    const isCode = span.style === "code" || span.style === "pre";
    if (isCode && open.some((outer) => outer.span.style === "link")) continue;
    for (const outer of open) if (isCode && outer.span.style !== "quote") outer.holes.push(span);
    const holed = { span, holes: [] };
    kept.push(holed);
    open = [...open, holed];
  }
  return { text, spans: kept.flatMap(beside).toSorted((a, b) => a.start - b.start || b.end - a.end) };
}

/** What is left of a style beside the code in it. */
function beside({ span, holes }: Holed): readonly Span[] {
  const starts = [span.start, ...holes.map(({ end }) => end)];
  const ends = [...holes.map(({ start }) => start), span.end];
  return starts
    .map((start, at) => ({ ...span, start, end: ends[at] ?? start }))
    .filter(({ start, end }) => start < end);
}

const partOf = (styled: Styled): Part => ({ body: bodyOf(styled) as unknown as Json, plain: styled.text });

function bodyOf({ text, spans }: Styled): Body {
  return {
    text,
    entities: spans
      // Addresses in a text become links by themselves.
      .filter(({ style, start, end, url }) => style !== "link" || text.slice(start, end) !== url)
      .map(({ start, end, style, url, language }) => ({
        type: types[style],
        offset: start,
        length: end - start,
        ...(url === undefined ? {} : { url }),
        ...(language === undefined ? {} : { language }),
      })),
  };
}

const types = {
  bold: "bold",
  italic: "italic",
  strike: "strikethrough",
  code: "code",
  pre: "pre",
  quote: "blockquote",
  link: "text_link",
} as const satisfies Record<Span["style"], Entity["type"]>;

function spanOf({ type, offset, length, url, language }: Entity): Span {
  const style = (Object.keys(types) as Span["style"][]).find((each) => types[each] === type) ?? "bold";
  return {
    start: offset,
    end: offset + length,
    style,
    ...(url === undefined ? {} : { url }),
    ...(language === undefined ? {} : { language }),
  };
}
