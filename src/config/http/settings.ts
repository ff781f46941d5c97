import type { HttpSettings } from "../../core/access.ts";
import { type Scope, withImplied } from "../../core/principal.ts";
import { defaults, type FileSettings } from "../keys.ts";

export function httpSettings(file: FileSettings): HttpSettings {
  const http = { ...defaults.http, ...file.http };
  const { port, tls_cert: cert, tls_key: key, keys = {}, webhooks = {} } = http;
  return {
    host: http.host,
    hosts: http.hosts,
    origins: http.origins,
    proxy: http.proxy,
    bodyBytes: http.body_mb * 1_000_000,
    perMinute: http.per_minute,
    concurrent: http.concurrent,
    aliases: http.model_aliases,
    ...(port === undefined ? {} : { port }),
    ...(cert === undefined || key === undefined ? {} : { tls: { cert, key } }),
    keys: mapped(keys, ({ key_env: keyEnv, scopes = usual }) => ({ keyEnv, scopes: withImplied(scopes) })),
    webhooks: mapped(webhooks, ({ secret_env: secretEnv, prompt }) => ({ secretEnv, prompt })),
  };
}

const usual: readonly Scope[] = ["operate"];

const mapped = <From, To>(
  named: Readonly<Record<string, From>>,
  to: (value: From) => To,
): Readonly<Record<string, To>> =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [name, to(value)]));
