import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sample } from "../../test/seeded.ts";
import { runCommand } from "../../src/lib/process/command.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { rewrite } from "../../src/runtimes/codex/settings-file/rewrite.ts";
import { personFile } from "../../src/runtimes/codex/settings-file/toml-files.suite.ts";
import { pinnedCodex } from "../../test/codex-schema/pinned-codex.ts";
import { fileIn } from "./world.ts";

const wish = {
  servers: new Map([
    ["alpha", { settings: { command: "ours", args: ["[a]", '"'], tool_timeout_sec: 30 }, off: false }],
    ["gamma", { settings: { url: "http://127.0.0.1:1/", http_headers: { "X-Y": "é" } }, off: true }],
  ]),
  plugins: new Map([["one@shop", true]]),
};

/** Whatever codex could read before it can read afterwards, with the person's servers as they were and ours beside them. */
export async function codexReads(
  folder: string,
  files: number,
  seed: number,
): Promise<{ readonly files: number; readonly broken: readonly string[] }> {
  await mkdir(folder);
  const broken: string[] = [];
  let read = 0;
  for (const text of sample(personFile, { numRuns: files, seed })) {
    const before = await serversIn(folder, text);
    if (before === undefined) continue;
    read += 1;
    const { text: after, block } = rewrite("config.toml", text, wish);
    const found = await serversIn(folder, after);
    const missing = [...Object.keys(before), ...block.servers].filter((name) => found?.[name] === undefined);
    const changed = Object.keys(before).filter((name) => found?.[name] !== before[name]);
    if (found === undefined || missing.length + changed.length > 0)
      broken.push(`codex reads ${JSON.stringify({ missing, changed })} in ${JSON.stringify(after)}`);
  }
  return { files: read, broken };
}

/** Undefined: codex refuses the file. */
async function serversIn(
  folder: string,
  text: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  await writeFile(fileIn(folder), text);
  const { code, stdout } = await runCommand({
    command: pinnedCodex(),
    args: ["mcp", "list", "--json"],
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, CODEX_HOME: folder, TMPDIR: join(folder, "tmp") },
    clock: systemClock,
    signal: AbortSignal.timeout(30_000),
  });
  if (code !== 0) return undefined;
  const servers = JSON.parse(stdout) as readonly { readonly name: string; readonly transport: unknown }[];
  return Object.fromEntries(servers.map(({ name, transport }) => [name, JSON.stringify(transport)]));
}
