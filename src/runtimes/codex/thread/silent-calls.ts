import { readFile } from "node:fs/promises";
import { unknownOutcome } from "../../../core/items.ts";
import { type Fields, fieldsOf, textIn } from "../wire/fields.ts";
import { readFrom, readLine, sizeOf } from "./thread-file.ts";

/** New commands of a turn that codex told nobody of, as items. Never rejects: what cannot be read was not there. */
export type SilentCalls = (turnId: string) => Promise<readonly object[]>;

/**
 * A command that fails within 150 ms, with words such as "Permission denied", counts for codex as stopped by its sandbox.
 * The model hears of it; clients do not, and neither `thread/read` nor `thread/items/list` has it. The file in which codex
 * writes the thread down has it, before the tokens of that answer are reported. So it is with a command that is stopped
 * within about that time, and there the file says as little of what it did as of what became of it; of a script that is
 * stopped, it has the script. `file`: that one, if codex says where.
 */
export async function silentCalls(file: string | undefined): Promise<SilentCalls> {
  if (file === undefined) return async () => [];
  let from = sizeOf(file);
  let isOurs = false;
  const calls = new Map<string, Fields>();
  return async (turnId) => {
    const text = readFrom(file, from);
    const whole = text.subarray(0, text.lastIndexOf(lineFeed) + 1);
    from += whole.length;
    const found: object[] = [];
    for (const line of whole.toString("utf8").split("\n")) {
      const { kind, payload } = readLine(line);
      if (kind === "turn_context") isOurs = textIn(payload, "turn_id") === turnId;
      const id = textIn(payload, "call_id");
      if (!isOurs || id === undefined) continue;
      const type = textIn(payload, "type") ?? "";
      if (type.endsWith("_call")) calls.set(id, payload);
      if (!type.endsWith("_call_output")) continue;
      const item = stopped(id, calls.get(id), payload) ?? aborted(id, calls.get(id), payload);
      if (item !== undefined) found.push(item);
    }
    return found;
  };
}

/**
 * The same of a turn that its death or ours cut off, where the other may have died with it: then a call has no answer at all, and
 * whatever had begun in its first moments is nowhere but there. `known`: what is an item anyway, by codex's names.
 */
export async function unkeptCalls(
  file: string | undefined,
  turnId: string,
  known: Pick<ReadonlySet<string>, "has">,
): Promise<readonly object[]> {
  const found = new Map<string, object>();
  const calls = new Map<string, Fields>();
  let isOurs = false;
  const text = file === undefined ? "" : await readFile(file, "utf8").catch(() => "");
  for (const { kind, payload } of text.split("\n").map(readLine)) {
    if (kind === "turn_context") isOurs = textIn(payload, "turn_id") === turnId;
    const id = textIn(payload, "call_id");
    if (!isOurs || id === undefined || known.has(id)) continue;
    const call = calls.get(id);
    const isAnswer = textIn(payload, "type")?.endsWith("_call_output") === true;
    if (!isAnswer) calls.set(id, payload);
    const item = isAnswer
      ? (stopped(id, call, payload) ?? aborted(id, call, payload, cutOffByUs))
      : cutOffByUs(id, payload);
    if (item === undefined) found.delete(id);
    if (item !== undefined) found.set(id, item);
  }
  return [...found.values()];
}

const lineFeed = 0x0a;

/** Codex gives such a command no time at all, and every other one the time that it took. */
function stopped(id: string, call: Fields | undefined, answer: Fields): object | undefined {
  const output = textIn(answer, "output") ?? "";
  const [, code, said] =
    /^Wall time: 0\.0+ seconds\nProcess exited with code (-?\d+)\n(?:.*\n)*?Output:\n([\s\S]*)$/m.exec(
      output,
    ) ?? [];
  if (call?.["name"] !== "exec_command" || code === undefined || code === "0") return undefined;
  return { ...commandItem(id, call), exitCode: Number(code), aggregatedOutput: said };
}

/** It may have run: codex says the same of what had not begun. */
function aborted(
  id: string,
  call: Fields | undefined,
  answer: Fields,
  cut: typeof cutOff = cutOff,
): object | undefined {
  if (call === undefined || !/^(Wall time: .*\n)?aborted by user/.test(textIn(answer, "output") ?? ""))
    return undefined;
  return cut(id, call);
}

/** A patch is told of before it is begun, unless nobody is there any more. */
function cutOffByUs(id: string, call: Fields): object | undefined {
  if (call["type"] !== "custom_tool_call" || call["name"] !== "apply_patch") return cutOff(id, call);
  return unknownCall(id, "apply_patch", { patch: textIn(call, "input") ?? "" });
}

function cutOff(id: string, call: Fields): object | undefined {
  if (call["name"] === "exec_command") return { ...commandItem(id, call), aggregatedOutput: unknownOutcome };
  if (call["type"] !== "custom_tool_call" || call["name"] !== "exec") return undefined;
  const script = textIn(call, "input") ?? "";
  // One that types is a row as typing.
  return script.includes("write_stdin") ? undefined : unknownCall(id, "exec", { script });
}

const unknownCall = (id: string, tool: string, args: object): object => ({
  type: "dynamicToolCall",
  id,
  tool,
  arguments: args,
  status: "failed",
  contentItems: [{ type: "inputText", text: unknownOutcome }],
});

function commandItem(id: string, call: Fields): object {
  const { cmd, workdir } = argumentsOf(call);
  return {
    type: "commandExecution",
    id,
    command: cmd ?? "",
    ...(workdir === undefined ? {} : { cwd: workdir }),
    status: "failed",
  };
}

function argumentsOf(call: Fields): { readonly cmd?: string; readonly workdir?: string } {
  try {
    const args = fieldsOf(JSON.parse(textIn(call, "arguments") ?? ""));
    const [cmd, workdir] = [textIn(args, "cmd"), textIn(args, "workdir")];
    return { ...(cmd === undefined ? {} : { cmd }), ...(workdir === undefined ? {} : { workdir }) };
  } catch {
    return {};
  }
}
