import { readFileSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { isPlainObject } from "../../../core/json.ts";
import { isScript } from "./native-binary.ts";

/** What a codex printed as its version, kept for our next start. `identity`: stands for the file as it is now. */
export function keptVersion(keptIn: string, identity: string): string | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(keptIn, "utf8"));
    if (!isPlainObject(kept) || kept["identity"] !== identity) return undefined;
    return typeof kept["version"] === "string" ? kept["version"] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Only of codex itself: a script, or the link to a version manager, stays the same file when another codex is installed.
 * Never rejects, and makes no home: it is asked again then.
 */
export async function keepVersion(
  keptIn: string,
  program: string,
  identity: string,
  version: string,
): Promise<void> {
  try {
    const real = realpathSync(program);
    if (!/^codex\b/.test(basename(real)) || isScript(real)) return;
    await mkdir(dirname(keptIn), { mode: 0o700 }).catch(() => {}); // it may be there
    await writeFile(keptIn, JSON.stringify({ identity, version }), { mode: 0o600 });
  } catch {
    // A full disk is no reason not to run codex.
  }
}
