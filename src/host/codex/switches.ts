import type { Guard } from "../../runtimes/codex/process/guards.ts";
import type { TomlValue } from "../../runtimes/codex/process/toml.ts";
import { denyGuard } from "./deny-guard.ts";

/** What the person has forbidden and switched off, in codex's words. */
export type CodexSwitches = {
  readonly switchedOff: Readonly<Record<string, TomlValue>>;
  readonly guards: readonly Guard[];
  /** What codex has all the same, each a sentence. */
  readonly unheeded: readonly string[];
};

/** `off`: names of tools and toolsets (`tools.disabled`). `deny`: `approvals.deny`. */
export function codexSwitches(off: readonly string[], deny: readonly string[], home: string): CodexSwitches {
  const isOff = offIn(off);
  const settings = codexOwnTools.filter(({ names }) => names.some(isOff)).map(({ setting }) => setting);
  const blocked = [...(writers.some(isOff) ? ["apply_patch"] : []), ...off.flatMap(serverToolPatterns)];
  return {
    switchedOff: Object.assign({}, ...settings) as Readonly<Record<string, TomlValue>>,
    guards: [
      ...(deny.length === 0 ? [] : [denyGuard({ deny, home })]),
      ...(blocked.length === 0 ? [] : [{ matcher: `^(${blocked.join("|")})$`, command: refusing }]),
    ],
    unheeded: Object.values(gaps(off)),
  };
}

/** Tools that are off and of which codex has its own all the same, each with a sentence about it. */
export function gaps(off: readonly string[]): Readonly<Record<string, string>> {
  const isOff = offIn(off);
  if (isOff("terminal")) return {};
  return Object.fromEntries(
    Object.entries(byCommands)
      .filter(([name]) => isOff(name))
      .map(([name, does]) => [
        name,
        `${name} is switched off, but codex ${does} with its own commands: switch off terminal too.`,
      ]),
  );
}

/** Of what codex brings itself, by the tools of ours that stand for the same. */
const codexOwnTools: readonly {
  readonly names: readonly string[];
  readonly setting: Record<string, TomlValue>;
}[] = [
  { names: ["terminal"], setting: { "features.shell_tool": false } },
  // Its search opens pages, too.
  { names: ["web_search", "web_extract"], setting: { web_search: "disabled" } },
  { names: ["vision_analyze"], setting: { "features.view_image": false } },
  { names: ["image_generate"], setting: { "features.image_generation": false } },
];

/** Both are one tool of codex, which it cannot leave out. */
const writers = ["patch", "write_file"];

const byCommands = {
  read_file: "reads files",
  search_files: "searches files",
  process: "keeps programs running",
};

const sets: Readonly<Record<string, string>> = {
  terminal: "terminal",
  process: "terminal",
  web_search: "web",
  web_extract: "web",
  vision_analyze: "vision",
  image_generate: "image_gen",
  patch: "file",
  write_file: "file",
  read_file: "file",
  search_files: "file",
};

const offIn =
  (off: readonly string[]) =>
  (name: string): boolean =>
    off.includes(name) || off.includes(sets[name] ?? name);

/** A tool of an MCP server has the same name in codex, but for its dashes. */
function serverToolPatterns(name: string): readonly string[] {
  if (name.startsWith("mcp__")) return [dashed(name)];
  return name.startsWith("mcp-") ? [`mcp__${dashed(name.slice(4))}__.*`] : [];
}

const dashed = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]/gu, "[-_]");

const refusing = "echo 'The person has switched this tool off (tools.disabled in Talaria).' >&2; exit 2";
