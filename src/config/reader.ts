import { isPlainObject } from "../core/json.ts";
import { checkSource } from "./checking.ts";
import type { ConfigWarning, SourcePosition } from "./findings.ts";
import { ineffectiveKeys } from "./key-lookup.ts";
import { keyText } from "./key-path.ts";
import type { FileSettings } from "./keys.ts";
import { type Source, parseSource } from "./source.ts";

export type ReadSettings = {
  readonly settings: FileSettings;
  readonly warnings: readonly ConfigWarning[];
  readonly secrets: readonly string[];
  keyPosition(path: readonly string[]): SourcePosition;
};

/**
 * Text of config.yaml → settings and warnings; throws the config fault. Brings the YAML parser and zod along, which
 * take as long to load as the rest of a start: import it only when there is something to read.
 */
export function readSettings(file: string, text: string, lookup: Lookup): ReadSettings {
  const source = parseSource(file, text);
  const expanded = expand(source, checkSource(source), lookup);
  const warnings = [...source.warnings, ...ineffectiveKeys(source), ...expanded.warnings];
  return {
    ...expanded,
    warnings: warnings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    keyPosition: (path) => source.keyPosition(path),
  };
}

/** The value of a variable from the environment or .env. */
export type Lookup = (name: string) => string | undefined;

type Expanded = {
  readonly settings: FileSettings;
  readonly warnings: readonly ConfigWarning[];
  /** What must never be shown: values that came in by reference, and literal ones under a telling name. */
  readonly secrets: readonly string[];
};

/** Puts variables in for `${NAME}`, in provider headers and MCP servers only; `$${NAME}` stays as `${NAME}`. */
function expand(source: Source, settings: FileSettings, lookup: Lookup): Expanded {
  const warnings: ConfigWarning[] = [];
  const secrets: string[] = [];
  const warn = (path: readonly string[], message: string): void => {
    warnings.push({ ...source.valuePosition(path), key: keyText(path), message });
  };
  const text = (path: readonly string[], value: string): string | undefined => {
    if (!isExpanded(path)) {
      if (reference.test(value))
        warn(path, "is taken literally; ${NAME} works only in headers and mcp_servers");
      return value;
    }
    const missing = references(value).find((name) => lookup(name) === undefined);
    if (missing !== undefined) {
      warn(path, `was dropped, because the variable ${missing} is not set in the environment or .env`);
      return undefined;
    }
    secrets.push(...references(value).map((name) => lookup(name) ?? ""));
    if (telling.test(path.at(-1) ?? "")) secrets.push(value);
    return value.replace(/\$?\$\{(\w+)\}/g, (whole, name: string) =>
      whole.startsWith("$$") ? whole.slice(1) : (lookup(name) ?? ""),
    );
  };
  return { settings: mapTexts(settings, [], text) as FileSettings, warnings, secrets };
}

const reference = /(?<!\$)\$\{\w+\}/;
const telling = /key|token|secret|passw|auth|cookie/i;

const references = (value: string): readonly string[] =>
  [...value.matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(([, name]) => name ?? "");

const isExpanded = ([first, , third]: readonly string[]): boolean =>
  first === "mcp_servers" || (first === "providers" && third === "headers");

type TextAt = (path: readonly string[], value: string) => string | undefined;

/** Changes every text in a tree of plain data; `undefined` takes it out. */
function mapTexts(value: unknown, path: readonly string[], text: TextAt): unknown {
  if (typeof value === "string") return text(path, value);
  if (Array.isArray(value)) {
    return value
      .map((inner: unknown, index) => mapTexts(inner, [...path, String(index)], text))
      .filter((inner) => inner !== undefined);
  }
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, mapTexts(inner, [...path, key], text)] as const,
  );
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}
