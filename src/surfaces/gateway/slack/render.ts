import type { Button, Part } from "../../../core/gateway/chat.ts";
import type { Json } from "../../../core/json.ts";
import { plainOf, split } from "../text/split.ts";
import { type Styled, styledOf } from "../text/styled.ts";
import { escaped, mrkdwn } from "./mrkdwn.ts";
import { sectionsOf } from "./sections.ts";

/** Slack recommends this for a message. */
const textLimit = 4000;
/** An edit with more is refused, and Slack counts bytes there. */
const editBytes = 4000;
/** Of all blocks of a message as JSON. Slack refuses from about 13,200 on, and some have seen that below 12,000. */
const blocksBytes = 9000;
const fallbackLength = 500;
const labelLength = 75;
const mostInRow = 25;
const mostRows = 40;

/** The body of our parts is text in Slack's markup. */
export const renderParts = (markdown: string): readonly Part[] =>
  split(styledOf(markdown), { limit: textLimit, measure: (part) => mrkdwn(part).length }).map((part) => ({
    body: mrkdwn(part),
    plain: plainOf(part),
  }));

export function renderAsQuestion(
  markdown: string,
  buttons: Part["buttons"],
): { readonly part: Part; readonly isCut: boolean } {
  const taken = bytes(JSON.stringify(rowsOf(buttons)));
  const limit = Math.max(1000, blocksBytes - taken);
  const parts = split(styledOf(markdown), { limit, measure: (part) => bytes(JSON.stringify(mrkdwn(part))) });
  const [first = nothing] = parts;
  const isCut = parts.length > 1;
  const mark = isCut ? "\n[…]" : "";
  const part = { body: `${mrkdwn(first)}${mark}`, plain: `${plainOf(first)}${mark}` };
  return { isCut, part: buttons === undefined ? part : { ...part, buttons } };
}

const nothing: Styled = { text: "…", spans: [] };

/** A message as Slack's calls take it. */
export type Composed = { readonly text: string; readonly blocks: readonly Json[] };

export const textOf = ({ body, plain }: Pick<Part, "body" | "plain">): string =>
  typeof body === "string" ? body : escaped(plain);

/** Text alone where that is enough; else blocks, which show buttons and may be longer, and a text for notifications. */
export function composed({ body, plain, buttons }: Part, isEdit: boolean): Composed {
  const text = textOf({ body, plain });
  const rows = rowsOf(buttons);
  const isLong = isEdit ? bytes(text) > editBytes : text.length > textLimit;
  if (rows.length === 0 && !isLong) return { text, blocks: [] };
  const sections = sectionsOf(text).map((section) => ({
    type: "section",
    text: { type: "mrkdwn", text: section, verbatim: true },
  }));
  return { text: fallbackOf(plain), blocks: [...sections, ...rows] };
}

function fallbackOf(plain: string): string {
  const short = plain.length > fallbackLength ? `${cut(plain, fallbackLength)}…` : plain;
  return escaped(short) || "…";
}

function rowsOf(buttons: Part["buttons"]): readonly Json[] {
  const rows = (buttons ?? []).flatMap(inRows);
  const fitting = rows.length > mostRows ? inRows(rows.flat()) : rows;
  return fitting.map((row) => ({
    type: "actions",
    elements: row.map(({ label, data }, index) => ({
      type: "button",
      action_id: `button-${index}`,
      value: data,
      text: { type: "plain_text", text: cut(label, labelLength) || "…", emoji: true },
    })),
  }));
}

const inRows = (row: readonly Button[]): readonly (readonly Button[])[] =>
  Array.from({ length: Math.ceil(row.length / mostInRow) }, (_none, index) =>
    row.slice(index * mostInRow, (index + 1) * mostInRow),
  );

/** No character is cut in two. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");

const bytes = (text: string): number => Buffer.byteLength(text);
