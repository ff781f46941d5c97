import { absoluteFolders } from "../lib/absolute-path.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const passed: ReadonlySet<string> = new Set(
  [
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", "LANGUAGE", "TZ"],
    ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"],
    ["GIT_SSL_CAINFO", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ].flat(),
);

/**
 * What a command that a model chose may see of our environment: nothing that could be a key. One that a person let out
 * of the fence may also ask their SSH agent, or `git push` would not work.
 */
export function shellEnvironment(
  ours: Variables,
  { fenced }: { readonly fenced: boolean },
): Record<string, string> {
  const wanted = (name: string): boolean => isPassed(name) || (!fenced && name === "SSH_AUTH_SOCK");
  const entries = Object.entries(ours).flatMap(([name, value]) =>
    value !== undefined && wanted(name) && !hasLogin(value)
      ? [[name, name === "PATH" ? absoluteFolders(value) : value] as const]
      : [],
  );
  return { ...always, ...Object.fromEntries(entries) };
}

const always = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  TERM: "dumb",
  // The first bash of a chain takes a socket as its input for a login from elsewhere, and reads ~/.bashrc, keys and all.
  SHLVL: "1",
};

const isPassed = (name: string): boolean => passed.has(name.toUpperCase()) || name.startsWith("LC_");

/** An address may carry a name and a password. */
const hasLogin = (value: string): boolean => /:\/\/[^/\s]*@/.test(value);
