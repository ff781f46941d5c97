import { longEnough } from "../../core/access.ts";
import { type ConfigWarning, type SourcePosition, configFault } from "../findings.ts";
import type { FileSettings } from "../keys.ts";

type Sources = {
  readonly positionOf: (path: readonly string[]) => SourcePosition;
  readonly secret: (name: string) => string | undefined;
};

/** What is set for HTTP and does not do what somebody wanted. Throws a FaultError `config` where it would be less safe than that. */
export function httpWarnings({ http = {} }: FileSettings, sources: Sources): readonly ConfigWarning[] {
  const { tls_cert: cert, tls_key: key, keys = {}, webhooks = {}, origins = [], hosts = [] } = http;
  const found = (path: readonly string[], message: string): ConfigWarning => ({
    ...sources.positionOf(["http", ...path]),
    key: ["http", ...path].join("."),
    message,
  });
  if ((cert === undefined) !== (key === undefined)) {
    const [is, missing] = cert === undefined ? ["tls_key", "tls_cert"] : ["tls_cert", "tls_key"];
    throw configFault(
      [found([is], `needs http.${missing}, too: without it requests would come over plain http`)],
      `Set http.${missing}, or remove http.${is}.`,
    );
  }
  const useless = (path: readonly string[], name: string, so: string): readonly ConfigWarning[] => {
    const secret = sources.secret(name);
    if (longEnough(secret) !== undefined) return [];
    const why =
      secret === undefined
        ? "is not set, neither in the environment nor in .env"
        : "is so short that it can be guessed (fewer than 16 characters)";
    return [found(path, `${name} ${why}, so ${so}`)];
  };
  return [
    ...Object.entries(keys).flatMap(([name, { key_env: variable }]) =>
      useless(["keys", name, "key_env"], variable, "nobody can come in with this key"),
    ),
    ...Object.entries(webhooks).flatMap(([name, { secret_env: variable }]) =>
      useless(["webhooks", name, "secret_env"], variable, "all that is sent there is refused"),
    ),
    ...origins
      .filter((origin) => !isOrigin(origin))
      .map((origin) => found(["origins"], `${origin} fits no page; write it as https://chat.example`)),
    ...hosts
      .filter((name) => /[/*\s]/.test(name))
      .map((name) => found(["hosts"], `${name} fits no request; write it as talaria.example`)),
  ];
}

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text.toLowerCase();
