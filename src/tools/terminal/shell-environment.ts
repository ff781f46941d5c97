import { absoluteFolders } from "../../lib/files/absolute-path.ts";
import { type TerminalRules, hasLogin, terminalEnvironment } from "../../lib/process/terminal-environment.ts";
import type { Variables } from "../../lib/process/variables.ts";

const passed: ReadonlySet<string> = new Set(
  [
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", "LANGUAGE", "TZ"],
    ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"],
    ["GIT_SSL_CAINFO", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ].flat(),
);

type EnvironmentOptions = {
  readonly sandboxed: boolean;
  /** Set when somebody attends the turn: then it is the environment of their terminal. */
  readonly attended?: TerminalRules;
};

/**
 * What a command that a model chose may see of our environment: nothing that could be a key, and what is on a short list
 * when nobody attends. One that a person let out of the sandbox may also use their agents (ssh, gpg), or `git push` would not work.
 */
export function shellEnvironment(
  ours: Variables,
  { sandboxed, attended }: EnvironmentOptions,
): Record<string, string> {
  if (attended !== undefined) {
    const seen = Object.entries(terminalEnvironment(ours, attended));
    return { ...always, ...Object.fromEntries(seen.filter(([name]) => !(sandboxed && agents.has(name)))) };
  }
  const wanted = (name: string): boolean => isPassed(name) || (!sandboxed && name === "SSH_AUTH_SOCK");
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

/** Where programs listen that do things for a person. */
const agents: ReadonlySet<string> = new Set(["SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS"]);
