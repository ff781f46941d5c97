import { unnamedModel } from "../../core/host.ts";
import { type Fault, FaultError } from "../../core/faults.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Loaded, ProviderConfig } from "../../config/config.ts";
import type { Route } from "../../models/model.ts";

/** Where the models of the settings are. Opens the built-in model when it is first asked for. */
export interface Routes extends AsyncDisposable {
  /** The model that answers when nobody names one. */
  readonly model: string;
  /** The route of the chosen provider, or why there is none. */
  find(model: string | undefined): Promise<Route | Fault>;
  /** The same for any provider of the settings. */
  at(provider: string, model: string | undefined): Promise<Route | Fault>;
  /** The route of the chosen provider, then those of `fallback_providers`, each of them or why there is none. */
  all(model: string | undefined): Promise<readonly [Route | Fault, ...(Route | Fault)[]]>;
}

export function routes(loaded: Loaded, clock: Clock): Routes {
  const { config, keyFor, headersFor } = loaded;
  const main = config.model.provider;
  const model = config.model.name ?? defaultModel(config.providers[main]);
  let demo: Promise<{ readonly url: string } & AsyncDisposable> | undefined;

  const at: Routes["at"] = async (name, chosen) => {
    const provider = config.providers[name];
    if (provider === undefined || provider.kind === "codex") return onlyOnCodex(name);
    const known = chosen ?? (name === main ? config.model.name : undefined);
    const asked = known ?? defaultModel(provider);
    if (provider.kind === "demo") {
      demo ??= import("../../models/demo/server.ts").then(({ startDemoModel }) => startDemoModel({ clock }));
      const { url } = await demo;
      return { name: "demo", protocol: "responses", url, headers: {}, model: asked };
    }
    const { api, protocol, keyEnv, contextWindow } = provider;
    const unread = await corrected(loaded);
    if (unread !== undefined) return unread;
    const key = keyFor(provider.name);
    if (keyEnv !== undefined && key === undefined) return noKey(provider.name, keyEnv, config.paths.env);
    if (known === undefined && provider.models.length === 0) return noModel(provider.name);
    return {
      name: provider.name,
      protocol,
      url: api,
      headers: headersFor(provider.name),
      model: asked,
      ...(key === undefined ? {} : { key }),
      ...(keyEnv === undefined ? {} : { keyName: keyEnv }),
      ...(contextWindow === undefined ? {} : { contextWindow }),
    };
  };

  return {
    model,
    find: (chosen) => at(main, chosen),
    at,
    async all(chosen) {
      const others = config.fallbacks.map((each) => at(each.provider, each.model));
      return [await at(main, chosen), ...(await Promise.all(others))];
    },
    async [Symbol.asyncDispose]() {
      await (await demo)?.[Symbol.asyncDispose]();
    },
  };
}

/** A fault tells people to correct a key and try again, so every turn looks at them anew. */
async function corrected({ reread }: Loaded): Promise<Fault | undefined> {
  try {
    await reread();
    return undefined;
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
}

/** For display, and for the provider that has only one. */
function defaultModel(provider: ProviderConfig | undefined): string {
  if (provider?.kind === "demo") return "demo";
  return (provider?.kind === "route" ? provider.models[0] : undefined) ?? unnamedModel;
}

const noKey = (provider: string, variable: string, envFile: string): Fault => ({
  code: "auth",
  message: `The provider ${provider} needs a key, and ${variable} is not set.`,
  next: `Put ${variable}=… into ${envFile} or into the environment.`,
});

export const noModel = (provider: string): Fault => ({
  code: "config",
  message: `No model is chosen for the provider ${provider}.`,
  next: "Choose one: talaria config set model.default NAME, or --model NAME for one session.",
});

const onlyOnCodex = (provider: string): Fault => ({
  code: "config",
  message: `The provider ${provider} uses codex's own login, so it works on the codex runtime only.`,
  next: "Run the turn there (--runtime codex), or choose another provider: talaria config set model.provider NAME.",
});
