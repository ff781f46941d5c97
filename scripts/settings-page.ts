import { type KnownKey, knownKeys } from "../src/config/keys.ts";
import { builtInProviders } from "../src/config/providers.ts";
import { table } from "./table.ts";

/** `docs/user/settings.md`, whole. */
export function settingsPage(): string {
  const sections = Map.groupBy(knownKeys, ({ key }) => key.split(".", 1)[0] ?? key);
  const parts = [...sections].map(([name, keys]) => {
    const about = introductions[name];
    const head = ["key", "what it means", "when unset", "works"];
    return [`## ${name}`, ...(about === undefined ? [] : [about]), table(head, keys.map(row))].join("\n\n");
  });
  return `${[introduction, ...parts].join("\n\n")}\n`;
}

const introduction = `# Settings

Generated from the table of keys in \`src/config/keys.ts\` by \`npm run docs\`; changes by hand are lost.

Settings are in \`config.yaml\` in Talaria's home (\`~/.talaria\`, or the folder of a profile). Change them with
\`talaria config set KEY VALUE\`, which checks the value and leaves every other byte of the file alone, or with an editor. They hold
from the next start on. In a chat \`/codex-runtime\` and \`/tools\` change theirs, and for those there is no need to wait.

- A key is written with dots: \`model.default\` is \`default\` in the section \`model\`. \`*\` stands for a name that you choose, or for a
  place in a list.
- What is wrong is named with file, line and key, and nothing is started. What has no effect gets a warning, with the key that was
  meant if one is close.
- Weakest first: the default, this file, [the environment](environment.md), options of the command line.
- Keys of providers do not belong here but into \`.env\` beside it, or into the environment.
- \`later\` is accepted and checked, but has no effect in this version.`;

const coming = "See [what is coming](codex-runtime.md#what-is-coming).";

const introductions: Readonly<Record<string, string>> = {
  model:
    "Who answers, and who runs the turns. See [models](models.md) and [codex as runtime](codex-runtime.md).",
  providers: `Addresses of models. Known without a word here: ${Object.keys(builtInProviders)
    .map((name) => `\`${name}\``)
    .join(", ")}.`,
  fallback_providers: "A list. See [when a provider fails](models.md#when-a-provider-fails).",
  auxiliary: "Who does the small tasks beside the turns.",
  mcp_servers: "Your MCP servers, for turns on either runtime. See [MCP servers](mcp-servers.md).",
  codex: "See [codex as runtime](codex-runtime.md), also for a codex of its own for a profile.",
  terminal: "How commands are run. See [approvals](approvals.md).",
  budgets: "What may be spent. See [costs](costs.md).",
  compression: "See [long conversations](long-conversations.md).",
  approvals: "What is asked before it is done. See [approvals](approvals.md).",
  memory: "See [learning](learning.md).",
  skills: "See [learning](learning.md#skills).",
  learning: "See [reviews](learning.md#review).",
  curator: "See [the curator](learning.md#the-curator).",
  tools: "See [tools](tools.md#switching-tools-on-and-off).",
  cron: coming,
  kanban: coming,
  goals: coming,
  display: "How the terminal behaves.",
};

const row = ({ key, meaning, default: value, effect }: KnownKey): readonly string[] => [
  `\`${key}\``,
  meaning,
  value === undefined ? "" : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``,
  effect,
];
