import { realpath, stat } from "node:fs/promises";

/** Changes when the path leads to another folder than before. Undefined: it leads nowhere. */
export async function folderIdentity(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    const { dev, ino } = await stat(real, { bigint: true });
    return `${dev}:${ino}:${real}`;
  } catch (error) {
    if (error instanceof Error && "code" in error && leadsNowhere.has(String(error.code))) return undefined;
    throw error;
  }
}

const leadsNowhere: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);
