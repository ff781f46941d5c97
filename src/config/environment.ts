import type { ConfigWarning } from "./findings.ts";
import type { Environment } from "./settings.ts";
import { closest } from "./suggestion.ts";

export type KnownVariable = {
  readonly name: string;
  readonly meaning: string;
  /** The key of config.yaml that it outranks. */
  readonly overrides?: string;
};

/** Every variable that changes what Talaria does. Keys of providers are not here: their names are settings. */
export const knownVariables = [
  { name: "TALARIA_HOME", meaning: "Folder with the settings and all state; ~/.talaria when unset." },
  { name: "TALARIA_PROFILE", meaning: "Profile to use when -p is not given." },
  {
    name: "TALARIA_PROVIDER",
    meaning: "Provider to use instead of model.provider.",
    overrides: "model.provider",
  },
  { name: "TALARIA_MODEL", meaning: "Model to use instead of model.default.", overrides: "model.default" },
  {
    name: "TALARIA_RUNTIME",
    meaning: "Who runs the turns, loop or codex, instead of model.openai_runtime.",
    overrides: "model.openai_runtime",
  },
] as const satisfies readonly KnownVariable[];

export type VariableName = (typeof knownVariables)[number]["name"];

/** A variable that is set to nothing counts as not set. */
export const variable = (env: Environment, name: VariableName): string | undefined =>
  env[name]?.trim() || undefined;

/** Near misses only: other programs may have variables that begin like ours. */
export function misspeltVariables(env: Environment): readonly ConfigWarning[] {
  const known = knownVariables.map(({ name }) => name as string);
  return Object.keys(env)
    .filter((name) => name.startsWith("TALARIA_") && !known.includes(name))
    .flatMap((name) => {
      const meant = closest(name.slice("TALARIA_".length), known.map(withoutPrefix));
      if (meant === undefined) return [];
      return [{ file: "environment", key: name, message: `has no effect; did you mean TALARIA_${meant}?` }];
    });
}

const withoutPrefix = (name: string): string => name.slice("TALARIA_".length);
