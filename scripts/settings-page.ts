import { type KnownKey, knownKeys } from "../src/config/key-lookup.ts";
import { settings } from "../src/config/keys.ts";
import { builtInProviders } from "../src/config/providers.ts";
import { table } from "./table.ts";

/** `docs/user/settings.md`, whole. */
export function settingsPage(): string {
  const sections = Map.groupBy(knownKeys, ({ key }) => key.split(".", 1)[0] as keyof typeof settings);
  const parts = [...sections].map(([name, keys]) => {
    const head = ["key", "what it means", "when unset", "works"];
    return [`## ${name}`, ...aboutOf(name), table(head, keys.map(row))].join("\n\n");
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

/** What the description of a section says, and what is known without it. */
function aboutOf(name: keyof typeof settings): readonly string[] {
  const section = settings[name];
  const about = "about" in section ? [section.about] : [];
  if (name !== "providers") return about;
  const names = Object.keys(builtInProviders).map((provider) => `\`${provider}\``);
  return [`${about.join()} Known without a word here: ${names.join(", ")}.`];
}

const row = ({ key, meaning, default: value, later }: KnownKey): readonly string[] => [
  `\`${key}\``,
  meaning,
  value === undefined ? "" : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``,
  later ? "later" : "now",
];
