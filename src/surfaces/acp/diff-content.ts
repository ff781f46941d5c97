import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Diff, ToolCallContent } from "@agentclientprotocol/sdk";
import type { FileChange, Question } from "../../core/asking.ts";
import { codeBlock } from "./markdown.ts";
import { type DiffedFile, type Hunk, bareHunks, diffedFiles, otherSide } from "./unified-diff.ts";

/**
 * What calls have changed, as an editor can show it: the whole file before and after where both can be had for certain,
 * from what stands there now and what the diff says; else the diff itself.
 */
export async function changedContent(diff: string, cwd: string): Promise<readonly ToolCallContent[]> {
  const files = diffedFiles(diff);
  if (files === undefined) return [asText(diff)];
  return Promise.all(files.map((file) => fileContent(file, cwd)));
}

/** The same for changes that nobody has allowed yet. Those without a certain before and after are left to the words. */
export async function plannedContent({ action, origin }: Question): Promise<readonly ToolCallContent[]> {
  if (action.kind !== "change") return [];
  const sides = (action.changes ?? []).map((change) => planned(change, origin !== undefined));
  return (await Promise.all(sides)).flatMap((side) =>
    side === undefined ? [] : [{ type: "diff" as const, ...side }],
  );
}

async function fileContent(file: DiffedFile, cwd: string): Promise<ToolCallContent> {
  const path = resolve(cwd, file.after ?? file.before ?? "");
  const side = await sidesAfter(file, path);
  return side === undefined ? asText(file.source) : { type: "diff", ...side };
}

async function sidesAfter({ before, after, hunks }: DiffedFile, path: string): Promise<Diff | undefined> {
  if (before === undefined) return added(path, otherSide("", hunks, "old"));
  if (after === undefined) return removed(path, otherSide("", hunks, "fresh"));
  const newText = await textOf(path);
  const oldText = newText === undefined ? undefined : otherSide(newText, hunks, "fresh");
  return newText === undefined || oldText === undefined ? undefined : { path, oldText, newText };
}

/** `raw`: codex gives a new or removed file as its content, and changes of others without a header. */
async function planned({ path, kind, diff = "" }: FileChange, raw: boolean): Promise<Diff | undefined> {
  if (kind === "move") return undefined;
  const hunks = raw ? bareHunks(diff) : diffedFiles(diff)?.[0]?.hunks;
  if (kind === "add") return added(path, raw ? diff : applied("", hunks, "old"));
  if (kind === "delete") return removed(path, raw ? diff : applied("", hunks, "fresh"));
  const oldText = await textOf(path);
  const newText = oldText === undefined ? undefined : applied(oldText, hunks, "old");
  return oldText === undefined || newText === undefined ? undefined : { path, oldText, newText };
}

const applied = (
  text: string,
  hunks: readonly Hunk[] | undefined,
  from: "old" | "fresh",
): string | undefined => (hunks === undefined ? undefined : otherSide(text, hunks, from));

const added = (path: string, newText: string | undefined): Diff | undefined =>
  newText === undefined ? undefined : { path, oldText: null, newText };

const removed = (path: string, oldText: string | undefined): Diff | undefined =>
  oldText === undefined ? undefined : { path, oldText, newText: "" };

const asText = (diff: string): ToolCallContent => ({
  type: "content",
  content: { type: "text", text: codeBlock(diff, "diff") },
});

const mostBytes = 2 * 1024 * 1024;

/** Of a regular file, when it is text and not too long. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const info = await stat(path);
    if (!info.isFile() || info.size > mostBytes) return undefined;
    const bytes = await readFile(path);
    return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}
