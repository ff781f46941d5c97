import { type Fields, type Json, fieldsOf, listOf } from "../../core/json.ts";
import type { ModelItem } from "../model.ts";
import { isBlank, jsonObject, textOf } from "../wire.ts";

/** One item of the answer while it arrives. Of a call, `text` is its arguments or its free input. */
export type Part = {
  readonly item: number;
  readonly kind: "message" | "reasoning" | "call" | "foreign";
  readonly id: string;
  readonly callId: string;
  readonly index: number | undefined;
  readonly name: string;
  readonly phase: string;
  readonly text: string;
  /** A call whose input is free text instead of JSON. */
  readonly custom: boolean;
  /** Which paragraph of reasoning came last. */
  readonly section: string;
  /** The provider said that the arguments are all there. */
  readonly whole: boolean;
  /** The provider said that they never will be. */
  readonly half: boolean;
  readonly done: boolean;
};

export const newPart = (item: number, kind: Part["kind"], known: Partial<Part>): Part => ({
  id: "",
  callId: "",
  index: undefined,
  name: "",
  phase: "",
  text: "",
  custom: false,
  section: "",
  whole: false,
  half: false,
  done: false,
  ...known,
  item,
  kind,
});

/** What of the protocol's item types we can use. */
export const kindOf = (item: Fields): Part["kind"] | undefined => kinds.get(textOf(item["type"]));

const kinds: ReadonlyMap<string, Part["kind"]> = new Map([
  ["message", "message"],
  ["reasoning", "reasoning"],
  ["function_call", "call"],
  ["custom_tool_call", "call"],
]);

/** A message in the phase `analysis` is thinking, though its deltas are those of text. */
export function proseKind({ kind, phase }: Part): "text" | "thinking" {
  return kind === "reasoning" || phase === "analysis" ? "thinking" : "text";
}

/** Call id, then item id, then index: some relays give an item another id in every frame, or none at all. */
export function findOpen(parts: readonly Part[], kind: Part["kind"], keys: Keys): Part | undefined {
  const open = parts.filter((part) => part.kind === kind && !part.done);
  if (isAnonymous(keys)) return open.at(-1);
  return (
    open.find((part) => keys.callId !== "" && part.callId === keys.callId) ??
    open.find((part) => keys.id !== "" && part.id === keys.id) ??
    open.find((part) => keys.index !== undefined && part.index === keys.index) ??
    open.find(isAnonymous)
  );
}

const isAnonymous = (keys: Keys): boolean => keys.callId === "" && keys.id === "" && keys.index === undefined;

/** A relay may stream an item under one name and finish it under another; the words tell that it is the same. */
export const findByText = (parts: readonly Part[], kind: Part["kind"], text: string): Part | undefined =>
  parts.find(
    (part) =>
      part.kind === kind && !part.done && part.callId === "" && part.text !== "" && part.text === text,
  );

/** What is finished already under one of these keys. */
export const findDone = (parts: readonly Part[], keys: Keys): Part | undefined =>
  parts.find((part) => part.done && isSame(part, keys));

export const isSame = (part: Part, keys: Keys): boolean =>
  (keys.callId !== "" && part.callId === keys.callId) || (keys.id !== "" && part.id === keys.id);

export type Keys = Pick<Part, "id" | "callId" | "index">;

export const keysOfItem = (frame: Fields, item: Fields): Keys => ({
  id: textOf(item["id"]),
  callId: textOf(item["call_id"]),
  index: indexOf(frame),
});

export const keysOfDelta = (frame: Fields): Keys => ({
  id: textOf(frame["item_id"]),
  callId: textOf(frame["call_id"]),
  index: indexOf(frame),
});

const indexOf = (frame: Fields): number | undefined =>
  typeof frame["output_index"] === "number" ? frame["output_index"] : undefined;

/** What an item says about itself besides its words. */
export const labelsOf = (item: Fields): Pick<Part, "name" | "phase" | "custom"> => ({
  name: textOf(item["name"]),
  phase: textOf(item["phase"]),
  custom: item["type"] === "custom_tool_call",
});

/** The words in an item itself, which win over what the deltas said. */
export function itemText(item: Fields): string {
  if (item["type"] === "function_call") return textOf(item["arguments"]);
  if (item["type"] === "custom_tool_call") return textOf(item["input"]);
  const paragraphs = [...listOf(item["summary"]), ...listOf(item["content"])].map((part) => {
    const fields = fieldsOf(part);
    return textOf(fields["text"]) || textOf(fields["refusal"]);
  });
  return paragraphs.filter((text) => text !== "").join(item["type"] === "reasoning" ? "\n\n" : "");
}

/** The finished item that a part makes, or nothing when it is blank. */
export function finished(part: Part, sealed?: Json): ModelItem | undefined {
  const { item, text } = part;
  if (part.kind === "call") {
    const callId = part.callId || `call_${item}`;
    return { kind: "call", item, callId, name: part.name, arguments: argumentsOf(part) };
  }
  if (sealed !== undefined) return { kind: "thinking", item, text, sealed };
  if (isBlank(text)) return undefined;
  if (proseKind(part) === "thinking") return { kind: "thinking", item, text };
  const phase = phases.get(part.phase);
  return phase === undefined ? { kind: "text", item, text } : { kind: "text", item, text, phase };
}

/** Free text is the one argument `input`, as it is by protocols that know no other tools. */
function argumentsOf({ custom, text }: Part): string {
  if (custom) return JSON.stringify({ input: text });
  return isBlank(text) ? "{}" : text;
}

const phases: ReadonlyMap<string, "commentary" | "answer"> = new Map([
  ["commentary", "commentary"],
  ["final_answer", "answer"],
]);

/** Whether a call that nobody declared finished is all there: its arguments read as a JSON object, or there are none. */
export const isWholeCall = (part: Part): boolean =>
  part.name !== "" &&
  !part.half &&
  (part.done || part.whole || part.custom || isBlank(part.text) || jsonObject(part.text) !== undefined);

/** The same where the answer was ended early: there, missing arguments do not mean that the call has none. */
export const isFinishedCall = (part: Part): boolean =>
  part.kind === "call" &&
  isWholeCall(part) &&
  (part.done || part.whole || (!part.custom && !isBlank(part.text)));

/** A reasoning item as it goes back to the provider, if there is anything sealed in it. */
export function sealedReasoning(item: Fields): Json | undefined {
  const sealed = item["encrypted_content"];
  if (item["type"] !== "reasoning" || typeof sealed !== "string" || sealed === "") return undefined;
  const summary = listOf(item["summary"]).map((part) => textOf(fieldsOf(part)["text"]));
  return {
    type: "reasoning",
    summary: summary.map((text) => ({ type: "summary_text", text })),
    encrypted_content: sealed,
  };
}
