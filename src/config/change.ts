import { isDeepStrictEqual } from "node:util";
import { isPlainObject } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { findProblems } from "./checking.ts";
import type { Finding } from "./findings.ts";
import { keyText } from "./key-path.ts";
import { parseSource } from "./source.ts";
import type { Source } from "./source.ts";
import { textsWithout, textsWithValue } from "./splice.ts";

/** A text that may be written, or why it may not. */
export type CheckedEdit = { readonly text?: string; readonly problems: readonly Finding[] };

/** Problems the file has already keep their place; one that the edit would make has none yet. */
export function checkEdit(source: Source, path: readonly string[], text: string | undefined): CheckedEdit {
  if (text === undefined) {
    const message =
      "cannot be changed without touching other settings; it shares an anchor, or a section in its way is not a map";
    return { problems: [{ ...source.keyPosition(path), key: keyText(path), message }] };
  }
  const { problems } = findProblems(parseSource(source.file, text));
  if (problems.length === 0) return { text, problems };
  const old = findProblems(source).problems;
  return { problems: problems.map((one) => sameIn(old, one) ?? withoutPlace(source.file, one)) };
}

const sameIn = (old: readonly Finding[], { key, message }: Finding): Finding | undefined =>
  old.find((other) => other.key === key && other.message === message);

const withoutPlace = (file: string, { key, message }: Finding): Finding => ({
  file,
  ...(key === undefined ? {} : { key }),
  message,
});

export const withValue = (source: Source, path: readonly string[], value: Json): string | undefined =>
  firstWithContent(source, replacedIn(source.content, path, value), textsWithValue(source, path, value));

export const withoutKey = (source: Source, path: readonly string[]): string | undefined =>
  firstWithContent(source, replacedIn(source.content, path, undefined), textsWithout(source, path));

/** A text is taken only if it reads as the old content with this one change. */
function firstWithContent(source: Source, wanted: unknown, texts: Iterable<string>): string | undefined {
  const aim = withoutEmpty(wanted);
  const says = (text: string): boolean => {
    try {
      return isDeepStrictEqual(withoutEmpty(parseSource(source.file, text).content), aim);
    } catch {
      return false;
    }
  };
  if (says(source.text)) return source.text;
  return Iterator.from(texts).find(says);
}

function replacedIn(
  value: unknown,
  [name, ...rest]: readonly string[],
  replacement: Json | undefined,
): unknown {
  if (name === undefined) return replacement;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const isThere = items.some((_, index) => String(index) === name);
    if (!isThere)
      return replacement === undefined ? items : [...items, replacedIn(undefined, rest, replacement)];
    return items.map((item, index) => (String(index) === name ? replacedIn(item, rest, replacement) : item));
  }
  const map = isPlainObject(value) ? value : {};
  const inner = Object.hasOwn(map, name) ? map[name] : undefined;
  return Object.fromEntries([...Object.entries(map), [name, replacedIn(inner, rest, replacement)]]);
}

/** A key without content is the same as none. */
function withoutEmpty(value: unknown): unknown {
  if (!isPlainObject(value)) return Array.isArray(value) ? value.map(withoutEmpty) : (value ?? undefined);
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  const kept = entries.filter(([, inner]) => inner !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
