import type { Fault } from "../core/faults.ts";
import type { Clock } from "../lib/clock.ts";
import type { Loaded, ProviderConfig } from "../config/config.ts";
import type { Route } from "../models/model.ts";

/** Where the models of the settings are. Opens the built-in model when it is first asked for. */
export interface Routes extends AsyncDisposable {
  /** The model that answers when nobody names one. */
  readonly model: string;
  /** The route of the chosen provider, or why there is none. */
  find(model: string | undefined): Promise<Route | Fault>;
}

export function routes(loaded: Loaded, clock: Clock): Routes {
  const { config, keyFor } = loaded;
  const provider = config.providers[config.model.provider];
  const model = config.model.name ?? defaultModel(provider);
  let demo: Promise<{ readonly url: string } & AsyncDisposable> | undefined;

  return {
    model,
    async find(chosen) {
      if (provider === undefined || provider.kind === "codex") return onlyOnCodex(config.model.provider);
      const name = chosen ?? model;
      if (provider.kind === "demo") {
        demo ??= import("../models/demo/server.ts").then(({ startDemoModel }) => startDemoModel({ clock }));
        const { url } = await demo;
        return { name: "demo", protocol: "responses", url, headers: {}, model: name };
      }
      const { api, protocol, keyEnv, headers } = provider;
      const key = keyFor(provider.name);
      if (keyEnv !== undefined && key === undefined) return noKey(provider.name, keyEnv, config.paths.env);
      if (chosen === undefined && config.model.name === undefined && provider.models.length === 0) {
        return noModel(provider.name);
      }
      return {
        name: provider.name,
        protocol,
        url: api,
        headers,
        model: name,
        ...(key === undefined ? {} : { key }),
        ...(keyEnv === undefined ? {} : { keyName: keyEnv }),
      };
    },
    async [Symbol.asyncDispose]() {
      await (await demo)?.[Symbol.asyncDispose]();
    },
  };
}

/** For display, and for the provider that has only one. */
function defaultModel(provider: ProviderConfig | undefined): string {
  if (provider?.kind === "demo") return "demo";
  return (provider?.kind === "route" ? provider.models[0] : undefined) ?? "chosen by the provider";
}

const noKey = (provider: string, variable: string, envFile: string): Fault => ({
  code: "auth",
  message: `The provider ${provider} needs a key, and ${variable} is not set.`,
  next: `Put ${variable}=… into ${envFile} or into the environment.`,
});

const noModel = (provider: string): Fault => ({
  code: "config",
  message: `No model is chosen for the provider ${provider}.`,
  next: "Choose one: talaria config set model.default NAME, or --model NAME for one session.",
});

const onlyOnCodex = (provider: string): Fault => ({
  code: "config",
  message: `The provider ${provider} works only on the codex runtime, which this version does not have yet.`,
  next: "Choose another provider: talaria config set model.provider NAME.",
});
