import type { Finding } from "./findings.ts";
import { configFault } from "./findings.ts";
import { keyText } from "./key-path.ts";
import { builtInProvider, providersOf, unknownProvider } from "./providers.ts";
import type { FileSettings } from "./keys.ts";
import { checkShape } from "./schema.ts";
import { valueAt } from "./source.ts";
import type { Path, Source } from "./source.ts";
import { kindOf } from "./syntax-error.ts";

/** The settings of a file whose every section is as it should be; throws the config fault that lists what is not. */
export function checkSource(source: Source): FileSettings {
  const { settings, problems } = findProblems(source);
  if (settings !== undefined && problems.length === 0) return settings;
  throw configFault(problems, `Correct it in ${source.file}, or remove the key to get its default.`);
}

export function findProblems(source: Source): {
  readonly settings?: FileSettings;
  readonly problems: readonly Finding[];
} {
  const parsed = checkShape(source.content);
  if (!parsed.success) return { problems: parsed.error.issues.map((issue) => shapeProblem(source, issue)) };
  return { settings: parsed.data, problems: meaningProblems(source, parsed.data) };
}

type Issue = NonNullable<ReturnType<typeof checkShape>["error"]>["issues"][number];

function shapeProblem(source: Source, issue: Issue): Finding {
  const key = keyText(issue.path);
  if (issue.code === "invalid_key") {
    const expected = issue.issues[0]?.message ?? issue.message;
    return { ...source.keyPosition(issue.path), key, message: `expected ${expected} as the name` };
  }
  const value = valueAt(source.content, issue.path);
  // Only where a word from a list is due is the word itself shown: anything else may be a pasted secret.
  const isWord = issue.code === "invalid_value" && typeof value === "string" && value.length <= 40;
  const got = isWord ? JSON.stringify(value) : kindOf(value);
  return { ...source.valuePosition(issue.path), key, message: `expected ${issue.message}, got ${got}` };
}

/** What each value alone cannot show. */
function meaningProblems(source: Source, settings: FileSettings): readonly Finding[] {
  return [...providerProblems(source, settings), ...nameProblems(source, settings)];
}

function providerProblems(source: Source, settings: FileSettings): readonly Finding[] {
  return Object.entries(settings.providers ?? {}).flatMap(([name, entry]) => {
    const path = ["providers", name];
    const builtIn = builtInProvider(name);
    const at = { ...source.keyPosition(path), key: keyText(path) };
    if (builtIn !== undefined && builtIn.kind !== "route") {
      return [
        { ...at, message: "expected another name, because this provider is built in and has no settings" },
      ];
    }
    if (builtIn !== undefined || entry.api !== undefined) return [];
    return [{ ...at, message: "expected `api`, the address of the service, got none" }];
  });
}

function nameProblems(source: Source, settings: FileSettings): readonly Finding[] {
  const known = Object.keys(providersOf(settings.providers));
  const named: readonly (readonly [Path, string | undefined])[] = [
    [["model", "provider"], settings.model?.provider],
    ...(settings.fallback_providers ?? []).map(
      ({ provider }, index) => [["fallback_providers", index, "provider"], provider] as const,
    ),
    ...Object.entries(settings.auxiliary ?? {}).map(
      ([task, { provider }]) =>
        [["auxiliary", task, "provider"], provider === "auto" ? undefined : provider] as const,
    ),
  ];
  return named.flatMap(([path, name]) => {
    if (name === undefined || known.includes(name)) return [];
    return [{ ...source.valuePosition(path), key: keyText(path), message: unknownProvider(name, known) }];
  });
}
