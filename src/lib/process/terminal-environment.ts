import { absoluteFolders } from "../files/absolute-path.ts";
import type { Variables } from "./variables.ts";

export type TerminalRules = {
  /** Names that pass although they look like something that should not. */
  readonly named: readonly string[];
  /** Whether the value is known for a secret, or has the form of one. */
  readonly isSecret: (value: string) => boolean;
};

/**
 * What a command may see of the environment of the terminal that it was asked for in: all of it, but for what looks like
 * a secret by its name or by its value, what makes programs run other code, and what is about one process alone.
 */
export function terminalEnvironment(
  ours: Variables,
  { named, isSecret }: TerminalRules,
): Record<string, string> {
  const passes = (name: string, value: string): boolean => {
    if (!plainName.test(name) || isOfOneProcess(name)) return false;
    // Whoever names one of these means a program that asks for it, like codex for its provider's: no command gets it.
    if (named.includes(name)) return !neverNamed.test(name);
    return !(runsCode(name) || isSecretName(name) || looksSecret(value) || isSecret(value));
  };
  return Object.fromEntries(
    Object.entries(ours).flatMap(([name, value]) =>
      value !== undefined && passes(name, value)
        ? [[name, name === "PATH" ? absoluteFolders(value) : value] as const]
        : [],
    ),
  );
}

/** An exported function of bash, and what some installers make up, has no name that a program could ask for. */
const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;

const neverNamed = /KEY|TOKEN|SECRET/i;

/** Our own, and what a shell or npm says of the very process it starts. */
const isOfOneProcess = (name: string): boolean =>
  /^(?:TALARIA_|CODEX_|npm_|NODE_CHANNEL_)/.test(name) ||
  ["PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "NODE_COMPILE_CACHE", "MAKEFLAGS"].includes(name);

const isSecretName = (name: string): boolean =>
  /KEY|SECRET|TOKEN|PASS|CREDENTIAL|COOKIE|JWT|WEBHOOK|PRIVATE/i.test(name) ||
  (/(?:^|_)(?:AUTH|BEARER|PWD|PW|PAT|OTP|SAS|DSN|SIGNATURE)(?:_|$)/i.test(name) &&
    name !== "SSH_AUTH_SOCK") ||
  // MYSQL_PWD and its kin are written without the line between, too.
  /PWD$/i.test(name);

const running: readonly RegExp[] = [
  /^(?:LD|DYLD)_/,
  // A shell reads a file or runs a text. With SSH_CLIENT bash takes itself for one of a login from elsewhere.
  /^(?:BASH_ENV|ENV|ZDOTDIR|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|SSH2?_CLIENT|SSH_CONNECTION|SSH_TTY)$/,
  /^(?:NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE|PERL5OPT|PERL5DB|RUBYOPT|PHPRC|PHP_INI_SCAN_DIR)$/,
  /^PYTHON(?:STARTUP|INSPECT|BREAKPOINT|WARNINGS|HOME)$/,
  /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/,
  /^(?:LESSOPEN|LESSCLOSE|SSH_ASKPASS|SUDO_ASKPASS)$/,
  /^GIT_(?:SSH|SSH_COMMAND|ASKPASS|EXEC_PATH|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|PAGER|PROXY_COMMAND|TEMPLATE_DIR)$/,
  // Other settings, and another repository than the one in the folder, with hooks of its own.
  /^GIT_(?:CONFIG_(?:COUNT|KEY|VALUE|PARAMETERS)|DIR$|WORK_TREE$|COMMON_DIR$|INDEX_FILE$|OBJECT_DIRECTORY$)/,
];

const runsCode = (name: string): boolean => running.some((pattern) => pattern.test(name));

/** An address may carry a name and a password. */
export const hasLogin = (value: string): boolean => /:\/\/[^/\s]*@/.test(value);

const looksSecret = (value: string): boolean =>
  hasLogin(value) ||
  assigned.test(value) ||
  /hooks\.slack\.com\/|\/api\/webhooks\//i.test(value) ||
  isRandom(value);

/** A password among other settings: of a database, of a Java program, in JSON, in a header. */
const assigned =
  /(?:passw(?:or)?d|passphrase|pwd|secret|token|api_?-?key|access_?-?key|account_?-?key|credentials?|auth(?:orization)?|cookie)["']?\s*[=:]\s*\S/i;

/** A long word with letters of both kinds and digits is hardly a setting. A hash of a commit has small letters alone. */
const isRandom = (value: string): boolean =>
  /^[A-Za-z0-9_+=-]{32,}$/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && /[0-9]/.test(value);
