import type { Button, Part } from "../../../core/gateway/chat.ts";
import { fieldsOf, type Json } from "../../../core/json.ts";
import { plainOf, split } from "../text/split.ts";
import { styledOf, type Styled } from "../text/styled.ts";
import { discordMarkdown } from "./markdown.ts";

/** Counted in UTF-16, in which nothing has fewer than in Discord's own count. */
export const mostCharacters = 2_000;
export const mostFileBytes = 10 * 1024 * 1024;
const mostRows = 5;
const mostInRow = 5;
const longestLabel = 80;

export function render(markdown: string): readonly Part[] {
  return partsOf(styledOf(markdown), mostCharacters).map(partOf);
}

const cutMark = "… (cut: too long for one message)";

export function renderQuestion(
  markdown: string,
  buttons: Part["buttons"],
): { readonly part: Part; readonly isCut: boolean } {
  const styled = styledOf(markdown);
  const [whole, ...more] = partsOf(styled, mostCharacters);
  const isCut = more.length > 0;
  const [start = nothing] = isCut ? partsOf(styled, mostCharacters - cutMark.length - 2) : [whole ?? nothing];
  const shown = isCut ? { text: `${start.text}\n${cutMark}`, spans: start.spans } : start;
  return { part: { ...partOf(shown), ...(buttons === undefined ? {} : { buttons }) }, isCut };
}

/** Short words of ours, as Discord shows them. */
export const plainContent = (text: string): string =>
  discordMarkdown(split({ text, spans: [] }, fit(mostCharacters))[0] ?? nothing);

/** A message without words would be refused. */
const nothing: Styled = { text: "…", spans: [] };

const partsOf = (styled: Styled, limit: number): readonly Styled[] => split(styled, fit(limit));
const fit = (limit: number): Parameters<typeof split>[1] => ({
  limit,
  measure: (part) => discordMarkdown(part).length,
});
const partOf = (styled: Styled): Part => ({
  body: { content: discordMarkdown(styled) },
  plain: plainOf(styled),
});

/** What the API is told of a part. Nobody is rung, and no server of Discord's looks at an address that a model wrote. */
export function payloadOf({ body, buttons }: Part): { readonly [key: string]: Json } {
  const { content } = fieldsOf(body);
  return {
    content: typeof content === "string" ? content : "",
    components: rowsOf(buttons ?? []),
    allowed_mentions: { parse: [], replied_user: false },
  };
}

export const flags = { suppressEmbeds: 1 << 2, ephemeral: 1 << 6 };

/** A row that is too long goes on in the next one. Beyond 25 buttons there is no room. */
const rowsOf = (rows: NonNullable<Part["buttons"]>): readonly Json[] =>
  rows
    .flatMap((row) => chunks(row, mostInRow))
    .slice(0, mostRows)
    .map((row) => ({ type: 1, components: row.map(buttonOf) }));

const buttonOf = ({ label, data }: Button): Json => ({
  type: 2,
  style: 2,
  label: labelOf(label),
  custom_id: data,
});

function labelOf(label: string): string {
  const text = label.toWellFormed().trim() || "…";
  if (text.length <= longestLabel) return text;
  return `${text.slice(0, longestLabel - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

const chunks = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
