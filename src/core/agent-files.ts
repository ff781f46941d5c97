/** By these names agents look for what they are to do, in whatever folder. */
const names = [
  ["AGENTS.md", "AGENTS.override.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "SKILL.md"],
  [
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".roorules",
    ".goosehints",
    ".aider.conf.yml",
    ".mcp.json",
  ],
].flat();

/** In these everything is for agents: rules, skills, settings, servers that they start. */
const places = [
  [".agents", ".codex", ".claude", ".cursor", ".talaria", ".gemini", ".windsurf", ".roo", ".kiro", ".junie"],
  [".continue", ".opencode", ".clinerules", ".github/copilot-instructions.md", ".github/instructions"],
  [".github/prompts", ".github/agents", ".github/chatmodes", ".github/skills"],
].flat();

const lowerNames = new Set(names.map((name) => name.toLowerCase()));

/** Would an agent that works there later take this file, or what is in this folder, for an order? */
export function instructsAgents(path: string): boolean {
  const lower = `/${path.toLowerCase()}/`;
  const name = lower.slice(lower.lastIndexOf("/", lower.length - 2) + 1, -1);
  return lowerNames.has(name) || places.some((place) => lower.includes(`/${place}/`));
}

/** What to look for in a folder: files, and folders with everything in them. */
export const agentFiles: readonly string[] = [...new Set([...names, ...places])];
