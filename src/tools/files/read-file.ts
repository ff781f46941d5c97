import type { FileHandle } from "node:fs/promises";
import { extname } from "node:path";
import { z } from "zod";
import { folderEntries } from "./folder-entries.ts";
import { type LineWindow, readLines } from "./line-window.ts";
import { openInside } from "./open-inside.ts";
import { type Tool, type ToolResult, failed } from "../tool.ts";

const maxLines = 2000;
const maxReadBytes = 256 * 1024;
const sniffBytes = 8 * 1024;
const maxNames = 50;

const schema = z.object({
  path: z.string().min(1).describe("File to read, inside the working folder; relative to it or absolute"),
  offset: z.int().min(1).max(1_000_000_000).optional().describe("First line to show, from 1 (default 1)"),
  limit: z.int().min(1).max(maxLines).optional().describe(`How many lines (default and most: ${maxLines})`),
});

/** `guarded`: places whose files are not for models, wherever the working folder is. */
export const readFileTool = (guarded: readonly string[] = []): Tool<typeof schema> => ({
  name: "read_file",
  toolset: "file",
  description:
    "Read a text file inside the working folder as numbered lines (number, tab, text). For a long file, read on with offset.",
  schema,
  effect: "none",
  timeoutMs: 30_000,
  // A full read with its line numbers fits, so that nothing is cut out of its middle.
  maxOutputChars: maxReadBytes + maxLines * 32,

  async run({ path, offset = 1, limit = maxLines }, { cwd, hidden = [], signal, mask }) {
    const opened = await openInside(cwd, path, [...guarded, ...hidden]);
    if (opened.kind === "refused") return failed(opened.why);
    if (opened.kind === "folder") return failed(folderText(path, opened.path));
    await using handle = opened.handle;
    const binary = await binaryKind(handle, path);
    if (binary !== undefined) return failed(binary);
    const before = await handle.stat({ bigint: true });
    const window = await readLines(handle, { offset, limit, maxBytes: maxReadBytes }, signal, mask);
    const after = await handle.stat({ bigint: true });
    const changed = before.mtimeNs !== after.mtimeNs || before.size !== after.size;
    return fileText(path, offset, window, changed);
  },
});

function fileText(path: string, offset: number, window: LineWindow, changed: boolean): ToolResult {
  const { lines, counted, more } = window;
  if (counted === 0) return { ok: true, output: `[${path} is empty]` };
  if (lines.length === 0) {
    return failed(`${path} has only ${counted} lines, so there is nothing at line ${offset}.`);
  }
  const notes = [
    ...(more ? [`[More lines follow; read on with offset ${offset + lines.length}]`] : []),
    ...(changed ? ["[The file changed while it was being read; read it again to be sure]"] : []),
  ];
  return { ok: true, output: [...lines.map((line, at) => `${offset + at}\t${line}`), ...notes].join("\n") };
}

function folderText(path: string, real: string): string {
  const entries = folderEntries(real);
  if (entries === undefined) return `${path} is a folder that cannot be read, or was replaced just now.`;
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  const rest = names.length > maxNames ? `, and ${names.length - maxNames} more` : "";
  const holds =
    names.length === 0 ? "It is empty." : `It holds: ${names.slice(0, maxNames).join(", ")}${rest}.`;
  return `${path} is a folder, not a file. ${holds}`;
}

/** A sentence about a file that cannot be shown as lines, or `undefined` for text. */
async function binaryKind(handle: FileHandle, path: string): Promise<string | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sniffBytes), 0, sniffBytes, 0);
  if (!buffer.subarray(0, bytesRead).includes(0)) return undefined;
  const { size } = await handle.stat();
  return `${path} is not UTF-8 text: it is ${fileType(buffer, path)}, ${size} bytes.`;
}

function fileType(start: Buffer, path: string): string {
  const known = beginnings.find(([bytes]) =>
    start.subarray(0, bytes.length).equals(Buffer.from(bytes, "latin1")),
  );
  if (known !== undefined) return known[1];
  const ending = extname(path);
  return ending === "" ? "binary data of an unknown type" : `binary data (${ending})`;
}

const beginnings: readonly (readonly [bytes: string, type: string])[] = [
  ["\x89PNG", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["%PDF", "a PDF document"],
  ["PK\x03\x04", "a ZIP archive or an office document"],
  ["\x1f\x8b", "gzip-compressed data"],
  ["\x7fELF", "a Linux program or library"],
  ["SQLite format 3", "an SQLite database"],
  ["\xff\xfe", "UTF-16 text"],
  ["\xfe\xff", "UTF-16 text"],
];
