import type { UnusedKey } from "../core/maintenance.ts";
import type { ProviderConfig, RouteConfig } from "./settings.ts";
import { type FileSettings, settings } from "./keys.ts";

const { keys: unset } = settings.providers;

/** Ready without a line of settings. The file may change those that are routes. No prices: they change too often. */
export const builtInProviders: Readonly<Record<string, ProviderConfig>> = {
  demo: { kind: "demo", name: "demo" },
  openai: {
    ...route("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    protocol: "responses",
    codexLogin: true,
  },
  openrouter: route("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  groq: route("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  mistral: route("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
  deepseek: route("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
  xai: route("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
  // Servers on this machine, where they listen unless told otherwise.
  ollama: route("ollama", "http://127.0.0.1:11434/v1"),
  lmstudio: route("lmstudio", "http://127.0.0.1:1234/v1"),
  vllm: route("vllm", "http://127.0.0.1:8000/v1"),
  llamacpp: route("llamacpp", "http://127.0.0.1:8080/v1"),
  "openai-codex": { kind: "codex", name: "openai-codex" },
};

const providersToAdd: readonly UnusedKey[] = [
  {
    provider: "anthropic",
    company: "Anthropic",
    variable: "ANTHROPIC_API_KEY",
    api: "https://api.anthropic.com/v1",
  },
];

/** Whose key is set although no provider of the settings uses it. */
export const unusedKeysIn = (
  env: Readonly<Record<string, string | undefined>>,
  providers: Readonly<Record<string, ProviderConfig>>,
): readonly UnusedKey[] =>
  providersToAdd.filter(
    ({ variable }) =>
      env[variable]?.trim() &&
      !Object.values(providers).some((known) => known.kind === "route" && known.keyEnv === variable),
  );

function route(name: string, api: string, keyEnv?: string): RouteConfig {
  return {
    kind: "route",
    name,
    api,
    protocol: unset.protocol.default,
    ...(keyEnv === undefined ? {} : { keyEnv }),
    headers: unset.headers.default,
    models: unset.models.default,
    prices: {},
    codexLogin: false,
  };
}

type Written = NonNullable<FileSettings["providers"]>;

/** The built-in providers with what the file says laid over them. */
export function providersOf(written: Written = {}): Readonly<Record<string, ProviderConfig>> {
  const routes = Object.entries(written).map(([name, entry]) => [name, routeOf(name, entry)] as const);
  return { ...builtInProviders, ...Object.fromEntries(routes) };
}

function routeOf(name: string, entry: Written[string]): RouteConfig {
  const base = builtInProvider(name);
  const builtIn = base?.kind === "route" ? base : undefined;
  const keyEnv = entry.key_env ?? builtIn?.keyEnv;
  return {
    kind: "route",
    name,
    api: (entry.api ?? builtIn?.api ?? "").replace(/\/+$/, ""),
    protocol: entry.protocol ?? builtIn?.protocol ?? unset.protocol.default,
    ...(keyEnv === undefined ? {} : { keyEnv }),
    headers: entry.headers ?? unset.headers.default,
    models: entry.models ?? unset.models.default,
    ...(entry.context_window === undefined ? {} : { contextWindow: entry.context_window }),
    prices: pricesOf(entry.prices),
    // Somebody else's address is not what codex's login is for.
    codexLogin: (builtIn?.codexLogin ?? false) && entry.api === undefined,
  };
}

/** Without a price of its own, cached input costs as much as other input: an estimate too high is better than one too low. */
const pricesOf = (written: Written[string]["prices"] = {}): RouteConfig["prices"] =>
  Object.fromEntries(
    Object.entries(written).map(([model, { input, cached = input, output }]) => [
      model,
      { input, cached, output },
    ]),
  );

/** What the settings say that a model costs. */
export function priceIn(
  providers: Readonly<Record<string, ProviderConfig>>,
  provider: string,
  model: string,
): RouteConfig["prices"][string] | undefined {
  const found = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (found?.kind !== "route") return undefined;
  return Object.hasOwn(found.prices, model) ? found.prices[model] : undefined;
}

/** By own name only: `constructor` is no provider. */
export const builtInProvider = (name: string): ProviderConfig | undefined =>
  Object.hasOwn(builtInProviders, name) ? builtInProviders[name] : undefined;

/** What to say about a name that stands for no provider, wherever it was written. */
export const unknownProvider = (name: string, known: readonly string[]): string =>
  `expected one of ${known.join(", ")} or a name defined under providers, got ${JSON.stringify(name)}`;
