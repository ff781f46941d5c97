/** The import table of the project and the check behind test/architecture.test.ts. Pure, so that planted violations can be tried on it. */

export type SourceFile = { readonly path: string; readonly text: string };

type Row = {
  /** Folders it may import; a trailing `*` means: the front file only. */
  readonly folders: readonly string[];
  readonly packages?: readonly string[];
  /** May it touch Node itself? */
  readonly node?: boolean;
};

/** Imports only point down: a folder lists nothing that stands above it. */
export const table: Readonly<Record<string, Row>> = {
  core: { folders: [], node: false },
  lib: { folders: [] },
  config: { folders: ["core", "lib"], packages: ["zod", "yaml"] },
  store: { folders: ["core", "lib"], packages: ["kysely", "pg"] },
  transcript: { folders: ["core"], node: false },
  approvals: { folders: ["core", "lib", "store"] },
  models: { folders: ["core", "lib"], packages: ["zod", "eventsource-parser"] },
  tools: {
    folders: ["core", "lib"],
    packages: [
      "zod",
      "@modelcontextprotocol/client",
      "playwright-core",
      "@mozilla/readability",
      "linkedom",
      "turndown",
    ],
  },
  runtimes: {
    folders: ["core", "lib", "models", "tools"],
    packages: ["zod", "smol-toml", "toml-eslint-parser"],
  },
  agent: { folders: ["core", "lib", "transcript", "store", "approvals", "runtimes*", "tools*"] },
  learning: {
    folders: ["core", "lib", "transcript", "store", "tools*", "agent*"],
    packages: ["zod", "yaml"],
  },
  work: { folders: ["core", "lib", "store", "tools*", "agent*"], packages: ["croner"] },
  maintenance: { folders: ["core", "lib", "config", "store", "models", "tools", "runtimes"] },
  operations: { folders: ["core"], packages: ["zod"], node: false },
  "surfaces/cli": { folders: surfaceFolders(), packages: ["commander", "@clack/prompts"] },
  "surfaces/tui": { folders: surfaceFolders(), packages: ["@earendil-works/pi-tui"] },
  "surfaces/acp": { folders: surfaceFolders(), packages: ["@agentclientprotocol/sdk"] },
  "surfaces/serve": { folders: surfaceFolders() },
  "surfaces/socket": { folders: [...surfaceFolders(), "config"] },
  "surfaces/mcp": { folders: [...surfaceFolders(), "tools*"], packages: ["@modelcontextprotocol/server"] },
  "surfaces/gateway": {
    folders: surfaceFolders(),
    packages: ["grammy", "@slack/socket-mode", "@slack/web-api", "discord.js", "marked"],
  },
  "surfaces/http": { folders: surfaceFolders(), packages: ["hono", "@hono/node-server", "zod"] },
  host: { folders: ["*"] },
  "main.ts": {
    folders: [
      ["core", "lib", "host*", "surfaces/acp*", "surfaces/cli*", "surfaces/mcp*", "surfaces/tui*"],
      ["surfaces/gateway*", "surfaces/http*", "surfaces/serve*", "surfaces/socket*"],
    ].flat(),
  },
};

function surfaceFolders(): string[] {
  return ["core", "lib", "operations", "agent*", "work*", "approvals*"];
}

/** The file through which other folders see a folder. */
export const fronts: Readonly<Record<string, string>> = {
  agent: "index.ts",
  approvals: "index.ts",
  host: "index.ts",
  learning: "index.ts",
  runtimes: "runtime.ts",
  "surfaces/acp": "index.ts",
  "surfaces/cli": "index.ts",
  "surfaces/gateway": "index.ts",
  "surfaces/http": "index.ts",
  "surfaces/mcp": "index.ts",
  "surfaces/serve": "index.ts",
  "surfaces/socket": "index.ts",
  "surfaces/tui": "index.ts",
  tools: "tool.ts",
  work: "index.ts",
};

/** These may be imported from several folders; any other package has one owner. */
const sharedPackages = new Set(["zod", "kysely", "yaml"]);

/** One sentence for each broken rule. */
export function violations(files: readonly SourceFile[]): string[] {
  const owners = new Map<string, string>();
  return files
    .filter((file) => !isTestFile(file.path))
    .flatMap((file) => {
      const folder = folderOf(file.path);
      const row = table[folder];
      if (row === undefined) return [`${file.path}: folder "${folder}" has no row in the import table`];
      return importsOf(file.text).flatMap((target) => judge(file.path, folder, row, target, owners));
    });
}

function judge(
  path: string,
  folder: string,
  row: Row,
  target: string,
  owners: Map<string, string>,
): string[] {
  if (target.startsWith("node:")) {
    return row.node === false ? [`${path}: ${folder} may not import ${target}`] : [];
  }
  if (target.startsWith(".")) return judgeFolder(path, folder, row, target);
  return judgePackage(path, folder, row, packageName(target), owners);
}

function judgeFolder(path: string, folder: string, row: Row, target: string): string[] {
  const resolved = resolvePath(path, target);
  const other = folderOf(resolved);
  if (other === folder || (folder === "host" && row.folders.includes("*"))) return [];
  if (folder.startsWith("surfaces/") && other.startsWith("surfaces/")) {
    return [`${path}: a surface may not import another surface (${resolved})`];
  }
  if (row.folders.includes(other)) return [];
  if (!row.folders.includes(`${other}*`)) return [`${path}: ${folder} may not import ${other} (${resolved})`];
  const front = `src/${other}/${fronts[other]}`;
  return resolved === front ? [] : [`${path}: ${folder} may import only ${front}, not ${resolved}`];
}

function judgePackage(
  path: string,
  folder: string,
  row: Row,
  name: string,
  owners: Map<string, string>,
): string[] {
  if (!row.packages?.includes(name)) return [`${path}: ${folder} may not import the package ${name}`];
  const owner = owners.get(name) ?? folder;
  owners.set(name, owner);
  if (sharedPackages.has(name) || owner === folder) return [];
  return [`${path}: the package ${name} belongs to ${owner}, ${folder} may not import it`];
}

/** `src/surfaces/cli/run.ts` → `surfaces/cli`, `src/main.ts` → `main.ts`, otherwise the first folder. */
function folderOf(path: string): string {
  const [, first = "", second = ""] = path.split("/");
  return first === "surfaces" ? `${first}/${second}` : first;
}

function importsOf(text: string): string[] {
  const pattern =
    /(?:^|[\s;])(?:import|export)\s(?:[^"';]*?\sfrom\s*)?["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/gm;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? "");
}

function resolvePath(from: string, target: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const step of target.split("/")) {
    if (step === "..") parts.pop();
    if (step !== ".." && step !== ".") parts.push(step);
  }
  return parts.join("/");
}

const packageName = (target: string): string =>
  target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");

const isTestFile = (path: string): boolean => /\.(test|suite)\.ts$/.test(path);
