import { absoluteFolders } from "../../../lib/files/absolute-path.ts";
import type { Variables } from "../../../lib/process/variables.ts";

const passed: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "TMPDIR",
  "LANG",
  "SSH_AUTH_SOCK",
  "RUST_LOG",
]);

const passedFamilies = /^(?:LC|XDG)_/;

/** Ways out and certificates; programs read some of them in capitals and some in small letters. */
const connection: ReadonlySet<string> = new Set([
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "CODEX_CA_CERTIFICATE",
  "NODE_EXTRA_CA_CERTS",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "GIT_SSL_CAINFO",
]);

/**
 * What of our environment codex may see, because whatever it sees, commands that a model chose may see too. HOME is the
 * real one, so that git, gh and npm find their settings.
 */
export function codexEnvironment(ours: Variables, named: readonly string[]): Record<string, string> {
  const wanted = (name: string): boolean =>
    passed.has(name) ||
    passedFamilies.test(name) ||
    connection.has(name.toUpperCase()) ||
    named.includes(name);
  const entries = Object.entries(ours).flatMap(([name, value]) =>
    value !== undefined && wanted(name)
      ? [[name, name === "PATH" ? absoluteFolders(value) : value] as const]
      : [],
  );
  return { RUST_LOG: "warn", ...Object.fromEntries(entries) };
}
