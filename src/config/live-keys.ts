import { statSync } from "node:fs";
import { secretsInUrl } from "./database.ts";
import { looseMode, readTextFile } from "./files.ts";
import { botVariables, gatewaySettings } from "./gateway/settings.ts";
import type { Home } from "./home.ts";
import { providersOf } from "./providers.ts";
import type { ReadSettings } from "./reader.ts";
import { type Secrets, readSecrets } from "./dotenv.ts";
import type { Environment, ProviderConfig } from "./settings.ts";

/** Variables with keys that are looked for without being named in config.yaml. */
const toolKeys = ["BRAVE_API_KEY", "FIRECRAWL_API_KEY"] as const;

export type LiveKeys = {
  keyFor(provider: string): string | undefined;
  secret(name: string): string | undefined;
  headersFor(provider: string): Readonly<Record<string, string>>;
  /** What must never be shown. */
  hidden(): readonly string[];
  onSecret(hide: (secret: string) => void): void;
  reread(): Promise<void>;
  /** Names of the variables from which keys and parts of the settings are taken. */
  variables(providers: readonly string[]): readonly string[];
};

/** config.yaml as it is now, and the keys as they are whenever somebody asks. */
export async function liveKeys(
  paths: Home["paths"],
  env: Environment,
): Promise<LiveKeys & { readonly secrets: Secrets; readonly file: ReadSettings }> {
  const text = await readTextFile(paths.config);
  let known = stampOf(paths.env);
  const first = await readBoth(paths, env, text);
  let now = first;
  let hide: ((secret: string) => void) | undefined;
  const keyFor: LiveKeys["keyFor"] = (provider) => {
    const { keyEnv } = routeOf(now.providers, provider) ?? {};
    return keyEnv === undefined ? undefined : secret(keyEnv);
  };
  const secret: LiveKeys["secret"] = (name) => now.secrets.lookup(name)?.trim() || undefined;
  const hidden = (): readonly string[] => {
    const keys = [...Object.keys(now.providers).map(keyFor), ...toolKeys.map(secret)];
    const { url, url_env: name } = now.file.settings.database ?? {};
    const database = [url, name === undefined ? undefined : secret(name)].flatMap(secretsInUrl);
    const { keys: own = {}, webhooks = {} } = now.file.settings.http ?? {};
    const doors = [
      ...Object.values(own).map(({ key_env: key }) => secret(key)),
      ...Object.values(webhooks).map(({ secret_env: key }) => secret(key)),
    ];
    const bots = [...botVariables(gatewaySettings(now.file.settings)).values()].flat().map(secret);
    return worthHiding([
      ...now.secrets.values,
      ...now.file.secrets,
      ...[...keys, ...doors, ...bots].map((key) => key ?? ""),
      ...database,
    ]);
  };
  return {
    secrets: first.secrets,
    file: first.file,
    keyFor,
    secret,
    headersFor: (provider) => routeOf(now.providers, provider)?.headers ?? {},
    hidden,
    onSecret: (listener) => void (hide = listener),
    variables: (wanted) => [
      ...new Set([
        ...wanted.flatMap((name) => routeOf(now.providers, name)?.keyEnv ?? []),
        ...toolKeys,
        ...now.used.keys(),
        ...[now.file.settings.database?.url_env ?? []].flat(),
      ]),
    ],
    async reread() {
      const stamp = stampOf(paths.env);
      if (stamp === known) return;
      const secrets = await readSecrets(paths.env, env);
      const isSame = [...now.used].every(([name, value]) => secrets.lookup(name) === value);
      now = isSame ? { ...now, secrets } : await readBoth(paths, env, text, secrets);
      known = stamp;
      for (const value of hidden()) hide?.(value);
    },
  };
}

/** Another one after every change of the file, so that a turn need not read it when there is none. */
function stampOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.mode}`;
  } catch {
    return ""; // reading it will say what is in the way
  }
}

type Read = {
  readonly secrets: Secrets;
  readonly file: ReadSettings;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** The variables that config.yaml mentions, as they were. */
  readonly used: ReadonlyMap<string, string | undefined>;
};

async function readBoth(
  paths: Home["paths"],
  env: Environment,
  text: string | undefined,
  known?: Secrets,
): Promise<Read> {
  const secrets = known ?? (await readSecrets(paths.env, env));
  const used = new Map<string, string | undefined>();
  const file = await parsedFile(paths.config, text, (name) => {
    used.set(name, secrets.lookup(name));
    return used.get(name);
  });
  return { secrets, file, providers: providersOf(file.settings.providers), used };
}

async function parsedFile(
  file: string,
  text: string | undefined,
  lookup: Secrets["lookup"],
): Promise<ReadSettings> {
  const loose = text === undefined ? [] : await looseMode(file, "settings");
  if (text === undefined || !hasContent(text)) {
    return { settings: {}, warnings: loose, secrets: [], keyPosition: () => ({ file }) };
  }
  const { readSettings } = await import("./reader.ts");
  const read = readSettings(file, text, lookup);
  return { ...read, warnings: [...loose, ...read.warnings] };
}

/** Comments alone are not worth loading a parser for. */
const hasContent = (text: string): boolean => /^\uFEFF?[^\S\n]*[^\s#]/m.test(text);

function routeOf(
  providers: Readonly<Record<string, ProviderConfig>>,
  name: string,
): Extract<ProviderConfig, { kind: "route" }> | undefined {
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  return provider?.kind === "route" ? provider : undefined;
}

/** Very short values are no secrets, and hiding them would blank out ordinary words. */
const worthHiding = (values: readonly string[]): readonly string[] => [
  ...new Set(values.filter((value) => value.length >= 6)),
];
