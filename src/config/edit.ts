import { isDeepStrictEqual } from "node:util";
import { isCollection, isScalar, parseDocument } from "yaml";
import type { FaultError } from "../core/faults.ts";
import type { Json } from "../core/json.ts";
import { checkEdit, withValue, withoutKey } from "./change.ts";
import { knownVariables, variable } from "./environment.ts";
import { editFile } from "./file-edit.ts";
import { readTextFile } from "./files.ts";
import { type ConfigWarning, configFault } from "./findings.ts";
import { ineffectiveKeys, keysAt, unknownKey } from "./key-lookup.ts";
import { keyText, parseKeyPath } from "./key-path.ts";
import type { Environment, Origin } from "./settings.ts";
import { type Source, parseSource, valueAt } from "./source.ts";

export type Edited = {
  /** False when the file said so already. */
  readonly changed: boolean;
  /** About the key that was set: it may have no effect yet. */
  readonly warnings: readonly ConfigWarning[];
};

/**
 * Sets one key of config.yaml and leaves every other byte alone. `typed` is what a person typed: `true`, `3`,
 * `[a, b]`, `{a: 1}`, or text. The result is checked before it is written; on any fault the file is untouched.
 */
export async function setConfigValue(
  file: string,
  key: string,
  typed: string,
  options: { readonly force?: boolean } = {},
): Promise<Edited> {
  const path = pathOf(file, key);
  if (keysAt(path).length === 0 && options.force !== true) throw notKnown(file, path);
  return rewrite(file, path, (source) => withTyped(source, path, typed));
}

/** Takes a key out, so that its default holds again. */
export async function unsetConfigValue(file: string, key: string): Promise<Edited> {
  const path = pathOf(file, key);
  return rewrite(file, path, (source) => withoutPath(source, path));
}

/** One of several changes; without a value the key is taken out. */
export type KeyChange = { readonly key: string; readonly typed?: string };

/** Makes all of these changes or none, in this order: after each the file must be right. False: it said so already. */
export const changeConfig = (file: string, changes: readonly KeyChange[]): Promise<boolean> =>
  editFile(file, (before) => {
    const after = changedConfig(file, before ?? "", changes);
    return before === undefined && after === "" ? undefined : after;
  });

/** What `changeConfig` would write. */
export const changedConfig = (file: string, text: string, changes: readonly KeyChange[]): string =>
  changes.reduce((before, { key, typed }) => {
    const path = pathOf(file, key);
    const source = parseSource(file, before);
    return typed === undefined ? withoutPath(source, path) : withTyped(source, path, typed);
  }, text);

function withTyped(source: Source, path: readonly string[], typed: string): string {
  // A model may be called `4`: what is refused as a number is tried as text.
  const results = [readValue(typed), typed].map((value) =>
    checkEdit(source, path, withValue(source, path, value)),
  );
  const accepted = results.find((result) => result.text !== undefined) ?? results[0];
  if (accepted?.text !== undefined) return accepted.text;
  throw configFault(accepted?.problems ?? [], "Nothing was written; correct the value or the file.");
}

function withoutPath(source: Source, path: readonly string[]): string {
  const { text, problems } = checkEdit(source, path, withoutKey(source, path));
  if (text !== undefined) return text;
  throw configFault(problems, "Nothing was written; change what still needs the key first.");
}

/** What holds for a key in this file and environment, before variables are put in: safe to print. */
export async function getConfigValue(
  file: string,
  key: string,
  env: Environment = {},
): Promise<{ readonly value?: Json; readonly from: Origin }> {
  const path = pathOf(file, key);
  const override = knownVariables.find((known) => "overrides" in known && known.overrides === keyText(path));
  const overriding = override && variable(env, override.name);
  if (overriding !== undefined) return { value: overriding, from: "environment" };
  const written = valueAt(parseSource(file, (await readTextFile(file)) ?? "").content, path);
  if (written !== undefined) return { value: written as Json, from: "file" };
  const keys = keysAt(path);
  if (keys.length === 0) throw notKnown(file, path);
  const fallback = keys.find((known) => known.key.split(".").length === path.length)?.default;
  return { ...(fallback === undefined ? {} : { value: fallback }), from: "default" };
}

function pathOf(file: string, key: string): readonly string[] {
  const path = parseKeyPath(key);
  if (path !== undefined) return path;
  const message = `expected a key such as model.default, got ${JSON.stringify(key)}`;
  throw configFault(
    [{ file, message }],
    'Put a name that has dots in it in quotes: mcp_servers."my.files".url',
  );
}

const notKnown = (file: string, path: readonly string[]): FaultError =>
  configFault([{ file, key: keyText(path), message: unknownKey(path) }], "Check the spelling of the key.");

async function rewrite(
  file: string,
  path: readonly string[],
  change: (source: Source) => string,
): Promise<Edited> {
  let warnings: readonly ConfigWarning[] = [];
  const changed = await editFile(file, (before) => {
    const after = change(parseSource(file, before ?? ""));
    warnings = warningsFor(path, parseSource(file, after));
    return before === undefined && after === "" ? undefined : after;
  });
  return { changed, warnings };
}

/** Its own, and those of the section around it. */
const warningsFor = (path: readonly string[], result: Source): readonly ConfigWarning[] => {
  const around = path.map((_, index) => keyText(path.slice(0, index + 1)));
  return ineffectiveKeys(result).filter(({ key }) => key !== undefined && around.includes(key));
};

/** What a person typed for a value: a YAML scalar or flow collection, or else the text as it is. */
export function readValue(typed: string): Json {
  const document = parseDocument(typed, { prettyErrors: false, logLevel: "error" });
  const node = document.contents;
  const isFlow = isCollection(node) && node.flow === true;
  const isWord = isScalar(node) && (isQuoted(node.type) || (node.type === "PLAIN" && !typed.includes("\n")));
  if (!(isFlow || isWord) || document.errors.length > 0 || document.warnings.length > 0) return typed;
  // What YAML would swallow (a comment, an anchor, a tag) was meant as text.
  const swallowed = [
    document.commentBefore,
    document.comment,
    node.commentBefore,
    node.comment,
    node.anchor,
    node.tag,
  ];
  if (swallowed.some((part) => part)) return typed;
  try {
    return node.toJS(document) as Json;
  } catch {
    return typed;
  }
}

const isQuoted = (type: string | null | undefined): boolean =>
  type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";

/**
 * Changes which tools are switched off, in the file as it is now: somebody else may have changed it since it was read.
 * Resolves with what it says then; rejects with a FaultError, and then it is untouched.
 */
export async function changeDisabledTools(
  file: string,
  change: (before: readonly string[]) => readonly string[],
): Promise<readonly string[]> {
  let after: readonly string[] = [];
  await editFile(file, (text) => {
    const before = namesIn(valueAt(parseSource(file, text ?? "").content, ["tools", "disabled"]));
    after = change(before);
    if (isDeepStrictEqual(after, before)) return text;
    const typed = after.length === 0 ? {} : { typed: JSON.stringify(after) };
    return changedConfig(file, text ?? "", [{ key: "tools.disabled", ...typed }]);
  });
  return after;
}

/** Anything but a list of names counts as none here; the check of the file reports it. */
const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
