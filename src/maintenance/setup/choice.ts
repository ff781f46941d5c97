import type { Loaded, ProviderConfig } from "../../config/config.ts";
import type { KeyChange } from "../../config/edit.ts";
import { keyText } from "../../config/key-path.ts";
import type { KnownProvider, SetupChoice } from "../../core/maintenance.ts";
import type { Fault } from "../../core/faults.ts";

/** A choice together with what the settings know of its provider. */
export type Resolved = SetupChoice & {
  readonly known?: KnownProvider;
  readonly targetRuntime: "loop" | "codex";
};

export function resolve(loaded: Loaded, choice: SetupChoice): Resolved {
  const known = knownProviders(loaded).find(({ name }) => name === choice.provider);
  return {
    ...choice,
    ...(known === undefined ? {} : { known }),
    targetRuntime: runtimeFor(loaded, choice, known),
  };
}

export const knownProviders = ({ config, keyFor }: Loaded): readonly KnownProvider[] =>
  Object.values(config.providers).map((provider) => describe(provider, keyFor(provider.name)));

function describe(provider: ProviderConfig, key: string | undefined): KnownProvider {
  const { name, kind } = provider;
  if (kind !== "route") return { name, kind, hasKey: false };
  const { api, protocol, keyEnv } = provider;
  return {
    name,
    kind,
    api,
    protocol,
    ...(keyEnv === undefined ? {} : { keyEnv }),
    hasKey: key !== undefined,
  };
}

/** What nobody names stays as it is, unless the provider leaves no choice. */
function runtimeFor(
  { config }: Loaded,
  choice: SetupChoice,
  known: KnownProvider | undefined,
): "loop" | "codex" {
  if (choice.runtime !== undefined) return choice.runtime;
  if (known?.kind === "codex") return "codex";
  const protocol = choice.protocol ?? known?.protocol ?? (known?.kind === "demo" ? "responses" : "chat");
  return protocol === "chat" ? "loop" : (config.model.unusableRuntime ?? config.model.runtime);
}

/** Codex chooses a model itself where its own login is used, and the demo is its own. */
export function modelNeeded(loaded: Loaded, choice: Resolved): boolean {
  const { known } = choice;
  const { config } = loaded;
  if (choice.model !== undefined || known?.kind === "demo" || usesLogin(loaded, choice)) return false;
  const provider = config.providers[choice.provider];
  const stays = config.model.provider === choice.provider && config.model.name !== undefined;
  return !stays && (provider?.kind !== "route" || provider.models.length === 0);
}

/** The changes of config.yaml that the choice comes to, in an order in which the file is right after each. */
export function changesFor({ config }: Loaded, choice: Resolved): readonly KeyChange[] {
  const { provider, known, api, protocol, keyEnv, model, targetRuntime } = choice;
  const own = (key: string): string => keyText(["providers", provider, key]);
  const { name, from, runtime, unusableRuntime } = config.model;
  const moved = config.model.provider !== provider;
  // A model of the last provider is not one of the next.
  const orphaned = moved && model === undefined && name !== undefined && from.name === "file";
  return [
    ...set(own("api"), api, known?.api),
    ...set(own("protocol"), protocol, known === undefined ? "chat" : known.protocol),
    ...set(own("key_env"), keyEnv, known?.keyEnv),
    ...(orphaned ? [{ key: "model.default" }] : []),
    ...set("model.provider", provider, from.provider === "file" ? config.model.provider : undefined),
    ...set("model.default", model, from.name === "file" ? name : undefined),
    ...set(
      "model.openai_runtime",
      targetRuntime === "codex" ? "codex_app_server" : "auto",
      (unusableRuntime ?? runtime) === "codex" ? "codex_app_server" : "auto",
    ),
  ];
}

const set = (key: string, typed: string | undefined, before: string | undefined): readonly KeyChange[] =>
  typed === undefined || typed === before ? [] : [{ key, typed }];

/** What cannot work, before anything is tried. `lookup`: the value of a variable, from the environment or .env. */
export function problemOf(
  loaded: Loaded,
  choice: Resolved,
  lookup: (name: string) => string | undefined,
): Fault | undefined {
  const { provider, known, api, targetRuntime } = choice;
  const kind = known?.kind ?? "route";
  if (known === undefined && api === undefined) return noProvider(provider, loaded);
  if (kind !== "route" && (api ?? choice.keyEnv ?? choice.protocol) !== undefined) return builtIn(provider);
  if (kind === "codex" && targetRuntime === "loop") return onlyOnCodex(provider);
  const protocol = choice.protocol ?? known?.protocol ?? "chat";
  if (kind === "route" && targetRuntime === "codex" && protocol === "chat") return onlyOnLoop(provider);
  const variable = choice.keyEnv ?? known?.keyEnv;
  const hasKey = choice.key !== undefined || (variable !== undefined && lookup(variable) !== undefined);
  if (variable === undefined || hasKey || usesLogin(loaded, choice)) return undefined;
  return noKey(provider, variable, loaded.config.paths.env);
}

/** Does a turn with it run on codex's own login? */
export function usesLogin({ config }: Loaded, { provider, known, targetRuntime, api }: Resolved): boolean {
  if (known?.kind === "codex") return true;
  const route = config.providers[provider];
  return targetRuntime === "codex" && route?.kind === "route" && route.codexLogin && api === undefined;
}

const fault = (message: string, next: string): Fault => ({ code: "config", message, next });

const noProvider = (name: string, { config }: Loaded): Fault =>
  fault(
    `There is no provider ${JSON.stringify(name)}.`,
    `Choose one of ${Object.keys(config.providers).join(", ")}, or say where it is: --api URL.`,
  );

const builtIn = (name: string): Fault =>
  fault(
    `The provider ${name} is built in and has no address, protocol or key.`,
    "Leave them out, or give your provider another name.",
  );

const onlyOnCodex = (name: string): Fault =>
  fault(
    `The provider ${name} uses codex's own login, so it works on the codex runtime only.`,
    "Leave --runtime out, or choose another provider.",
  );

const onlyOnLoop = (name: string): Fault =>
  fault(
    `The provider ${name} speaks only the chat protocol, which codex cannot use.`,
    "Use --runtime loop, or --protocol responses if it speaks that.",
  );

const noKey = (name: string, variable: string, file: string): Fault => ({
  code: "auth",
  message: `The provider ${name} needs a key, and ${variable} is not set.`,
  next: `Put ${variable}=… into ${file} or into the environment.`,
});
