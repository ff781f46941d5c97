import { closest } from "../core/suggestion.ts";
import type { ConfigWarning } from "./findings.ts";
import { keyText } from "./key-path.ts";
import { settings } from "./keys.ts";
import { type Section, type Setting, isSection } from "./setting.ts";
import type { Source } from "./source.ts";

/** A setting with its place; `*` stands for a name that the person chooses, or for a place in a list. */
export type KnownKey = Setting & { readonly key: string };

export const knownKeys: readonly KnownKey[] = Object.entries(settings).flatMap(([name, node]) =>
  keysIn([name], node),
);

function keysIn(path: readonly string[], node: Setting | Section): readonly KnownKey[] {
  if (!isSection(node)) return [{ ...node, key: path.join(".") }];
  const own = node.names === undefined && node.list === undefined ? path : [...path, "*"];
  return Object.entries(node.keys).flatMap(([name, inner]) => keysIn([...own, name], inner));
}

const rows = knownKeys.map((known) => ({ known, segments: known.key.split(".") }));

/** The keys at or below a path, or the one above it whose content is free (`memory`, `providers.*.headers`). */
export function keysAt(path: readonly string[]): readonly KnownKey[] {
  return rows
    .filter(({ segments }) => {
      const shared = Math.min(segments.length, path.length);
      return segments.slice(0, shared).every((segment, index) => segment === "*" || segment === path[index]);
    })
    .map(({ known }) => known);
}

/** Whether the path names a key whole, so that everything below it is the person's own. */
const isLeaf = (known: KnownKey, path: readonly string[]): boolean =>
  known.key.split(".").length <= path.length;

/** What the person may have meant by an unknown path, spelt with the names they chose. */
export function suggestKey(path: readonly string[]): string | undefined {
  const parent = path.slice(0, -1);
  const word = path.at(-1) ?? "";
  const confused = knownKeys.find((known) =>
    known.confusedWith?.some((wrong) => isWrongName(known, wrong, path)),
  );
  if (confused !== undefined) return spelt(confused.key, path);
  const siblings = keysAt(parent).flatMap((known) => known.key.split(".")[parent.length] ?? []);
  const near = closest(word, new Set(siblings.filter((segment) => segment !== "*")));
  if (near !== undefined) return keyText([...parent, near]);
  const [only, ...more] = knownKeys.filter(({ key }) => !key.includes("*") && key.endsWith(`.${word}`));
  return more.length === 0 ? only?.key : undefined;
}

/** Whether this path is the wrong name: a plain one at the place of the right key, one with dots exactly as written. */
function isWrongName(known: KnownKey, wrong: string, path: readonly string[]): boolean {
  if (wrong.includes(".")) return wrong === path.join(".");
  const right = known.key.split(".");
  const samePlace = right.length === path.length && keysAt(path.slice(0, -1)).includes(known);
  return samePlace && path.at(-1) === wrong;
}

const spelt = (key: string, path: readonly string[]): string =>
  keyText(key.split(".").map((segment, index) => (segment === "*" ? (path[index] ?? segment) : segment)));

/** A warning for everything in the file that changes nothing: unknown keys, and keys that no part reads yet. */
export const ineffectiveKeys = (source: Source): readonly ConfigWarning[] =>
  Object.entries(source.content)
    .filter(([key]) => !isOwn(key))
    .flatMap(([key, value]) => walk(source, [key], value, false));

/** A place for anchors that other sections use: `x-common: &common {…}`. */
const isOwn = (key: string): boolean => key.startsWith("x-");

/** A section that is ineffective as a whole is named once, not key by key. */
function walk(
  source: Source,
  path: readonly string[],
  value: unknown,
  parentWarned: boolean,
): readonly ConfigWarning[] {
  const keys = keysAt(path);
  const warn = (message: string): ConfigWarning => ({
    ...source.keyPosition(path),
    key: keyText(path),
    message,
  });
  if (keys.length === 0) return [warn(unknownKey(path))];
  const later = keys.every((known) => known.later);
  const here = later && !parentWarned ? [warn("has no effect in this version")] : [];
  if (keys.some((known) => isLeaf(known, path)) || typeof value !== "object" || value === null) return here;
  const below = Object.entries(value).flatMap(([key, inner]) => walk(source, [...path, key], inner, later));
  return [...here, ...below];
}

/** Also the reason why such a key is not written. */
export function unknownKey(path: readonly string[]): string {
  const meant = suggestKey(path);
  return `is not a known key and has no effect${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}
