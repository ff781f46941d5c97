import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Document, Pair, YAMLMap } from "yaml";
import { isPlainObject } from "../core/json.ts";
import type { Finding, SourcePosition } from "./findings.ts";
import { configFault } from "./findings.ts";
import { settings } from "./keys.ts";
import { type Section, type Setting, isSection } from "./setting.ts";
import { firstError, kindOf, missingAnchor } from "./syntax-error.ts";

/** A parsed config.yaml that still knows where everything stands. */
export type Source = {
  readonly file: string;
  readonly text: string;
  readonly document: Document;
  readonly content: Content;
  readonly warnings: readonly Finding[];
  /** Where a key stands, or the nearest thing above it that is written down. */
  keyPosition(path: Path): SourcePosition;
  /** Where its value stands. */
  valuePosition(path: Path): SourcePosition;
};

export type Path = readonly PropertyKey[];

/** Plain data; a key without a value is left out, as if it were not written, unless that alone says something. */
export type Content = Readonly<Record<string, unknown>>;

/** Throws the config fault for what is no YAML, names a key twice, or is not one map. */
export function parseSource(file: string, text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    logLevel: "error",
  });
  const positionAt = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: line === 1 && text.startsWith("\uFEFF") ? Math.max(1, col - 1) : col };
  };
  const syntaxProblem = firstError(document) ?? missingAnchor(document);
  if (syntaxProblem !== undefined) {
    const { offset, ...problem } = syntaxProblem;
    throw configFault([{ ...positionAt(offset), ...problem }], `Fix ${file} there, then try again.`);
  }
  return {
    file,
    text,
    document,
    content: contentOf(document, positionAt),
    warnings: document.warnings.map(({ message, pos }) => ({ ...positionAt(pos[0]), message })),
    keyPosition: (path) => positionAt(find(document, path).key),
    valuePosition: (path) => positionAt(find(document, path).value),
  };
}

function contentOf(document: Document, positionAt: (offset: number) => SourcePosition): Content {
  const content = withoutNothing(plainData(document, positionAt), { keys: settings }) ?? {};
  if (isPlainObject(content)) return content;
  throw configFault(
    [
      {
        ...positionAt(startOf(document.contents) ?? 0),
        message: `expected a map of settings, got ${kindOf(content)}`,
      },
    ],
    "Write settings as `name: value` lines, such as `model: {provider: demo}`.",
  );
}

function plainData(document: Document, positionAt: (offset: number) => SourcePosition): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const message = "has more aliases (*name) than a settings file can need";
    throw configFault(
      [{ ...positionAt(0), message }],
      "Write the repeated parts out instead of using aliases.",
      error,
    );
  }
}

function withoutNothing(value: unknown, known?: Setting | Section): unknown {
  if (Array.isArray(value)) return value.map((inner) => withoutNothing(inner));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const node = known !== undefined && isSection(known) ? known.keys[key] : undefined;
      if (inner !== null && inner !== undefined) return [[key, withoutNothing(inner, node)]];
      return node !== undefined && isSection(node) && node.alone === true ? [[key, {}]] : [];
    }),
  );
}

function find(document: Document, path: Path): { readonly key: number; readonly value: number } {
  let node: unknown = document.contents;
  let found = { key: 0, value: startOf(node) ?? 0 };
  for (const segment of path) {
    const inner = isAlias(node) ? node.resolve(document) : node;
    if (isSeq(inner)) {
      node = inner.items[Number(segment)];
      const start = startOf(node);
      if (start === undefined) return found;
      found = { key: start, value: start };
      continue;
    }
    const pair = isMap(inner) ? ownPair(inner, segment) : undefined;
    const start = startOf(pair?.key);
    if (pair === undefined || start === undefined) return found;
    found = { key: start, value: startOf(pair.value) ?? start };
    node = pair.value;
  }
  return found;
}

/** The pair that is written in this very map, not one that `<<` brings in. */
export const ownPair = (map: YAMLMap, name: PropertyKey): Pair | undefined =>
  map.items.find(({ key }) => isScalar(key) && String(key.value ?? "") === String(name));

export const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);

export const valueAt = (content: Content, path: Path): unknown =>
  path.reduce<unknown>(
    (value, segment) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, segment)
        ? (value as Record<PropertyKey, unknown>)[segment]
        : undefined,
    content,
  );
