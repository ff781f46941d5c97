import {
  foreignVariables,
  type KnownVariable,
  knownVariables,
  passedVariables,
} from "../src/config/environment.ts";
import { builtInProviders } from "../src/config/providers.ts";
import { table } from "./table.ts";

/** `docs/user/environment.md`, whole. */
export function environmentPage(): string {
  return `# Environment variables

Generated from the tables in \`src/config/environment.ts\` by \`npm run docs\`; changes by hand are lost.

Everything that can be set once and for all is a [setting](settings.md). Variables are for one start, for scripts, and for what must
not stand in a file.

## Talaria's own

One that is set to nothing counts as not set. One that is nearly spelt like one of these gets a warning.

${variables(knownVariables)}

## Of others, read by Talaria

${variables(foreignVariables)}

## Keys of providers

Read from the environment, else from \`.env\` in Talaria's home, which holds keys and nothing else (mode 0600). Keys are masked in
whatever Talaria shows, keeps or logs, and no command of a model gets them. The name for a provider of your own is
\`providers.NAME.key_env\`.

${table(["variable", "provider"], keys)}

A key that you correct in \`.env\` counts from the next turn on, on both runtimes, while Talaria runs. One in the environment goes before
it, and of that a running program hears nothing: set it and start Talaria again.

\`.env\` also feeds \`\${NAME}\` in the headers of providers and in \`mcp_servers\`; the latter is read at the start alone.

## Handed on

Commands of a turn that you attend see the environment of your terminal, on both runtimes: \`VIRTUAL_ENV\`, \`JAVA_HOME\`, \`KUBECONFIG\`,
\`AWS_PROFILE\`, \`TZ\`, \`DISPLAY\`, \`GIT_AUTHOR_NAME\` and whatever else is set there, except for

- what looks like a secret by its name (KEY, SECRET, TOKEN, PASS, PWD, CREDENTIAL, COOKIE, AUTH, WEBHOOK and the like) or by its value (an
  address with a password, \`password=…\`, the form of a key or token, a value that Talaria masks anyway),
- what makes programs run other code: \`BASH_ENV\`, \`NODE_OPTIONS\`, \`LD_*\`, \`DYLD_*\`, \`PYTHONSTARTUP\`, \`JAVA_TOOL_OPTIONS\`, \`PERL5OPT\`,
  \`GIT_SSH_COMMAND\`, \`GIT_CONFIG_*\`, \`GIT_DIR\` and the like, exported shell functions,
- what is about one process: \`TALARIA_*\`, \`CODEX_*\`, \`npm_*\`, \`PWD\`, \`SHLVL\`, \`MAKEFLAGS\`,
- inside the sandbox of the loop, \`SSH_AUTH_SOCK\`, \`GPG_AGENT_INFO\` and \`DBUS_SESSION_BUS_ADDRESS\`.

A name in \`codex.env\` passes all the same, on both runtimes, unless KEY, TOKEN or SECRET is in it: such a variable reaches codex itself,
for its own providers and servers, and no command. If your own codex settings choose what commands see
(\`shell_environment_policy\` with \`inherit\`, \`exclude\` or \`include_only\`), they count on codex, and nothing is added.

Codex itself, and commands of a turn that nobody attends, get these and nothing else; a proxy with a password in its address is for codex
alone. Your own commands (\`!ls\`) see all of your environment, without what is only in \`.env\`.

${table(
  ["variable", "what it is for"],
  passedVariables.map(({ name, meaning }) => [`\`${name}\``, meaning]),
)}

Talaria's own requests go through a proxy only when \`NODE_USE_ENV_PROXY=1\` is set as well: that is how Node wants it.
`;
}

const variables = (known: readonly KnownVariable[]): string =>
  table(
    ["variable", "what it does", "outranks"],
    known.map(({ name, meaning, overrides }) => [
      `\`${name}\``,
      meaning,
      overrides === undefined ? "" : `\`${overrides}\``,
    ]),
  );

const keys = Object.values(builtInProviders).flatMap((provider) =>
  provider.kind === "route" && provider.keyEnv !== undefined
    ? [[`\`${provider.keyEnv}\``, `\`${provider.name}\``]]
    : [],
);
