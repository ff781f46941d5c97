import { isCollection, isMap, isNode, isPair, isScalar, isSeq, stringify } from "yaml";
import type { Pair, YAMLMap } from "yaml";
import { isPlainObject } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { ownPair, startOf } from "./source.ts";
import type { Source } from "./source.ts";

// A file that people wrote is changed by cutting and pasting in its text, so that every byte elsewhere survives.
// Each function offers texts, the best-looking one first; the caller checks which of them has the right meaning.

/** Ways to write a value where it stands, or to put its key in. */
export function* textsWithValue(source: Source, path: readonly string[], value: Json): Generator<string> {
  const { text } = source;
  const { slot, rest } = descend(source, path);
  const [name, ...below] = rest;
  if (name === undefined) return yield* replaced(text, slot, value);
  if (isMap(slot.node)) {
    if (slot.node.flow === true) return yield* joined(text, slot.node, name, nested(below, value));
    return yield* appended(text, slot.node, lines(rest, value));
  }
  if (slot.node !== null && !(isScalar(slot.node) && slot.node.value === null)) return;
  const block = lines(rest, value);
  if (slot.column === undefined)
    return yield text + (/(^|\n)$/.test(text) ? "" : eolOf(text)) + block(0, eolOf(text)) + eolOf(text);
  if (isEmpty(slot.node)) {
    const at = lineEnd(text, slot.from);
    yield text.slice(0, at) + eolOf(text) + block(slot.column + 2, eolOf(text)) + text.slice(at);
  }
  yield* replaced(text, slot, nested(rest, value));
}

/** Ways to take a key out. None when it is not written in the map itself. */
export function* textsWithout(source: Source, path: readonly string[]): Generator<string> {
  const { text } = source;
  const { slot, rest } = descend(source, path.slice(0, -1));
  const name = path.at(-1);
  if (rest.length > 0 || name === undefined || !isMap(slot.node)) return;
  const pair = ownPair(slot.node, name);
  const start = startOf(pair?.key);
  if (pair === undefined || start === undefined) return;
  const end = contentEnd(text, pair);
  if (slot.node.flow === true) return yield withoutFlowItem(text, slot.node, pair, start, end);
  const lineStart = lineStartOf(text, start);
  const next = text.indexOf("\n", end) + 1 || text.length;
  if (text.slice(lineStart, start).trim() === "") yield text.slice(0, lineStart) + text.slice(next);
  const from = afterColon(text, pair);
  if (from !== undefined) yield text.slice(0, from) + text.slice(end);
}

/** A value's place: its node, where its text may begin, and the column of its key (none for the whole document). */
type Slot = { readonly node: unknown; readonly from: number; readonly column?: number };

/** As far down the path as the file itself goes. */
function descend(
  { document, text }: Source,
  path: readonly string[],
): { readonly slot: Slot; readonly rest: readonly string[] } {
  let slot: Slot = { node: document.contents, from: 0 };
  for (const [index, segment] of path.entries()) {
    const rest = path.slice(index);
    if (isSeq(slot.node)) {
      const item = slot.node.items[Number(segment)];
      const start = startOf(item);
      if (start === undefined) return { slot, rest };
      slot = { node: item, from: start, column: columnOf(text, start) };
      continue;
    }
    const pair = isMap(slot.node) ? ownPair(slot.node, segment) : undefined;
    const from = pair && afterColon(text, pair);
    if (pair === undefined || from === undefined) return { slot, rest };
    slot = { node: pair.value, from, column: columnOf(text, startOf(pair.key) ?? 0) };
  }
  return { slot, rest: [] };
}

function* replaced(text: string, { node, from }: Slot, value: Json): Generator<string> {
  if (!isNode(node) || !node.range) return;
  if (isEmpty(node)) return yield `${text.slice(0, from)} ${rendered(value)}${text.slice(from)}`;
  const [start] = node.range;
  const end = contentEnd(text, node);
  const isBlock = isCollection(node) && node.flow !== true;
  if (!isBlock) yield text.slice(0, start) + rendered(value) + text.slice(end);
  // The whole of a block goes, with its anchor or tag, but not a comment beside the key.
  const [comment] = /^[^\S\n]*#[^\r\n]*/.exec(text.slice(from, start)) ?? [""];
  yield `${text.slice(0, from)} ${rendered(value)}${comment}${text.slice(end)}`;
}

