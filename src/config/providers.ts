import type { ProviderConfig, RouteConfig } from "./settings.ts";
import type { FileSettings } from "./schema.ts";

/** Ready without a line of settings. The file may change those that are routes. */
export const builtInProviders = {
  demo: { kind: "demo", name: "demo" },
  openai: {
    kind: "route",
    name: "openai",
    api: "https://api.openai.com/v1",
    protocol: "responses",
    keyEnv: "OPENAI_API_KEY",
    headers: {},
    models: [],
    codexLogin: true,
  },
  openrouter: {
    kind: "route",
    name: "openrouter",
    api: "https://openrouter.ai/api/v1",
    protocol: "chat",
    keyEnv: "OPENROUTER_API_KEY",
    headers: {},
    models: [],
    codexLogin: false,
  },
  "openai-codex": { kind: "codex", name: "openai-codex" },
} as const satisfies Readonly<Record<string, ProviderConfig>>;

type Written = NonNullable<FileSettings["providers"]>;

/** The built-in providers with what the file says laid over them. */
export function providersOf(written: Written = {}): Readonly<Record<string, ProviderConfig>> {
  const routes = Object.entries(written).map(([name, entry]) => [name, routeOf(name, entry)] as const);
  return { ...builtInProviders, ...Object.fromEntries(routes) };
}

function routeOf(name: string, entry: Written[string]): RouteConfig {
  const base = builtInProvider(name);
  const route = base?.kind === "route" ? base : undefined;
  const keyEnv = entry.key_env ?? route?.keyEnv;
  return {
    kind: "route",
    name,
    api: (entry.api ?? route?.api ?? "").replace(/\/+$/, ""),
    protocol: entry.protocol ?? route?.protocol ?? "chat",
    ...(keyEnv === undefined ? {} : { keyEnv }),
    headers: entry.headers ?? {},
    models: entry.models ?? [],
    ...(entry.context_window === undefined ? {} : { contextWindow: entry.context_window }),
    // Somebody else's address is not what codex's login is for.
    codexLogin: (route?.codexLogin ?? false) && entry.api === undefined,
  };
}

/** By own name only: `constructor` is no provider. */
export const builtInProvider = (name: string): ProviderConfig | undefined =>
  (Object.entries(builtInProviders) as [string, ProviderConfig][]).find(([known]) => known === name)?.[1];

/** What to say about a name that stands for no provider, wherever it was written. */
export const unknownProvider = (name: string, known: readonly string[]): string =>
  `expected one of ${known.join(", ")} or a name defined under providers, got ${JSON.stringify(name)}`;
