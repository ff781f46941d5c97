import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { jsonDigest } from "../../../lib/digest.ts";
import type { Route } from "../../../models/model.ts";
import { autonomyOff } from "./autonomy-off.ts";
import { codexEnvironment } from "./environment.ts";
import { type Guard, guardSettings } from "./guards.ts";
import { toml, type TomlValue } from "./toml.ts";

export type LaunchInput = {
  /** The program, as `findCodex` found it. */
  readonly binary: string;
  /** Its version; one that does not say is taken for new. */
  readonly version?: string;
  /** Our own environment; only a part of it is passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further variables to pass on, by name. */
  readonly passEnv?: readonly string[];
  /** CODEX_HOME of the settings. The environment's goes before it; with neither, codex takes `~/.codex`. */
  readonly codexHome?: string;
  /** Where the models are, unless codex's own login and provider are used. */
  readonly route?: Pick<Route, "name" | "url" | "key" | "headers">;
  readonly model?: string;
  /** What the person has switched off, in codex's own settings. */
  readonly switchedOff?: Readonly<Record<string, TomlValue>>;
  /** Who is asked before codex calls a tool. */
  readonly guards?: readonly Guard[];
  /** How often codex itself tries again on a route. */
  readonly retries?: { readonly request: number; readonly stream: number };
  /** For tests, demo and selftest: a CODEX_HOME of its own, and nothing that would look for a network. */
  readonly isolated?: { readonly codexHome: string };
};

/** How to start one app-server. Launches with the same `key` can share a process. */
export type Launch = {
  readonly command: string;
  readonly args: readonly string[];
  /** All variables that the process gets. */
  readonly env: Readonly<Record<string, string>>;
  /** The CODEX_HOME that takes effect, also when it is not in `env`. */
  readonly home: string;
  /** Stands for everything above; no secret can be read from it. */
  readonly key: string;
  /** Values that must not be shown: the route's, and what the person passes under the name of a secret. */
  readonly secrets: readonly string[];
};

const defaultRetries = { request: 2, stream: 2 };

/** Codex hides variables with KEY, TOKEN or SECRET in their name from commands, whatever the person calls theirs. */
const keyVariable = "TALARIA_ROUTE_KEY";
const headerVariable = (index: number): string => `TALARIA_ROUTE_SECRET_${index}`;

/**
 * The name of a route inside codex. It is not the route's own: codex refuses the names of its built-in providers, and
 * would mix a table of that name in the person's config.toml with ours.
 */
export const providerId = (route: string): string => `talaria-${route}`;

/** No I/O. Arguments can be read by everybody on the machine, so secrets go through the environment alone. */
export function launchOptions(input: LaunchInput): Launch {
  const { binary, route, isolated } = input;
  const codexHome = isolated?.codexHome ?? chosenHome(input);
  const secretEnv = route === undefined ? {} : routeEnvironment(route);
  const env: Record<string, string> = {
    ...codexEnvironment(input.env, input.passEnv ?? []),
    ...(codexHome === undefined ? {} : { CODEX_HOME: codexHome }),
    ...secretEnv,
  };
  const args = ["app-server", ...Object.entries(settings(input)).flatMap(option)];
  return {
    command: binary,
    args,
    env,
    home: isolated === undefined ? codexHomeOf(input) : resolve(isolated.codexHome),
    key: jsonDigest([binary, args, Object.entries(env).toSorted(byName)]),
    secrets: Object.entries(env).flatMap(([name, value]) => (secretName.test(name) ? [value] : [])),
  };
}

type HomeInput = Pick<LaunchInput, "env" | "codexHome">;

const chosenHome = ({ env, codexHome }: HomeInput): string | undefined => env["CODEX_HOME"] || codexHome;

/** The CODEX_HOME that takes effect. */
export const codexHomeOf = (input: HomeInput): string =>
  resolve(chosenHome(input) ?? join(input.env["HOME"] ?? homedir(), ".codex"));

const secretName = /KEY|TOKEN|SECRET|PASS/i;

function settings(input: LaunchInput): Readonly<Record<string, TomlValue>> {
  const { version = "", route, model, retries, isolated, switchedOff = {}, guards = [] } = input;
  return {
    "shell_environment_policy.ignore_default_excludes": false,
    // With it on, a refused connection is tried again for ever and the turn never ends.
    "features.unbounded_connection_retries": false,
    ...autonomyOff(version),
    ...switchedOff,
    ...guardSettings(guards),
    ...(route === undefined ? {} : provider(route, retries ?? defaultRetries)),
    ...(model === undefined ? {} : { model }),
    ...(isolated === undefined ? {} : offline),
  };
}

function provider(
  { name, url, key, headers }: NonNullable<LaunchInput["route"]>,
  retries: typeof defaultRetries,
): Readonly<Record<string, TomlValue>> {
  const id = providerId(name);
  const headerNames = Object.keys(headers);
  const table: TomlValue = {
    name,
    base_url: url,
    wire_api: "responses",
    supports_websockets: false,
    request_max_retries: retries.request,
    stream_max_retries: retries.stream,
    ...(key === undefined ? {} : { env_key: keyVariable }),
    ...(headerNames.length === 0
      ? {}
      : {
          env_http_headers: Object.fromEntries(
            headerNames.map((header, index) => [header, headerVariable(index)]),
          ),
        }),
  };
  // The whole table, because codex cuts the key of an option at every dot, quoted or not. It joins the person's table.
  return { model_provider: id, model_providers: { [id]: table } };
}

const routeEnvironment = ({ key, headers }: NonNullable<LaunchInput["route"]>): Record<string, string> => ({
  ...(key === undefined ? {} : { [keyVariable]: key }),
  ...Object.fromEntries(Object.values(headers).map((value, index) => [headerVariable(index), value])),
});

const offline = {
  "features.plugins": false,
  check_for_update_on_startup: false,
  "analytics.enabled": false,
} as const;

const option = ([key, value]: readonly [string, TomlValue]): string[] => ["-c", `${key}=${toml(value)}`];

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : a > b ? 1 : 0;
