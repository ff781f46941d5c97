import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isMap } from "yaml";
import { isPlainObject } from "../core/json.ts";
import { checkEdit, withoutKey, withValue } from "./change.ts";
import { editFile } from "./file-edit.ts";
import { configFault } from "./findings.ts";
import { runtimeOf } from "./model-choice.ts";
import type { ModelConfig } from "./settings.ts";
import { ownPair, parseSource, valueAt } from "./source.ts";
import type { Source } from "./source.ts";
import { textsWithout } from "./splice.ts";

type RuntimeName = ModelConfig["runtime"];

/** Keeps one text over restarts. */
export type EditMemory = { load(): Promise<string | undefined>; save(text: string): Promise<void> };

const path = ["model", "openai_runtime"] as const;
const words = { loop: "auto", codex: "codex_app_server" } as const satisfies Record<RuntimeName, string>;

/**
 * Writes who runs the turns. The edit is remembered, so that the next one in the opposite direction can take it back to
 * the byte instead of adding to it; what the person has changed since then stays. Rejects with a FaultError, and then
 * the file is untouched.
 */
export async function writeDefaultRuntime(
  file: string,
  runtime: RuntimeName,
  memory: EditMemory,
): Promise<void> {
  let takenBack = false;
  const changed = await editFile(file, async (before) => {
    takenBack = false;
    const source = parseSource(file, before ?? "");
    if (runtimeIn(source) === runtime) return before;
    const earlier = readEdit(await memory.load());
    const undone = earlier && withoutEdit(source, earlier);
    if (undone !== undefined && runtimeIn(parseSource(file, undone.text)) === runtime) {
      takenBack = true;
      return undone.text === "" && undone.absent ? undefined : undone.text;
    }
    const after = withRuntime(source, runtime);
    // Before the file: an edit that is remembered and was not made is never found in it.
    await memory.save(JSON.stringify(editOf(source, before === undefined, after)));
    return after;
  });
  // One that stays remembered does no harm: the file is no longer as it left it.
  if (changed && takenBack) await memory.save("").catch(() => {});
}

function runtimeIn({ content }: Source): RuntimeName {
  const value = valueAt(content, path);
  return typeof value === "string" ? (runtimeOf(value) ?? "loop") : "loop";
}

function withRuntime(source: Source, runtime: RuntimeName): string {
  const { text, problems } = checkEdit(source, path, withValue(source, path, words[runtime]));
  if (text !== undefined) return text;
  throw configFault(problems, "Nothing was written; correct the file first.");
}

/** What was done to the file, without the rest of it: it may hold secrets. */
type Edit = {
  /** Of the whole text afterwards. */
  readonly digest: string;
  readonly at: number;
  readonly removed: string;
  readonly added: string;
  /** There was no file. */
  readonly absent: boolean;
  /** There was a section for the key. */
  readonly section: boolean;
  readonly value?: string;
  /** The line of the key afterwards. */
  readonly line: string;
};

function editOf(source: Source, absent: boolean, after: string): Edit {
  const before = source.text;
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before[at] === after[at]) at += 1;
  let same = 0;
  while (same < shorter - at && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const value = valueAt(source.content, path);
  return {
    digest: digestOf(after),
    at,
    removed: before.slice(at, before.length - same),
    added: after.slice(at, after.length - same),
    absent,
    section: isMap(source.document.contents) && ownPair(source.document.contents, "model") !== undefined,
    ...(typeof value === "string" ? { value } : {}),
    line: lineOf(parseSource(source.file, after)),
  };
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const lineOf = (source: Source): string =>
  source.text.split(/\r?\n/)[(source.keyPosition(path).line ?? 1) - 1] ?? "";

function readEdit(text: string | undefined): Edit | undefined {
  if (text === undefined || text === "") return undefined;
  const value: unknown = JSON.parse(text);
  return isPlainObject(value) && typeof value["digest"] === "string" ? (value as Edit) : undefined;
}

type Undone = { readonly text: string; readonly absent: boolean };

/** To the byte, if nobody has touched the file since; else the key alone, if nobody has touched that. */
function withoutEdit(source: Source, edit: Edit): Undone | undefined {
  const { at, removed, added, absent, line } = edit;
  const { text } = source;
  if (digestOf(text) === edit.digest)
    return { text: text.slice(0, at) + removed + text.slice(at + added.length), absent };
  if (lineOf(source) !== line) return undefined;
  const restored = edit.value === undefined ? withoutKey(source, path) : withValue(source, path, edit.value);
  if (restored === undefined) return undefined;
  return { text: edit.section ? restored : withoutSection(source.file, restored), absent };
}

/** One that holds something by now stays. */
function withoutSection(file: string, text: string): string {
  const source = parseSource(file, text);
  if (source.content["model"] !== undefined && !isDeepStrictEqual(source.content["model"], {})) return text;
  const [without = text] = textsWithout(source, ["model"]);
  return without;
}
