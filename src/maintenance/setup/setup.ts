import { type HomeSources, type Loaded, loadConfig } from "../../config/config.ts";
import { parseDotEnv } from "../../config/dotenv.ts";
import { type KeyChange, changeConfig, changedConfig } from "../../config/edit.ts";
import { knownVariables } from "../../config/environment.ts";
import { readTextFile } from "../../config/files.ts";
import { writeSecret } from "../../config/secret-edit.ts";
import type { BotChoice, Setup, SetupChoice } from "../../core/maintenance.ts";
import { toFailure } from "../../core/failure.ts";
import { type Fault, FaultError } from "../../core/faults.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { listModels } from "../../models/model-list.ts";
import type { HostParts, OpenHostParts } from "../host-parts.ts";
import { type OpenTrial, loginProblem, tryTurn } from "./attempt.ts";
import { changesFor, knownProviders, modelNeeded, problemOf, resolve, usesLogin } from "./choice.ts";
import { botChanges, knownBots } from "./bot.ts";
import { lookAround } from "./look-around.ts";
import type { Variables } from "../../lib/process/variables.ts";

export type OpenSetup = HomeSources & {
  readonly profile?: string;
  readonly clock?: Clock;
  readonly open: OpenTrial;
  readonly openParts: OpenHostParts;
};

/** Rejects with a config fault when the settings there are cannot be read. Changes nothing before `write`. */
export async function openSetup(options: OpenSetup): Promise<Setup> {
  const { open, profile, clock = systemClock } = options;
  // What the file says is what is set up; a variable that outranks it is named when it is written.
  const env = withoutOverrides(options.env);
  const flags = profile === undefined ? {} : { profile };
  const loaded = await loadConfig({ ...options, env, flags });
  const { paths, model } = loaded.config;
  const secrets = parseDotEnv((await readTextFile(paths.env)) ?? "").values;
  const lookup = (name: string): string | undefined => (env[name] ?? secrets.get(name))?.trim() || undefined;
  const changes = (choice: SetupChoice): readonly KeyChange[] => changesFor(loaded, resolve(loaded, choice));
  const settings = async (choice: SetupChoice): Promise<string> =>
    changedConfig(paths.config, (await readTextFile(paths.config)) ?? "", changes(choice));
  const withParts = async <Value>(use: (parts: HostParts) => Promise<Value>): Promise<Value> => {
    await using stack = new AsyncDisposableStack();
    return await use(await options.openParts(loaded, { ...options, env, clock }, stack));
  };
  return {
    files: { config: paths.config, env: paths.env },
    now: {
      provider: model.provider,
      ...(model.name === undefined ? {} : { model: model.name }),
      runtime: model.runtime,
      written: model.from.provider === "file",
    },
    providers: knownProviders(loaded),
    bots: knownBots(loaded),
    look: (signal) => withParts((parts) => lookAround({ ...options, env, loaded, parts, clock, signal })),
    problem: async (choice) =>
      problemOf(loaded, resolve(loaded, choice), lookup) ?? (await faultIn(() => settings(choice))),
    needsModel: (choice) => modelNeeded(loaded, resolve(loaded, choice)),
    models: (choice, signal) => modelsAt(loaded, choice, lookup, { clock, signal }),
    async attempt(choice, signal) {
      const login = usesLogin(loaded, resolve(loaded, choice));
      const loginFault = login
        ? await withParts(({ findCodex }) => loginProblem(loaded, env, findCodex, { clock, signal }))
        : undefined;
      if (loginFault !== undefined) return { ok: false, fault: loginFault };
      const variables = { ...Object.fromEntries(secrets), ...env, ...keyOf(loaded, choice) };
      return tryTurn({ settings: await settings(choice), env: variables, open, clock, signal });
    },
    write: (choice, bot) => write(loaded, choice, changes(choice), options.env, bot),
  };
}

const overriding = knownVariables.filter((known) => "overrides" in known).map(({ name }) => name);

const withoutOverrides = (env: Variables): Variables =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !(overriding as readonly string[]).includes(name)),
  );

async function faultIn(work: () => Promise<unknown>): Promise<Fault | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return toFailure(error) as Fault;
  }
}

const listMs = 10_000;

async function modelsAt(
  loaded: Loaded,
  choice: SetupChoice,
  lookup: (name: string) => string | undefined,
  how: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const known = loaded.config.providers[choice.provider];
  const route = known?.kind === "route" ? known : undefined;
  const url = (choice.api ?? route?.api)?.replace(/\/+$/, "");
  if (url === undefined) return [];
  const keyEnv = choice.keyEnv ?? route?.keyEnv;
  const key = choice.key ?? (keyEnv === undefined ? undefined : lookup(keyEnv));
  const answer = await listModels(
    {
      name: choice.provider,
      protocol: choice.protocol ?? route?.protocol ?? "chat",
      url,
      headers: route?.headers ?? {},
      model: "",
      ...(key === undefined ? {} : { key }),
      ...(keyEnv === undefined ? {} : { keyName: keyEnv }),
    },
    { ...how, limitMs: listMs },
  );
  if ("code" in answer) throw new FaultError(answer);
  return answer.models;
}

function keyOf(loaded: Loaded, choice: SetupChoice): Variables {
  const variable = variableFor(loaded, choice);
  return variable === undefined || choice.key === undefined ? {} : { [variable]: choice.key };
}

function variableFor({ config }: Loaded, { provider, keyEnv }: SetupChoice): string | undefined {
  const known = config.providers[provider];
  return keyEnv ?? (known?.kind === "route" ? known.keyEnv : undefined);
}

/** The key first: settings that name a key which is not there would not work. */
async function write(
  loaded: Loaded,
  choice: SetupChoice,
  changes: readonly KeyChange[],
  env: Variables,
  bot?: BotChoice,
): ReturnType<Setup["write"]> {
  const { paths } = loaded.config;
  const variable = variableFor(loaded, choice);
  const secret =
    choice.key !== undefined &&
    variable !== undefined &&
    (await writeSecret(paths.env, variable, choice.key));
  const tokens: string[] = [];
  for (const [name, token] of Object.entries(bot?.tokens ?? {}))
    if (await writeSecret(paths.env, name, token)) tokens.push(name);
  const all = [...changes, ...(bot === undefined ? [] : botChanges(loaded, bot))];
  const changed = all.length > 0 && (await changeConfig(paths.config, all));
  return {
    changes: [
      ...(secret ? [{ file: paths.env, what: `${variable} (the key)` }] : []),
      ...tokens.map((name) => ({ file: paths.env, what: `${name} (the token)` })),
      ...(changed
        ? all.map(({ key, typed }) => ({
            file: paths.config,
            what: typed === undefined ? `${key} taken out` : `${key}: ${typed}`,
          }))
        : []),
    ],
    warnings: overriding.flatMap((name) =>
      env[name]?.trim() ? [`${name} is set in the environment and outranks what was written.`] : [],
    ),
  };
}
