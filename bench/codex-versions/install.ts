import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { findCodex } from "../../src/runtimes/codex/process/binary.ts";
import { npm } from "./npm.ts";

/** The program of that version: our own, one that was installed before, or one that is installed now. */
export async function install(version: string): Promise<string> {
  const own = await programIn(resolve("."), version);
  if (own !== undefined) return own;
  const folder = resolve("node_modules/.cache/codex-versions", version);
  const before = await programIn(folder, version);
  if (before !== undefined) return before;
  await mkdir(folder, { recursive: true });
  const quiet = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
  await npm(["install", "--prefix", folder, `@openai/codex@${version}`, ...quiet]);
  const installed = await programIn(folder, version);
  if (installed === undefined) throw new Error(`npm installed no codex ${version} that runs, in ${folder}.`);
  return installed;
}

async function programIn(folder: string, version: string): Promise<string | undefined> {
  const found = await findCodex({
    configured: join(folder, "node_modules/@openai/codex/bin/codex.js"),
    env: {},
    ownRoot: folder,
    clock: systemClock,
    signal: new AbortController().signal,
  });
  return "code" in found || found.version !== version ? undefined : found.path;
}
