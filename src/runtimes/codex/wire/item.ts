import { type WireCall, readChangeItem, readCollab, readCommand, readDynamic, readMcp } from "./call-item.ts";
import { type Fields, fieldsOf, idIn, numberIn, textIn } from "./fields.ts";
import {
  type MessageItem,
  type NoteSource,
  type ReasoningItem,
  noteReaders,
  readMessage,
  readReasoning,
} from "./other-item.ts";

/** What an item says, of the nineteen types codex 0.166 has; any other is `unknown`. */
export type WireBody = MessageItem | ReasoningItem | WireCall | NoteSource | { readonly type: "userMessage" };

export type WireItem = {
  readonly id: string | undefined;
  /** Codex's clock. Tells a second item that reuses an id from a repeated message about the first. */
  readonly startedAtMs: number | undefined;
  readonly body: WireBody;
};

/** Total: whatever comes, there is an item for it. */
export function readItem(value: unknown): WireItem {
  const fields = fieldsOf(value);
  return { id: idIn(fields, "id"), startedAtMs: numberIn(fields, "startedAtMs"), body: readBody(fields) };
}

function readBody(fields: Fields): WireBody {
  const type = textIn(fields, "type") ?? "";
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return read?.(fields) ?? { type: "unknown", name: type || "untyped", raw: fields };
}

const readers: Readonly<Record<string, (fields: Fields) => WireBody>> = {
  ...noteReaders,
  userMessage: () => ({ type: "userMessage" }),
  agentMessage: readMessage,
  reasoning: readReasoning,
  commandExecution: readCommand,
  fileChange: readChangeItem,
  mcpToolCall: readMcp,
  dynamicToolCall: readDynamic,
  collabAgentToolCall: readCollab,
};

/** What this version of us did not expect of the item, in short names; it is dealt with all the same. */
export function itemDrift({ id, body }: WireItem): readonly string[] {
  return [
    ...(id === undefined ? [`${body.type} without id`] : []),
    ...(body.type === "unknown" ? [`item ${body.name}`] : []),
    ...("status" in body && !statuses.has(body.status) ? [`${body.type} status ${body.status}`] : []),
    ...(body.type === "agentMessage" && body.phase !== undefined && !phases.has(body.phase)
      ? [`phase ${body.phase}`]
      : []),
  ];
}

const statuses: ReadonlySet<string> = new Set([
  "inProgress",
  "completed",
  "failed",
  "declined",
  "interrupted",
]);
const phases: ReadonlySet<string> = new Set(["commentary", "partial_answer", "final_answer"]);
