import type { FileHandle } from "node:fs/promises";
import { basename, isAbsolute } from "node:path";
import type { AuxiliaryImage } from "../../core/auxiliary.ts";
import { pictureLimits, pictureOf } from "../../lib/picture.ts";
import { isInside } from "../../lib/sandbox/paths.ts";
import { openInside } from "../files/open-inside.ts";
import { type PixelSize, pixelSize } from "./pixel-size.ts";

export type FoundPicture = AuxiliaryImage & PixelSize;

/** `why` is a sentence for the model. */
export type NoPicture = { readonly why: string };

export type ReadablePaths = {
  readonly cwd: string;
  /** Where tools of ours put pictures. */
  readonly mediaFolder: string;
  /** What no tool reads, wherever the working folder is. */
  readonly guarded: readonly string[];
};

/** From a file that `read_file` could open, or that a tool of ours made. */
export async function pictureInFile(
  path: string,
  { cwd, mediaFolder, guarded }: ReadablePaths,
): Promise<FoundPicture | NoPicture> {
  const isOurs = isAbsolute(path) && isInside(path, mediaFolder);
  const opened = isOurs ? await openInside(mediaFolder, path) : await openInside(cwd, path, guarded);
  if (opened.kind === "refused") return { why: opened.why };
  if (opened.kind === "folder") return { why: `${path} is a folder. Name a picture in it.` };
  await using handle = opened.handle;
  const { size } = await handle.stat();
  if (size > pictureLimits.maxBytes) return tooBig(path);
  return checkedPicture(path, await bytesOf(handle, size));
}

/** From an address that holds the picture itself. */
export function pictureInAddress(address: string): FoundPicture | NoPicture {
  const comma = address.indexOf(",");
  const isBase64 = comma !== -1 && /;base64$/i.test(address.slice(0, comma));
  const data = address.slice(comma + 1);
  if (!isBase64 || !/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(data))
    return { why: "A data address has to look like data:image/png;base64,… with base64 after the comma." };
  return checkedPicture("the data address", Buffer.from(data, "base64"));
}

/** What the bytes are counts, whatever a name or a server says. */
export function checkedPicture(source: string, bytes: Buffer): FoundPicture | NoPicture {
  const picture = pictureOf(basename(source), bytes);
  if ("why" in picture)
    return picture.why === "too_big"
      ? tooBig(source)
      : { why: `${source} is not a picture that can be looked at. Give a PNG, JPEG, GIF or WebP.` };
  const size = pixelSize(bytes);
  if (size === undefined) return { why: `${source} is a broken picture: it ends before it says its size.` };
  const { mediaType, base64 } = picture;
  return { mediaType, base64, ...size };
}

async function bytesOf(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length);
    if (bytesRead === 0) break; // it has become shorter meanwhile
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

export const tooBig = (source: string): NoPicture => ({
  why: `${source} is larger than ${pictureLimits.maxBytes / 1024 / 1024} MiB, the most that is sent to a model. Make it smaller first.`,
});
