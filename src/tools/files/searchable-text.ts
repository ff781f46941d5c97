import { closeSync, constants, fstatSync, openSync, readSync, readlinkSync } from "node:fs";

const maxFileBytes = 4 * 1024 * 1024;
const sniffBytes = 8 * 1024;

/** The text of a file, unless it is not one, or not of a size that is worth it. A link in its place is not followed. */
export function searchableText(path: string): string | { readonly not: "binary" | "large" | "unreadable" } {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    const moved = process.platform === "linux" && readlinkSync(`/proc/self/fd/${fd}`) !== path;
    if (!stat.isFile() || moved) return { not: "unreadable" };
    if (stat.size > maxFileBytes) return { not: "large" };
    const bytes = Buffer.alloc(stat.size);
    const read = readSync(fd, bytes, 0, bytes.length, 0);
    if (bytes.subarray(0, Math.min(read, sniffBytes)).includes(0)) return { not: "binary" };
    return bytes.toString("utf8", 0, read);
  } catch {
    return { not: "unreadable" };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
