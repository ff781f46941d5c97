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

\`.env\` also feeds \`\${NAME}\` in the headers of providers and in \`mcp_servers\`.

## Handed on

Commands that a model runs, and codex, see these and nothing else of your environment; for codex, \`codex.env\` adds names. Your own
commands (\`!ls\`) see all of it, without what is only in \`.env\`.

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
