import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Resolves with the path of the new file. */
export type SaveMedia = (server: string, type: string, base64: string) => Promise<string>;

const maxBytes = 10 * 1024 * 1024;

/** Pictures, sounds and the like that tools return: nobody but the person may read them. */
export const mediaSaver =
  (folder: string): SaveMedia =>
  async (server, type, base64) => {
    const bytes = Buffer.from(base64, "base64");
    if (bytes.length === 0) throw new Error("it is empty");
    if (bytes.length > maxBytes) throw new Error(`it has ${bytes.length} bytes, and ${maxBytes} are allowed`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `mcp-${server.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 40)}-${randomUUID()}${ending(type)}`;
    const path = join(folder, name);
    await writeFile(path, bytes, { mode: 0o600, flag: "wx" });
    return path;
  };

const ending = (type: string): string =>
  endings.get((type.split(";")[0] ?? "").trim().toLowerCase()) ?? ".bin";

const endings: ReadonlyMap<string, string> = new Map([
  ["image/png", ".png"],
  ["image/jpeg", ".jpg"],
  ["image/gif", ".gif"],
  ["image/webp", ".webp"],
  ["audio/wav", ".wav"],
  ["audio/x-wav", ".wav"],
  ["audio/mpeg", ".mp3"],
  ["audio/ogg", ".ogg"],
  ["application/pdf", ".pdf"],
  ["application/json", ".json"],
  ["text/plain", ".txt"],
]);
