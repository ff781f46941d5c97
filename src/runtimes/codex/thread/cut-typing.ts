import { readFile } from "node:fs/promises";
import { asId } from "../../../core/ids.ts";
import { type CallItem, unknownOutcome } from "../../../core/items.ts";
import { type Fields, fieldsOf, textIn } from "../wire/fields.ts";
import { outputOf, readFrom, readLine, sizeOf, unfinishedScript, waitedFor } from "./thread-file.ts";

/**
 * What a turn was typing into commands when it was cut off. Codex tells of typing when it is done, and has no item for it
 * in its journal; the file in which it writes the thread down has the call, and of a model that works by writing code the
 * script. Looks from where the file is now. Never rejects: what cannot be read was not there.
 */
export async function cutTyping(file: string | undefined): Promise<CutTyping> {
  if (file === undefined) return async () => [];
  const from = sizeOf(file);
  return async (turnId) => {
    const text = readFrom(file, from).toString("utf8");
    const calls = text.includes("write_stdin") ? typingIn(text, turnId) : [];
    return calls.filter(({ isOver }) => !isOver).map(({ item }) => item);
  };
}

export type CutTyping = (turnId: string) => Promise<readonly CallItem[]>;

/** For a turn that our own death cut off: also what was typed to its end and is not among what was `kept`. */
export async function unkeptTyping(
  file: string | undefined,
  turnId: string,
  kept: readonly { readonly kind: string; readonly args?: unknown }[],
): Promise<readonly CallItem[]> {
  const text = file === undefined ? "" : await readFile(file, "utf8").catch(() => "");
  const known = new Set(kept.map(({ args }) => textIn(fieldsOf(args), "text")));
  return typingIn(text, turnId)
    .filter(({ item, isOver }) =>
      "text" in fieldsOf(item.args) ? !known.has(textIn(fieldsOf(item.args), "text")) : !isOver,
    )
    .map(({ item, isOver }) => (isOver ? { ...item, output: typedText, ok: true } : item));
}

export const typedText = "Typed. What came of it is in the output of that command.";

type Typing = { readonly item: CallItem; readonly isOver: boolean };

function typingIn(text: string, turnId: string): readonly Typing[] {
  const found = new Map<string, Typing>();
  /** Calls by their script that is not finished, and such scripts by the calls that wait for them. */
  const [callOf, cellOf] = [new Map<string, string>(), new Map<string, string>()];
  let isOurs = false;
  let perhapsCut: string | undefined;
  for (const { kind, payload } of text.split("\n").map(readLine)) {
    if (kind === "turn_context") isOurs = textIn(payload, "turn_id") === turnId;
    const id = textIn(payload, "call_id");
    // The model goes on after a script only when nobody has stopped it.
    if (isOurs && kind === "response_item") perhapsCut = over(found, perhapsCut);
    if (!isOurs || id === undefined) continue;
    const item = calledIn(id, payload);
    if (item !== undefined) found.set(id, { item, isOver: false });
    if (payload["name"] === "wait") cellOf.set(id, waitedFor(payload));
    const output = outputOf(payload);
    if (output === undefined) continue;
    const call = callOf.get(cellOf.get(id) ?? "") ?? id;
    const cell = unfinishedScript(output);
    if (cell !== undefined) callOf.set(cell, call);
    const typing = found.get(call);
    if (typing === undefined || cell !== undefined || output.startsWith("aborted")) continue;
    if (isScript(typing) && output.includes("aborted by user")) perhapsCut = call;
    else over(found, call);
  }
  return [...found.values()];
}

function over(found: Map<string, Typing>, call: string | undefined): undefined {
  const typing = found.get(call ?? "");
  if (call !== undefined && typing !== undefined) found.set(call, { ...typing, isOver: true });
}

/** One that is cut off may be told so as the answer of what it called, and end as others do. */
const isScript = ({ item }: Typing): boolean => "script" in fieldsOf(item.args);

function calledIn(id: string, call: Fields): CallItem | undefined {
  const cut = {
    id: asId<"itm">(`typed#${id}`),
    kind: "call",
    callId: `codex_stdin_${id}`,
    output: unknownOutcome,
    ok: false,
  } as const;
  if (call["type"] === "function_call" && call["name"] === "write_stdin") {
    const typed = charsOf(call);
    return typed === "" ? undefined : { ...cut, tool: "write_stdin", args: { text: typed } };
  }
  const script = textIn(call, "input");
  if (call["type"] !== "custom_tool_call" || script?.includes("write_stdin") !== true) return undefined;
  return { ...cut, tool: "write_stdin", args: { script } };
}

function charsOf(call: Fields): string {
  try {
    return textIn(fieldsOf(JSON.parse(textIn(call, "arguments") ?? "")), "chars") ?? "";
  } catch {
    return "";
  }
}
