import type { Json } from "../../core/json.ts";
import type { ModelItem } from "../model.ts";
import { fieldsOf, isBlank, jsonObject, listOf, textOf, type Fields } from "../wire.ts";

/** One item of the answer while it arrives. Of a call, `text` is its arguments. */
export type Part = {
  readonly item: number;
  readonly kind: ModelItem["kind"];
  readonly id: string;
  readonly callId: string;
  readonly index: number | undefined;
  readonly name: string;
  readonly phase: string;
  readonly text: string;
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
  whole: false,
  half: false,
  done: false,
  ...known,
  item,
  kind,
});

/** Call id, then item id, then place: some relays give an item another id in every frame, or none at all. */
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

/** A frame about something that is finished already is an echo. */
export const isFinished = (parts: readonly Part[], keys: Keys): boolean =>
  parts.some((part) => part.done && isSame(part, keys));

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

/** What of the protocol's item types we can use. */
export function kindOf(item: Fields): Part["kind"] | undefined {
  if (item["type"] === "message") return item["phase"] === "analysis" ? "thinking" : "text";
  if (item["type"] === "reasoning") return "thinking";
  if (item["type"] === "function_call") return "call";
  return undefined;
}

/** The words in an item itself, which win over what the deltas said. */
export function itemText(item: Fields): string {
  if (item["type"] === "function_call") return textOf(item["arguments"]);
  const paragraphs = [...listOf(item["summary"]), ...listOf(item["content"])].map((part) => {
    const fields = fieldsOf(part);
    return textOf(fields["text"]) || textOf(fields["refusal"]);
  });
  return paragraphs.filter((text) => text !== "").join(item["type"] === "reasoning" ? "\n\n" : "");
}

/** The finished item that a part makes, or nothing when it is blank. */
export function finished(part: Part, sealed?: Json): ModelItem | undefined {
  const { item, text } = part;
  if (part.kind === "call")
    return {
      kind: "call",
      item,
      callId: part.callId,
      name: part.name,
      arguments: isBlank(text) ? "{}" : text,
    };
  if (part.kind === "thinking") {
    if (sealed !== undefined) return { kind: "thinking", item, text, sealed };
    return isBlank(text) ? undefined : { kind: "thinking", item, text };
  }
  if (isBlank(text)) return undefined;
  const phase = phases.get(part.phase);
  return phase === undefined ? { kind: "text", item, text } : { kind: "text", item, text, phase };
}

const phases: ReadonlyMap<string, "commentary" | "answer"> = new Map([
  ["commentary", "commentary"],
  ["final_answer", "answer"],
]);

/** Whether a call that nobody declared finished is all there: its arguments read as a JSON object, or there are none. */
export const isWholeCall = (part: Part): boolean =>
  part.name !== "" && !part.half && (part.whole || isBlank(part.text) || jsonObject(part.text) !== undefined);

/** A reasoning item as it goes back to the provider, if there is anything sealed in it. */
export function sealedReasoning(item: Fields): Json | undefined {
  const sealed = item["encrypted_content"];
  if (item["type"] !== "reasoning" || typeof sealed !== "string" || sealed === "") return undefined;
  return {
    type: "reasoning",
    summary: listOf(item["summary"]) as readonly Json[],
    encrypted_content: sealed,
  };
}