function* joined(text: string, map: YAMLMap, name: string, value: Json): Generator<string> {
  const last = map.items.at(-1);
  const item = `${rendered(name)}: ${rendered(value)}`;
  const at = last === undefined ? (map.range?.[0] ?? 0) + 1 : contentEnd(text, last);
  yield `${text.slice(0, at)}${last === undefined ? "" : ", "}${item}${text.slice(at)}`;
}

function* appended(text: string, map: YAMLMap, block: Block): Generator<string> {
  const column = columnOf(text, startOf(map.items[0]?.key) ?? 0);
  const eol = eolOf(text);
  const at = lineEnd(text, contentEnd(text, map));
  yield text.slice(0, at) + eol + block(column, eol) + text.slice(at);
  // After a block text that keeps its blank lines, the next key must stand below those.
  const below = map.range?.[1] ?? at;
  yield text.slice(0, below) + block(column, eol) + eol + text.slice(below);
}

function withoutFlowItem(text: string, map: YAMLMap, pair: Pair, start: number, end: number): string {
  const index = map.items.indexOf(pair);
  const next = startOf(map.items[index + 1]?.key);
  if (next !== undefined) return text.slice(0, start) + text.slice(next);
  const before = map.items[index - 1];
  return text.slice(0, before === undefined ? start : contentEnd(text, before)) + text.slice(end);
}

type Block = (column: number, eol: string) => string;

/** `a:` / `  b:` / `    c: value`, one name to a line. */
const lines =
  (names: readonly string[], value: Json): Block =>
  (column, eol) =>
    names
      .map((name, depth) => {
        const end = depth === names.length - 1 ? ` ${rendered(value)}` : "";
        return `${" ".repeat(column + depth * 2)}${rendered(name)}:${end}`;
      })
      .join(eol);

const nested = (names: readonly string[], value: Json): Json =>
  names.reduceRight<Json>((inner, name) => ({ [name]: inner }), value);

/** One line that is safe between brackets too, with quotes only where they are needed. */
function rendered(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(rendered).join(", ")}]`;
  if (isPlainObject(value)) {
    const items = Object.entries(value).map(
      ([name, inner]) => `${rendered(name)}: ${rendered(inner as Json)}`,
    );
    return `{${items.join(", ")}}`;
  }
  if (typeof value === "string" && value.includes("\n")) return JSON.stringify(value);
  return stringify(value, flow).trimEnd();
}

const flow = { lineWidth: 0, collectionStyle: "flow" } as const;

const isEmpty = (node: unknown): boolean => isScalar(node) && node.range?.[0] === node.range?.[1];

/** Where the text of a node or pair ends, without the blank lines and comments that the parser counts to it. */
function contentEnd(text: string, node: unknown): number {
  if (isPair(node)) return contentEnd(text, isNode(node.value) ? node.value : node.key);
  if (isCollection(node) && node.flow !== true && node.items.length > 0)
    return contentEnd(text, node.items.at(-1));
  const end = isNode(node) ? (node.range?.[1] ?? 0) : 0;
  return text.slice(0, end).trimEnd().length;
}

function afterColon(text: string, pair: Pair): number | undefined {
  const end = isNode(pair.key) ? pair.key.range?.[1] : undefined;
  if (end === undefined) return undefined;
  const [colon] = /^\s*:/.exec(text.slice(end)) ?? [];
  return colon === undefined ? undefined : end + colon.length;
}

const eolOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

const lineStartOf = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1;

function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf("\n", offset);
  if (newline === -1) return text.length;
  return text[newline - 1] === "\r" ? newline - 1 : newline;
}

const columnOf = (text: string, offset: number): number =>
  text.slice(lineStartOf(text, offset), offset).replace("\uFEFF", "").length;
