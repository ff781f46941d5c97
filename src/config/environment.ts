import type { ConfigWarning } from "./findings.ts";
import type { Environment } from "./settings.ts";
import { closest } from "../core/suggestion.ts";

export type KnownVariable = {
  readonly name: string;
  readonly meaning: string;
  /** The key of config.yaml that it outranks. */
  readonly overrides?: string;
};

/** Talaria's own variables. Keys of providers are not here: their names are settings. */
export const knownVariables = [
  { name: "TALARIA_HOME", meaning: "Folder with the settings and all state; ~/.talaria when unset." },
  { name: "TALARIA_PROFILE", meaning: "Profile to use when -p is not given." },
  {
    name: "TALARIA_PROVIDER",
    meaning: "Provider to use instead of model.provider.",
    overrides: "model.provider",
  },
  { name: "TALARIA_MODEL", meaning: "Model to use instead of model.default.", overrides: "model.default" },
  {
    name: "TALARIA_RUNTIME",
    meaning: "Who runs the turns, loop or codex, instead of model.openai_runtime.",
    overrides: "model.openai_runtime",
  },
  {
    name: "TALARIA_ATTACH",
    meaning: "With 0 or no, commands open the home themselves also while `talaria serve` runs.",
  },
  {
    name: "TALARIA_TASK",
    meaning:
      "Set for a worker on a task: `talaria mcp` then offers neither delegate_task nor clarify. With the id of an attempt at a card (t_….3), also the tools to report on it.",
  },
] as const satisfies readonly KnownVariable[];

/** Variables of others that Talaria reads itself. */
export const foreignVariables: readonly KnownVariable[] = [
  { name: "PATH", meaning: "Where codex, git and other programs are looked for." },
  { name: "HOME", meaning: "Your own folder: `~` in settings, and where ~/.talaria and ~/.codex are." },
  {
    name: "CODEX_HOME",
    meaning:
      "Folder with the login and the settings of codex; ~/.codex when neither this nor codex.home is set.",
    overrides: "codex.home",
  },
  { name: "SHELL", meaning: "The shell that runs your own commands (`!ls`); /bin/sh when unset." },
  { name: "TERM", meaning: "What the terminal can do; with `dumb` there are no colours and no full screen." },
  { name: "NO_COLOR", meaning: "When it is set, even to nothing, there are no colours." },
  { name: "DISPLAY", meaning: "The X server from whose clipboard pictures are pasted." },
  { name: "WAYLAND_DISPLAY", meaning: "The Wayland server from whose clipboard pictures are pasted." },
  {
    name: "SSH_CONNECTION",
    meaning: "Says that you are here over ssh, where your clipboard cannot be read.",
  },
  { name: "SSH_TTY", meaning: "The same." },
  { name: "XAUTHORITY", meaning: "Lets the program that reads the clipboard in." },
  { name: "XDG_RUNTIME_DIR", meaning: "Where that program finds the Wayland server." },
  { name: "XDG_CONFIG_HOME", meaning: "Where git has its settings, asked for the names of files (`@file`)." },
  {
    name: "LANG",
    meaning: "Language and characters of these programs; without UTF-8 in it charts are drawn in ASCII.",
  },
  { name: "LC_ALL", meaning: "The same for charts, and counts for more than LANG." },
  { name: "LC_CTYPE", meaning: "The same." },
  {
    name: "NODE_COMPILE_CACHE",
    meaning: "Where Node keeps compiled code, for a faster start; `cache` in Talaria's home when unset.",
  },
];

/** Variables that Talaria hands on: to codex, and to commands of a model. `*` stands for any ending. */
export const passedVariables: readonly KnownVariable[] = [
  { name: "PATH", meaning: "Where programs are found." },
  { name: "HOME", meaning: "Where git, gh and npm find their settings." },
  { name: "USER", meaning: "Who you are." },
  { name: "LOGNAME", meaning: "The same." },
  { name: "SHELL", meaning: "Your shell." },
  { name: "TERM", meaning: "What the terminal can do." },
  { name: "TMPDIR", meaning: "Where temporary files go." },
  { name: "LANG", meaning: "Language and characters." },
  { name: "LANGUAGE", meaning: "The same; to commands only." },
  { name: "LC_*", meaning: "The same, one by one." },
  { name: "TZ", meaning: "The time zone; to commands only." },
  { name: "XDG_*", meaning: "Folders of the desktop; to codex only." },
  {
    name: "SSH_AUTH_SOCK",
    meaning: "Your SSH agent; to codex, and to commands that you let out of the sandbox.",
  },
  { name: "RUST_LOG", meaning: "What codex logs, `warn` when unset; to codex only." },
  { name: "HTTP_PROXY", meaning: "The proxy for http, also in small letters." },
  { name: "HTTPS_PROXY", meaning: "The proxy for https, also in small letters." },
  { name: "ALL_PROXY", meaning: "The proxy for everything, also in small letters." },
  { name: "NO_PROXY", meaning: "Addresses that need no proxy, also in small letters." },
  { name: "SSL_CERT_FILE", meaning: "Certificates that are trusted." },
  { name: "SSL_CERT_DIR", meaning: "A folder of them." },
  { name: "CODEX_CA_CERTIFICATE", meaning: "The same for codex; to codex only." },
  { name: "NODE_EXTRA_CA_CERTS", meaning: "The same for Node, which Talaria itself runs on." },
  { name: "CURL_CA_BUNDLE", meaning: "The same for curl." },
  { name: "REQUESTS_CA_BUNDLE", meaning: "The same for Python." },
  { name: "GIT_SSL_CAINFO", meaning: "The same for git." },
];

/** What of the environment decides where turns run and whom they reach, besides keys. */
export const decidingVariables: readonly string[] = [
  ["TALARIA_PROVIDER", "TALARIA_MODEL", "TALARIA_RUNTIME", "TALARIA_TASK", "CODEX_HOME"],
  ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
  ["SSL_CERT_FILE", "SSL_CERT_DIR", "CODEX_CA_CERTIFICATE", "NODE_EXTRA_CA_CERTS"],
].flat();

export type VariableName = (typeof knownVariables)[number]["name"];

/** A variable that is set to nothing counts as not set. */
export const variable = (env: Environment, name: VariableName): string | undefined =>
  env[name]?.trim() || undefined;

/** Near misses only: other programs may have variables that begin like ours. */
export function misspeltVariables(env: Environment): readonly ConfigWarning[] {
  const known = knownVariables.map(({ name }) => name as string);
  return Object.keys(env)
    .filter((name) => name.startsWith("TALARIA_") && !known.includes(name))
    .flatMap((name) => {
      const meant = closest(name.slice("TALARIA_".length), known.map(withoutPrefix));
      if (meant === undefined) return [];
      return [{ file: "environment", key: name, message: `has no effect; did you mean TALARIA_${meant}?` }];
    });
}

const withoutPrefix = (name: string): string => name.slice("TALARIA_".length);
