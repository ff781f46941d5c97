import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { basename } from "node:path";

export type Picture = { readonly name: string; readonly mediaType: string; readonly base64: string };

/** `detail`: what the system said, when it said something. */
export type NoPicture = {
  readonly why: "missing" | "unreadable" | "not_a_picture" | "too_big";
  readonly detail: string;
};

export const pictureLimits = { maxBytes: 20 * 1024 * 1024 } as const;
export const pictureEndings = [".png", ".jpg", ".jpeg", ".gif", ".webp"] as const;

/**
 * The picture in a file, known by its content and not by its name. Only regular files are opened, and of one that is no
 * picture, or too big, only the first bytes are read. Never rejects.
 */
export async function readPicture(
  path: string,
  { maxBytes }: { readonly maxBytes: number } = pictureLimits,
): Promise<Picture | NoPicture> {
  try {
    // Checked before it is opened: opening a pipe or a device has effects of its own.
    if (!(await stat(path)).isFile()) return no("not_a_picture");
    // So that it does not hang if the file has become a pipe since the check.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = await file.stat();
    if (!info.isFile()) return no("not_a_picture");
    if (mediaTypeOf(await startOf(file, headBytes)) === undefined) return no("not_a_picture");
    if (info.size > maxBytes) return no("too_big");
    return pictureOf(basename(path), await startOf(file, maxBytes + 1, info.size + 1), { maxBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return no(code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable", message);
  }
}

export function pictureOf(
  name: string,
  bytes: Buffer,
  { maxBytes }: { readonly maxBytes: number } = pictureLimits,
): Picture | NoPicture {
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined) return no("not_a_picture");
  if (bytes.length > maxBytes) return no("too_big");
  return { name, mediaType, base64: bytes.toString("base64") };
}

const headBytes = 12;

/** `undefined`: it does not begin as a picture. */
export function mediaTypeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, headBytes);
  if (head.startsWith("\u0089PNG\r\n\u001A\n")) return "image/png";
  if (head.startsWith("\u00FF\u00D8\u00FF")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  if (/^RIFF[^]{4}WEBP/.test(head)) return "image/webp";
  return undefined;
}

/** At most `max` bytes from the start; `expected` saves memory when the size is known. */
async function startOf(file: FileHandle, max: number, expected = max): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.min(max, expected));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

const no = (why: NoPicture["why"], detail = ""): NoPicture => ({ why, detail });
