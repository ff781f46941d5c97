import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { configFault } from "./findings.ts";
import type { ConfigWarning } from "./findings.ts";

/** The text of a file, `undefined` when there is none; anything else in the way is a config fault. */
export async function readTextFile(file: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return undefined;
    throw configFault(
      [{ file, message: `expected a text file, got: ${reason(code, error)}` }],
      next(code, file),
      error,
    );
  }
}

function reason(code: unknown, error: unknown): string {
  if (code === "EACCES" || code === "EPERM") return "no permission to read it";
  if (code === "EISDIR") return "a folder";
  if (code === "ENOTDIR") return "a path through something that is not a folder";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "bytes that are not UTF-8";
  return error instanceof Error ? error.message : String(error);
}

function next(code: unknown, file: string): string {
  if (code === "EACCES" || code === "EPERM") return `Run: chmod u+r ${file}`;
  if (code === "ENOTDIR") return "Point TALARIA_HOME to a folder.";
  return `Replace or remove ${file}.`;
}

/** Secrets must be private by their own mode; other settings when the folder lets others in as well. */
export async function looseMode(
  file: string,
  holds: "secrets" | "settings",
): Promise<readonly ConfigWarning[]> {
  const own = await modeOf(file);
  const reachable = holds === "secrets" || ((await modeOf(dirname(file))) & 0o011) !== 0;
  if ((own & 0o044) === 0 || !reachable) return [];
  return [{ file, message: `can be read by other users of this machine; run: chmod 600 ${file}` }];
}

const modeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mode }) => mode,
    () => 0,
  );
