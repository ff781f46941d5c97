import { checkSource } from "./checking.ts";
import { expand } from "./expansion.ts";
import type { Lookup } from "./expansion.ts";
import { ineffectiveKeys } from "./ineffective.ts";
import type { ConfigWarning, Place } from "./findings.ts";
import type { FileSettings } from "./keys.ts";
import { parseSource } from "./source.ts";

export type ReadSettings = {
  readonly settings: FileSettings;
  readonly warnings: readonly ConfigWarning[];
  readonly secrets: readonly string[];
  keyPlace(path: readonly string[]): Place;
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
    keyPlace: (path) => source.keyPlace(path),
  };
}
