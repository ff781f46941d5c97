import type { ConfigWarning } from "./findings.ts";
import { isLeaf, keysAt, suggestKey } from "./key-lookup.ts";
import { keyText } from "./key-path.ts";
import type { Source } from "./source.ts";

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
  said: boolean,
): readonly ConfigWarning[] {
  const keys = keysAt(path);
  const warn = (message: string): ConfigWarning => ({
    ...source.keyPlace(path),
    key: keyText(path),
    message,
  });
  if (keys.length === 0) return [warn(unknownKey(path))];
  const later = keys.every((known) => known.later);
  const here = later && !said ? [warn("has no effect in this version")] : [];
  if (keys.some((known) => isLeaf(known, path)) || typeof value !== "object" || value === null) return here;
  const below = Object.entries(value).flatMap(([key, inner]) => walk(source, [...path, key], inner, later));
  return [...here, ...below];
}

/** Also the reason why such a key is not written. */
export function unknownKey(path: readonly string[]): string {
  const meant = suggestKey(path);
  return `is not a known key and has no effect${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}
