import { misspeltVariables } from "./environment.ts";
import { databaseUrl } from "./database.ts";
import type { ConfigWarning } from "./findings.ts";
import { findHome } from "./home.ts";
import type { Home } from "./home.ts";
import { defaults } from "./keys.ts";
import { liveKeys } from "./live-keys.ts";
import { chooseModel } from "./model-choice.ts";
import { providersOf } from "./providers.ts";
import type { FileSettings } from "./keys.ts";
import type { Config, Flags, HomeSources, ModelConfig, ProviderConfig } from "./settings.ts";
import type { Json } from "../core/json.ts";

export { findingText } from "./findings.ts";
export type { ConfigWarning } from "./findings.ts";
export { createProfile, listProfiles, prepareHome } from "./home.ts";
export type * from "./settings.ts";

export type Loaded = {
  /** Frozen at every depth. */
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
  /** Address of the PostgreSQL that has the store, with its password. Missing: the file in the home has it. */
  readonly database?: string;
  /** Values that must never be shown, for redaction. */
  readonly secrets: readonly string[];
  /** The key for a provider, from the environment or .env; `undefined` when it needs none or it is not set. */
  keyFor(provider: string): string | undefined;
  /** The key for a service that is no provider, by the name of its variable, from the environment or .env. */
  secret(name: string): string | undefined;
  /** Request headers of a provider; `${NAME}` in them is a variable from the environment or .env. */
  headersFor(provider: string): Readonly<Record<string, string>>;
  /**
   * Reads .env again, so that `keyFor`, `secret` and `headersFor` answer with what a person has corrected; all else stays.
   * Throws a FaultError `config` when it cannot be read.
   */
  reread(): Promise<void>;
  /** `hide` is told what must never be shown whenever .env is read again: a corrected key is one that nobody knows yet. */
  onSecret(hide: (secret: string) => void): void;
};

/**
 * Everything that is set, weakest first: defaults, config.yaml, .env (secrets only), environment, flags. Changes
 * nothing on disk. Throws a FaultError `config` that names the place of what is wrong.
 */
export async function loadConfig(sources: HomeSources & { readonly flags: Flags }): Promise<Loaded> {
  const place = await findHome(sources);
  const { secrets, file, ...keys } = await liveKeys(place.paths, sources.env);
  const providers = providersOf(file.settings.providers);
  const { model, warnings } = chooseModel({
    ...sources,
    written: file.settings.model,
    positionOf: (key) => file.keyPosition(["model", key]),
    providers,
  });
  const url = databaseUrl(file.settings.database, keys.secret);
  return {
    ...(url === undefined ? {} : { database: url }),
    config: deepFreeze(configOf(place, file.settings, model, providers)),
    warnings: [...misspeltVariables(sources.env), ...secrets.warnings, ...file.warnings, ...warnings],
    secrets: keys.hidden(),
    ...keys,
  };
}

function configOf(
  { profile, home, paths }: Home,
  file: FileSettings,
  model: ModelConfig,
  providers: Readonly<Record<string, ProviderConfig>>,
): Config {
  const { security_mode: securityMode, network } = { ...defaults.terminal, ...file.terminal };
  const approvals = { ...defaults.approvals, ...file.approvals };
  const { busy_input_mode: busyInput, bell, reasoning } = { ...defaults.display, ...file.display };
  const budget = file.turn?.budget;
  const { keep_days: keepDays, keep_mb: keepMb } = { ...defaults.events, ...file.events };
  const { mcp_servers, cron, kanban, goals, gateway } = file;
  return {
    profile,
    home,
    paths,
    model,
    providers,
    fallbacks: file.fallback_providers ?? [],
    auxiliary: file.auxiliary ?? {},
    terminal: { network, ...(securityMode === undefined ? {} : { securityMode }) },
    codex: { ...defaults.codex, ...file.codex },
    turn: budget === undefined ? {} : { budgetMs: budget * 1000 },
    compression: { ...defaults.compression, ...file.compression },
    budgets: { turn: {}, session: {}, day: {}, ...file.budgets },
    approvals: { mode: approvals.mode, timeoutMs: approvals.timeout_s * 1000, deny: approvals.deny },
    display: { busyInput, bell, reasoning },
    events: { keepMs: keepDays * 86_400_000, keepBytes: keepMb * 1_000_000 },
    ...toolSettings(file),
    ...learningSettings(file),
    sections: present({ mcp_servers, cron, kanban, goals, gateway }),
  };
}

function toolSettings(
  file: FileSettings,
): Pick<Config, "tools" | "web" | "browser" | "imageGen" | "tts" | "delegation"> {
  const web = { ...defaults.web, ...file.web };
  const {
    max_concurrent: maxConcurrent,
    max_seconds,
    budget,
    ...where
  } = { ...defaults.delegation, budget: {}, ...file.delegation };
  return {
    tools: { ...defaults.tools, ...file.tools },
    web: { search: web.search ?? {}, askUnknown: web.ask_unknown, allowPrivate: web.allow_private },
    browser: file.browser ?? {},
    imageGen: file.image_gen ?? {},
    tts: { ...defaults.tts, ...file.tts },
    delegation: { ...where, maxConcurrent, maxMs: max_seconds * 1000, budget },
  };
}

function learningSettings(file: FileSettings): Pick<Config, "memory" | "skills" | "learning" | "curator"> {
  const memory = { ...defaults.memory, ...file.memory };
  const skills = { ...defaults.skills, ...file.skills };
  const learning = { ...defaults.learning, ...file.learning };
  const curator = { ...defaults.curator, ...file.curator };
  const provider = file.memory?.provider;
  const key = provider?.key_env === undefined ? {} : { keyEnv: provider.key_env };
  return {
    memory: {
      enabled: memory.enabled,
      userProfile: memory.user_profile,
      charLimit: memory.char_limit,
      userCharLimit: memory.user_char_limit,
      nudgeInterval: memory.nudge_interval,
      ...(provider === undefined ? {} : { provider: { url: provider.url, ...key } }),
    },
    skills: {
      enabled: skills.enabled,
      nudgeInterval: skills.creation_nudge_interval,
      externalDirs: skills.external_dirs,
    },
    learning: {
      mode: learning.mode,
      reviewTokens: learning.review_tokens,
      dayTokens: learning.day_tokens,
      ...(file.learning?.review_usd === undefined ? {} : { reviewUsd: file.learning.review_usd }),
    },
    curator: {
      enabled: curator.enabled,
      intervalHours: curator.interval_hours,
      staleDays: curator.stale_days,
      archiveDays: curator.archive_days,
    },
  };
}

const present = (sections: Readonly<Record<string, unknown>>): Config["sections"] =>
  Object.fromEntries(Object.entries(sections).filter(([, value]) => value !== undefined)) as Record<
    string,
    Json
  >;

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
