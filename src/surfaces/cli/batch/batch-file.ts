import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { short } from "../../../core/plain-text.ts";
import { isFolder } from "../../../lib/files/is-folder.ts";
import { isRuntime, notARuntime } from "../runtime-option.ts";

/** What holds for prompts that do not say it themselves. */
export type ForAll = { readonly cwd: string; readonly runtime?: string; readonly model?: string };

/** `line`: its number in the file, from 1. `id`: what the person calls it. */
export type Prompt = ForAll & { readonly line: number; readonly id?: string; readonly text: string };

export type BatchFile = {
  /** The same for the same text and the same choices, whatever the file is called. */
  readonly batch: string;
  readonly prompts: readonly Prompt[];
  /** What is wrong, each with the number of its line. */
  readonly problems: readonly string[];
};

/** Reads all of it before anything runs. Empty lines are none. Some editors begin a file with a mark (BOM), which is no text. */
export async function readBatch(file: Buffer, all: ForAll): Promise<BatchFile> {
  const { cwd, runtime, model } = all;
  const content = file.subarray(0, 3).equals(byteOrderMark) ? file.subarray(3) : file;
  const named = createHash("sha256").update(JSON.stringify([cwd, runtime ?? null, model ?? null]));
  const batch = `bat_${named.update(content).digest("hex").slice(0, 20)}`;
  const prompts: Prompt[] = [];
  const problems: string[] = [];
  const ids = new Map<string, number>();
  for (const [index, bytes] of linesOf(content).entries()) {
    const line = index + 1;
    const text = decoded(bytes);
    if (text === undefined) {
      problems.push(`line ${line}: is not UTF-8`);
      continue;
    }
    if (text.trim() === "") continue;
    const read = await promptOf(text, line, all);
    const before = "problem" in read || read.id === undefined ? undefined : ids.get(read.id);
    if ("problem" in read) problems.push(`line ${line}: ${read.problem}`);
    else if (before !== undefined) problems.push(`line ${line}: has the id of line ${before}`);
    else prompts.push(read);
    if ("id" in read && read.id !== undefined) ids.set(read.id, line);
  }
  return { batch, prompts, problems };
}

const byteOrderMark = Buffer.from("\uFEFF");

function linesOf(content: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = content.indexOf("\n"); end !== -1; end = content.indexOf("\n", from)) {
    lines.push(content.subarray(from, end));
    from = end + 1;
  }
  return [...lines, content.subarray(from)];
}

/** `undefined`: in another encoding. Whatever could not be read would be sent as something that nobody wrote. */
const decoded = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString("utf8") : undefined);

const fields: readonly string[] = ["prompt", "id", "model", "runtime", "cwd"];

async function promptOf(
  text: string,
  line: number,
  { cwd, ...rest }: ForAll,
): Promise<Prompt | { readonly problem: string }> {
  const value = parsed(text);
  if (typeof value === "string") return withPrompt({ ...rest, cwd, line, text: value });
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: value === undefined ? "is not JSON" : 'is neither a text nor an object with "prompt"' };
  const said = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(said).find((name) => !fields.includes(name));
  if (unknown !== undefined)
    return { problem: `"${short(unknown, 40)}" is unknown; there are ${fields.join(", ")}` };
  const odd = fields.find((name) => said[name] !== undefined && !isText(said[name]));
  if (odd !== undefined) return { problem: `"${odd}" is not a text` };
  const { prompt = "", id, model, runtime, cwd: folder } = said as Readonly<Record<string, string>>;
  if (runtime !== undefined && !isRuntime(runtime)) return { problem: inList(notARuntime(runtime)) };
  const where = folder === undefined ? cwd : resolve(cwd, folder);
  if (folder !== undefined && !(await isFolder(where))) return { problem: `there is no folder ${where}` };
  return withPrompt({
    ...rest,
    ...(model === undefined ? {} : { model }),
    ...(runtime === undefined ? {} : { runtime }),
    ...(id === undefined ? {} : { id }),
    cwd: where,
    line,
    text: prompt,
  });
}

/** As the other problems are written. */
const inList = ({ message, next }: ReturnType<typeof notARuntime>): string =>
  [message, next].map((text) => text[0]?.toLowerCase() + text.slice(1).replace(/\.$/, "")).join("; ");

const withPrompt = (prompt: Prompt): Prompt | { readonly problem: string } =>
  prompt.text.trim() === "" ? { problem: "has no prompt" } : prompt;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
