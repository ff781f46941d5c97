import { variable } from "./environment.ts";
import { configFault } from "./findings.ts";
import type { ConfigWarning, Finding, SourcePosition } from "./findings.ts";
import { defaults } from "./keys.ts";
import { unknownProvider } from "./providers.ts";
import type { FileSettings } from "./keys.ts";
import type { Environment, Flags, ModelConfig, Origin, ProviderConfig } from "./settings.ts";

type ModelSources = {
  readonly flags: Flags;
  readonly env: Environment;
  readonly written: FileSettings["model"];
  /** Where a key of the section `model` stands in the file. */
  readonly positionOf: (key: "default" | "openai_runtime") => SourcePosition;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
};

type Choice<Value> = { readonly value: Value; readonly from: Origin };

/** Flag, else environment, else file, else default, for each of provider, model and runtime. */
export function chooseModel(sources: ModelSources): {
  readonly model: ModelConfig;
  readonly warnings: readonly ConfigWarning[];
} {
  const { flags, env, written = {} } = sources;
  const provider = pick(
    flags.provider,
    variable(env, "TALARIA_PROVIDER"),
    written.provider,
    defaults.model.provider,
  );
  const requested = pick(flags.model, variable(env, "TALARIA_MODEL"), written.default, undefined);
  const runtime = pick(
    flags.runtime,
    variable(env, "TALARIA_RUNTIME"),
    written.openai_runtime,
    defaults.model.openai_runtime,
  );
  checkProvider(provider, sources.providers);
  const name = modelFor(provider, requested);
  const wanted = runtimeChosen(runtime);
  // A default that cannot be used must not fail every turn, so it gives a warning; an explicit --runtime fails.
  const unusable = wanted === "codex" && runtime.from !== "flag" && isChatOnly(sources, provider.value);
  const model: ModelConfig = {
    provider: provider.value,
    ...(name.value === undefined ? {} : { name: name.value }),
    runtime: unusable ? "loop" : wanted,
    ...(unusable ? { unusableRuntime: "codex" } : {}),
    ...(written.codex_bin === undefined ? {} : { codexBin: written.codex_bin }),
    from: { provider: provider.from, name: name.from, runtime: runtime.from },
  };
  return {
    model,
    warnings: [
      ...demoWarning(provider, requested, sources.positionOf("default")),
      ...(unusable ? [chatWarning(provider.value, runtime, sources.positionOf("openai_runtime"))] : []),
    ],
  };
}

function pick<Fallback extends string | undefined>(
  flag: string | undefined,
  environment: string | undefined,
  file: string | undefined,
  fallback: Fallback,
): Choice<string | Fallback> {
  if (flag) return { value: flag, from: "flag" };
  if (environment !== undefined) return { value: environment, from: "environment" };
  if (file !== undefined) return { value: file, from: "file" };
  return { value: fallback, from: "default" };
}

/** For names from a flag or a variable; one in the file was checked when it was read. */
function checkProvider({ value, from }: Choice<string>, providers: ModelSources["providers"]): void {
  if (Object.hasOwn(providers, value)) return;
  const place: Finding = {
    file: from === "flag" ? "--provider" : "TALARIA_PROVIDER",
    message: unknownProvider(value, Object.keys(providers)),
  };
  throw configFault([place], "Choose one of those, or define it under `providers` in config.yaml.");
}

/** The demo is its own model, unless somebody named one together with it: a model in the file is not for a `--provider demo`. */
function modelFor(
  provider: Choice<string>,
  requested: Choice<string | undefined>,
): Choice<string | undefined> {
  if (provider.value !== "demo") return requested;
  if (
    requested.value !== undefined &&
    strength[requested.from] >= strength[provider.from] &&
    provider.from !== "default"
  ) {
    return requested;
  }
  return { value: "demo", from: "default" };
}

const strength: Readonly<Record<Origin, number>> = { default: 0, file: 1, environment: 2, flag: 3 };

const runtimes: ReadonlyMap<string, ModelConfig["runtime"]> = new Map([
  ["auto", "loop"],
  ["loop", "loop"],
  ["codex_app_server", "codex"],
  ["codex", "codex"],
]);

/** By its name in the settings file, or its own, in any case. */
export const runtimeOf = (name: string): ModelConfig["runtime"] | undefined =>
  runtimes.get(name.toLowerCase());

function runtimeChosen({ value, from }: Choice<string>): ModelConfig["runtime"] {
  const runtime = runtimeOf(value);
  if (runtime !== undefined) return runtime;
  const file = from === "flag" ? "--runtime" : "TALARIA_RUNTIME";
  const message = `expected loop or codex, got ${JSON.stringify(value)}`;
  throw configFault([{ file, message }], "Choose one of those, or leave it out to use model.openai_runtime.");
}

function isChatOnly({ providers }: ModelSources, name: string): boolean {
  const provider = providers[name];
  return provider?.kind === "route" && provider.protocol === "chat" && !provider.codexLogin;
}

const chatWarning = (provider: string, { from }: Choice<string>, written: SourcePosition): ConfigWarning => ({
  ...(from === "environment" ? { file: "TALARIA_RUNTIME" } : written),
  key: "model.openai_runtime",
  message: `codex cannot be used, because the provider ${provider} speaks only chat; turns run on the loop. \`talaria codex-runtime off\` settles it`,
});

/** A model without a provider would be answered by the demo, which is hardly what was meant. */
function demoWarning(
  provider: Choice<string>,
  requested: Choice<string | undefined>,
  written: SourcePosition,
): readonly ConfigWarning[] {
  if (provider.from !== "default" || requested.value === undefined || requested.value === "demo") return [];
  const positions: Partial<Record<Origin, SourcePosition>> = {
    flag: { file: "--model" },
    environment: { file: "TALARIA_MODEL" },
  };
  return [
    {
      ...(positions[requested.from] ?? written),
      key: "model.default",
      message:
        "has no effect, because no provider is chosen and the built-in demo answers; set model.provider",
    },
  ];
}
