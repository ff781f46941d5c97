import { type Hash, createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { OutFile } from "../../core/gateway/chat.ts";
import { clean } from "../../core/plain-text.ts";
import { ensurePrivateDir, syncFolder } from "../../lib/files/atomic-file.ts";
import { fileType } from "./media-type.ts";

/** A file that was opened and may be sent. `path`: as it was asked for. */
export type Sendable = { readonly path: string; readonly handle: FileHandle };

/** `most`: bytes that its platform takes. */
export type ReadOptions = { readonly most: number; readonly signal: AbortSignal };

/** `digest`: of all its bytes. */
export type Looked = { readonly name: string; readonly bytes: number; readonly digest: string };

/** `why` is a sentence for the model. */
export type NotSendable = { readonly why: string };

/** What it holds now, so that a yes to it is a yes to nothing else. */
export function lookAt(file: Sendable, options: ReadOptions): Promise<Looked | NotSendable> {
  return readWhole(file, options, async () => {});
}

/**
 * Copies what the handle holds into `folder`, for this user alone; whoever swaps the path meanwhile changes nothing. `digest`: what it has to
 * hold, if somebody was asked about it. What cannot be copied whole leaves nothing behind.
 */
export async function copyOut(
  file: Sendable,
  folder: string,
  options: ReadOptions & { readonly digest?: string },
): Promise<OutFile | NotSendable> {
  const unfinished = join(folder, `.${randomUUID()}.part`);
  const start = Buffer.alloc(64);
  await ensurePrivateDir(folder);
  try {
    await using copy = await open(unfinished, "wx", 0o600);
    await copy.chmod(0o600);
    const looked = await readWhole(file, options, async (chunk, at) => {
      if (at < start.length) chunk.copy(start, at);
      await copy.writeFile(chunk);
    });
    if ("why" in looked) return await dropped(folder, looked);
    if (options.digest !== undefined && options.digest !== looked.digest)
      return await dropped(folder, { why: otherNow(file.path) });
    await copy.sync();
    const path = join(folder, looked.name);
    await rename(unfinished, path);
    await syncFolder(folder);
    return { path, name: looked.name, mediaType: fileType(looked.name, start), bytes: looked.bytes };
  } catch (error) {
    await dropCopy(folder);
    throw error;
  }
}

async function dropped(folder: string, why: NotSendable): Promise<NotSendable> {
  await dropCopy(folder);
  return why;
}

export const dropCopy = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

const chunkBytes = 1024 * 1024;

async function readWhole(
  { path, handle }: Sendable,
  { most, signal }: ReadOptions,
  take: (chunk: Buffer, at: number) => Promise<void>,
): Promise<Looked | NotSendable> {
  const before = await handle.stat({ bigint: true });
  if (before.size > most) return { why: tooBig(path, most) };
  const hash = createHash("sha256");
  const bytes = await readOn(handle, { most, signal }, hash, take);
  const after = await handle.stat({ bigint: true });
  if (bytes === 0) return { why: `${path} is empty, and chat apps take no empty files.` };
  const isSame =
    BigInt(bytes) === after.size && before.size === after.size && before.mtimeNs === after.mtimeNs;
  if (!isSame) return { why: `${path} changed while it was being read. Nothing was sent; try again.` };
  return { name: nameFor(path), bytes, digest: hash.digest("hex") };
}

/** From the beginning, and no more than `most`, however fast it grows. */
async function readOn(
  handle: FileHandle,
  { most, signal }: ReadOptions,
  hash: Hash,
  take: (chunk: Buffer, at: number) => Promise<void>,
): Promise<number> {
  const buffer = Buffer.alloc(chunkBytes);
  let at = 0;
  while (at <= most) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await take(chunk, at);
    at += bytesRead;
  }
  return at;
}

/** The last word of the path, without what a screen would not show as it is. */
export const nameFor = (path: string): string =>
  clean(basename(path)).replaceAll(/[\t\n\u2028\u2029\uFFFD"\\]/g, "_");

const tooBig = (path: string, most: number): string =>
  `${path} is larger than ${most / 1_000_000} MB, the most that can be sent here. Make it smaller, or send a part of it.`;

const otherNow = (path: string): string =>
  `${path} is not what it was when the question about it was asked. Nothing was sent; it has to be asked about again.`;
