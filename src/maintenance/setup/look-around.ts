import { unusedKeysIn } from "../../config/providers.ts";
import type { HomeSources, Loaded, RouteConfig } from "../../config/config.ts";
import type { SetupFindings, FoundCodex } from "../../core/maintenance.ts";
import type { Clock } from "../../lib/clock.ts";
import { listModels } from "../../models/model-list.ts";
import { sandboxStep } from "../doctor/check-safety.ts";
import { codexLogin, usesOpenAi } from "../codex-login.ts";
import type { HostParts } from "../host-parts.ts";

type LookAroundSources = HomeSources & {
  readonly loaded: Loaded;
  readonly parts: Pick<HostParts, "sandbox" | "findCodex">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** What there is that could answer. Asks nobody outside this machine. */
export async function lookAround(sources: LookAroundSources): Promise<SetupFindings> {
  const [codex, servers, sandbox] = await Promise.all([
    lookForCodex(sources),
    lookForServers(sources),
    sources.parts.sandbox(),
  ]);
  const { confined, text } = sandbox;
  const next = confined ? {} : { next: sandboxStep(text) };
  const unusedKeys = unusedKeysIn(sources.env, sources.loaded.config.providers);
  return {
    codex,
    keys: keysIn(sources.loaded),
    unusedKeys,
    servers,
    sandbox: { confined, text, ...next },
  };
}

async function lookForCodex({ loaded, parts, env, clock, signal }: LookAroundSources): Promise<FoundCodex> {
  const found = await parts.findCodex(signal);
  if ("code" in found) return { state: "unusable", why: found.message, next: found.next };
  const { version, path } = found;
  const login = await codexLogin(path, loaded.config, env, { clock, signal });
  if (login.state === "settings")
    return {
      state: "unusable",
      why: `codex ${version} cannot read its own settings: ${login.message}`,
      next: `Correct config.toml in ${login.home}.`,
    };
  const isIn = login.state === "in" || !usesOpenAi(login);
  return { state: isIn ? "ready" : "logged_out", version, path, login: login.message };
}

const keysIn = ({ config, keyFor }: Loaded): SetupFindings["keys"] =>
  Object.values(config.providers).flatMap((provider) =>
    provider.kind === "route" && provider.keyEnv !== undefined && keyFor(provider.name) !== undefined
      ? [{ provider: provider.name, variable: provider.keyEnv }]
      : [],
  );

/** A server on this machine answers at once, or there is none. */
const limitMs = 800;

async function lookForServers({
  loaded,
  clock,
  signal,
}: LookAroundSources): Promise<SetupFindings["servers"]> {
  const local = Object.values(loaded.config.providers).filter((one) => one.kind === "route" && isLocal(one));
  const found = await Promise.all(
    (local as readonly RouteConfig[]).map(async ({ name, api, protocol, headers }) => {
      const key = loaded.keyFor(name);
      const route = { name, protocol, url: api, headers, model: "", ...(key === undefined ? {} : { key }) };
      const answer = await listModels(route, { clock, signal, limitMs });
      // Anything may listen there; who has a list of models is a model server.
      return "listed" in answer && answer.listed ? [{ provider: name, api, models: answer.models }] : [];
    }),
  );
  return found.flat();
}

function isLocal({ api }: RouteConfig): boolean {
  const host = URL.parse(api)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
