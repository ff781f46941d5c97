import type { Loaded } from "../../config/config.ts";
import type { Home } from "../../config/home.ts";
import type { Fault } from "../../core/faults.ts";
import type { LiveBot } from "../../core/gateway/gateway.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CodexBinary } from "../../runtimes/codex/process/binary.ts";
import { type StorePlace, storeHealthAt } from "../../store/open.ts";
import type { Health } from "../../store/sqlite/health.ts";
import type { Owner, Store } from "../../store/store.ts";
import { type CodexLogin, codexLogin } from "../codex-login.ts";
import type { HostParts } from "../host-parts.ts";

/** What checks look at. The rest of it is there once the settings could be read. */
export type Facts = {
  readonly location: Pick<Home, "home" | "paths">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  isGone(owner: Owner): boolean;
  readonly place: StorePlace;
  /** Looked at once. */
  health(): Promise<Health>;
  /** `undefined`: it is not there, or not fit to be opened. */
  store(): Promise<Store | undefined>;
  /** What the host that runs says of its bots; `undefined`: it could not be asked. */
  bots(): Promise<readonly LiveBot[] | undefined>;
  readonly settings: ReadableSettings | { readonly fault: Fault };
};

export type ReadableSettings = Omit<HostParts, "findCodex"> & {
  readonly loaded: Loaded;
  /** Asked once. */
  codex(): Promise<CodexBinary | Fault>;
  /** `undefined`: there is no codex that could be asked. */
  login(): Promise<CodexLogin | undefined>;
};

export type CheckSources = Pick<Facts, "location" | "env" | "clock" | "isGone" | "bots"> & {
  /** `undefined`: opening it would change it, or there is none. */
  openStore(place: StorePlace, health: Health): Promise<Store | undefined>;
  readonly settings: (HostParts & { readonly loaded: Loaded }) | { readonly fault: Fault };
};

const healthMs = 10_000;

/** Each is found out when the first check wants it, and then known to all. */
export function gather(sources: CheckSources, signal: AbortSignal): Facts {
  const { location, env, clock, settings } = sources;
  const url = "fault" in settings ? undefined : settings.loaded.database;
  const place = { file: location.paths.db, url };
  const health = once(() => storeHealthAt(place, { clock, signal, limitMs: healthMs }));
  const bots = once(() => sources.bots().catch(() => undefined));
  const store = once(async () => sources.openStore(place, await health()));
  if ("fault" in settings) return { ...sources, settings, place, health, store, bots };
  const { config } = settings.loaded;
  const codex = once(() => settings.findCodex(signal));
  const login = once(async () => {
    const found = await codex();
    return "code" in found ? undefined : codexLogin(found.path, config, env, { clock, signal });
  });
  return { ...sources, place, health, store, bots, settings: { ...settings, codex, login } };
}

function once<Value>(find: () => Promise<Value>): () => Promise<Value> {
  let found: Promise<Value> | undefined;
  return () => (found ??= find());
}

/** Does a turn with these settings need codex? */
export const needsCodex = ({ config }: Loaded): boolean =>
  config.model.runtime === "codex" || config.providers[config.model.provider]?.kind === "codex";

/** Does it need codex's own login, and with it the settings of codex? */
export function usesCodexHome(loaded: Loaded): boolean {
  const { providers, model } = loaded.config;
  return needsCodex(loaded) && providers[model.provider]?.kind !== "demo";
}

export function needsLogin(loaded: Loaded): boolean {
  const { providers, model } = loaded.config;
  const provider = providers[model.provider];
  const own = provider?.kind === "codex" || (provider?.kind === "route" && provider.codexLogin);
  return own && needsCodex(loaded);
}
