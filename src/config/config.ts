import { decidingVariables, misspeltVariables } from "./environment.ts";
import { databaseUrl } from "./database.ts";
import type { ConfigWarning } from "./findings.ts";
import { findHome } from "./home.ts";
import type { Home } from "./home.ts";
import { checkGateway } from "./gateway/check.ts";
import { gatewaySettings } from "./gateway/settings.ts";
import { httpWarnings } from "./http/check.ts";
import { httpSettings } from "./http/settings.ts";
import { defaults } from "./keys.ts";
import { liveKeys } from "./live-keys.ts";
import { workSettings as workKeys } from "./work/keys.ts";
import { chooseModel } from "./model-choice.ts";
import { providersOf } from "./providers.ts";
import type { FileSettings } from "./keys.ts";
import type { Config, Flags, HomeSources, ModelConfig, ProviderConfig } from "./settings.ts";
import type { Json } from "../core/json.ts";
import { ownTimeZone } from "../lib/time-zone.ts";

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
  /** Names of the variables in the environment that decide what Talaria does and with whose keys. */
  readonly variables: readonly string[];
};

/**
 * Everything that is set, weakest first: defaults, config.yaml, .env (secrets only), environment, flags. Changes
 * nothing on disk. Throws a FaultError `config` that names the place of what is wrong.
 */
export async function loadConfig(sources: HomeSources & { readonly flags: Flags }): Promise<Loaded> {
  const place = await findHome(sources);
  const { secrets, file, variables, ...keys } = await liveKeys(place.paths, sources.env);
  const providers = providersOf(file.settings.providers);
  const { model, warnings } = chooseModel({
    ...sources,
    written: file.settings.model,
    positionOf: (key) => file.keyPosition(["model", key]),
    providers,
  });
  checkGateway(file.settings, file.keyPosition);
  const url = databaseUrl(file.settings.database, keys.secret);
  const config = deepFreeze(configOf(place, file.settings, model, providers));
  return {
    ...(url === undefined ? {} : { database: url }),
    config,
    variables: [...decidingVariables, ...variables(usedProviders(config))],
    warnings: [
      ...misspeltVariables(sources.env),
      ...secrets.warnings,
      ...file.warnings,
      ...warnings,
      ...httpWarnings(file.settings, { positionOf: file.keyPosition, secret: keys.secret }),
    ],
    secrets: keys.hidden(),
    ...keys,
  };
}

/** Providers that a turn or what belongs to it may be sent to. */
const usedProviders = ({ model, fallbacks, auxiliary }: Config): readonly string[] => [
  model.provider,
  ...fallbacks.map(({ provider }) => provider),
  ...Object.values(auxiliary).flatMap(({ provider }) => provider ?? []),
];

function configOf(
  { profile, home, paths }: Home,
  file: FileSettings,
  model: ModelConfig,
  providers: Readonly<Record<string, ProviderConfig>>,
): Config {
  const { security_mode: securityMode, ...terminal } = { ...defaults.terminal, ...file.terminal };
  const approvals = { ...defaults.approvals, ...file.approvals };
  const { busy_input_mode: busyInput, bell, reasoning } = { ...defaults.display, ...file.display };
  const budget = file.turn?.budget;
  const { keep_days: keepDays, keep_mb: keepMb } = { ...defaults.events, ...file.events };
  const { mcp_servers, kanban } = file;
  return {
    profile,
    home,
    paths,
    model,
    providers,
    fallbacks: file.fallback_providers ?? [],
    auxiliary: file.auxiliary ?? {},
    terminal: { ...terminal, ...(securityMode === undefined ? {} : { securityMode }) },
    codex: { ...defaults.codex, ...file.codex },
    turn: budget === undefined ? {} : { budgetMs: budget * 1000 },
    compression: { ...defaults.compression, ...file.compression },
    budgets: { turn: {}, session: {}, day: {}, ...file.budgets },
    approvals: { mode: approvals.mode, timeoutMs: approvals.timeout_s * 1000, deny: approvals.deny },
    display: { busyInput, bell, reasoning },
    events: { keepMs: keepDays * 86_400_000, keepBytes: keepMb * 1_000_000 },
    ...toolSettings(file),
    ...learningSettings(file),
    work: workSettings(file),
    goals: goalSettings(file),
    http: httpSettings(file),
    gateway: gatewaySettings(file),
    sections: present({ mcp_servers, kanban }),
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

function workSettings(file: FileSettings): Config["work"] {
  const { zone, max_concurrent, max_seconds, pause_after, budget, cards } = {
    ...defaults.work,
    ...file.work,
  };
  const { day, job = {}, origins = {}, ...run } = { tokens: byDefault.tokens.default, ...budget };
  const { turns, tokens } = byDefault.day.keys;
  let own: string | undefined;
  return {
    // Asked for when it is needed, and once: a twelfth of a start goes into finding it out.
    get zone() {
      return zone ?? (own ??= ownTimeZone());
    },
    maxConcurrent: max_concurrent,
    workers: cards?.workers ?? workKeys.work.keys.cards.keys.workers.default,
    handsOutCards: cards?.hand_out ?? workKeys.work.keys.cards.keys.hand_out.default,
    maxMs: max_seconds * 1000,
    pauseAfter: pause_after,
    run,
    budget: { day: { turns: turns.default, tokens: tokens.default, ...day }, job, origins },
  };
}

const byDefault = workKeys.work.keys.budget.keys;

function goalSettings({ goals = {} }: FileSettings): Config["goals"] {
  const { max_turns: turns, max_usd: usd, max_tokens: tokens } = { ...defaults.goals, ...goals };
  return { turns, usd, tokens };
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
  for (const inner of Object.values(Object.getOwnPropertyDescriptors(value))) deepFreeze(inner.value);
  return Object.freeze(value);
}
