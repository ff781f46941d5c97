import { isPlainObject } from "../core/json.ts";
import type { ConfigWarning } from "./findings.ts";
import { keyText } from "./key-path.ts";
import type { FileSettings } from "./keys.ts";
import type { Source } from "./source.ts";

/** The value of a variable from the environment or .env. */
export type Lookup = (name: string) => string | undefined;

export type Expanded = {
  readonly settings: FileSettings;
  readonly warnings: readonly ConfigWarning[];
  /** What must never be shown: values that came in by reference, and literal ones under a telling name. */
  readonly secrets: readonly string[];
};

/** Puts variables in for `${NAME}`, in provider headers and MCP servers only; `$${NAME}` stays as `${NAME}`. */
export function expand(source: Source, settings: FileSettings, lookup: Lookup): Expanded {
  const warnings: ConfigWarning[] = [];
  const secrets: string[] = [];
  const warn = (path: readonly string[], message: string): void => {
    warnings.push({ ...source.valuePlace(path), key: keyText(path), message });
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
