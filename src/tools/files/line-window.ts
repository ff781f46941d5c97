import type { FileHandle } from "node:fs/promises";
import { cutEnd } from "../cut-middle.ts";

export type LineWindow = {
  readonly lines: readonly string[];
  /** Lines that were passed over or taken. It is the number of lines of the file when `more` is false. */
  readonly counted: number;
  readonly more: boolean;
};

type Wanted = { readonly offset: number; readonly limit: number; readonly maxBytes: number };

const chunkBytes = 64 * 1024;
/** Longer lines are cut. */
const maxLineChars = 2000;
/** No secret is longer: what stands so near the end of what is held may be half of one. */
const longestSecret = 4096;
/** A character takes at most three bytes per unit of length, so what is held is always enough. */
const maxShownBytes = 4 * maxLineChars;
const maxLineBytes = maxShownBytes + 4 * longestSecret;

/** Lines from the one-based `offset`, until `limit` lines or about `maxBytes` are taken. The file may be of any size. */
export async function readLines(
  handle: FileHandle,
  wanted: Wanted,
  signal: AbortSignal,
  mask: (text: string) => string = (text) => text,
): Promise<LineWindow> {
  const lines: string[] = [];
  let counted = 0;
  let taken = 0;
  let line = emptyLine();
  const finish = (): void => {
    counted += 1;
    if (counted >= wanted.offset) lines.push(lineText(line, mask));
    line = emptyLine();
  };
  for await (const chunk of chunks(handle, signal)) {
    for (let from = 0; from < chunk.length;) {
      if (lines.length >= wanted.limit || taken >= wanted.maxBytes) return { lines, counted, more: true };
      const end = chunk.indexOf(0x0a, from);
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
      if (counted + 1 >= wanted.offset) taken += hold(line, piece);
      line.length += piece.length;
      from += piece.length + 1;
      if (end !== -1) finish();
    }
  }
  if (line.length > 0) finish();
  return { lines, counted, more: false };
}

async function* chunks(handle: FileHandle, signal: AbortSignal): AsyncIterable<Buffer> {
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

type HeldLine = { readonly held: Buffer[]; heldBytes: number; length: number };

const emptyLine = (): HeldLine => ({ held: [], heldBytes: 0, length: 0 });

/** Keeps as much of the piece as is needed; says how much of that may be shown. */
function hold(line: HeldLine, piece: Buffer): number {
  const kept = piece.subarray(0, maxLineBytes - line.heldBytes);
  if (kept.length > 0) line.held.push(kept);
  const shown = Math.max(0, Math.min(kept.length, maxShownBytes - line.heldBytes));
  line.heldBytes += kept.length;
  return shown;
}

/** Secrets are masked before the line is cut. */
function lineText(line: HeldLine, mask: (text: string) => string): string {
  const text = mask(
    Buffer.concat(line.held)
      .toString("utf8")
      .replaceAll(/^\uFEFF|\r$/g, ""),
  );
  const whole = line.heldBytes === line.length;
  if (whole && text.length <= maxLineChars) return text;
  const shown = cutEnd(text, Math.min(maxLineChars, whole ? maxLineChars : text.length - longestSecret));
  return `${shown}… [${line.length - Buffer.byteLength(shown)} more bytes in this line]`;
}
