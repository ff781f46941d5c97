import { type Fields, fieldsOf, flagIn, idIn, listOf, numberIn, textIn, textsOf } from "./fields.ts";

/** Items that do something and report what came of it. `status` is kept as it came. */
export type WireCall = CommandItem | ChangeItem | McpItem | DynamicItem | CollabItem;

export type CommandItem = {
  readonly type: "commandExecution";
  readonly status: string;
  readonly command: string;
  readonly cwd: string | undefined;
  /** All output, once the command is over; deltas may miss its beginning. */
  readonly output: string | undefined;
  readonly exitCode: number | undefined;
  readonly durationMs: number | undefined;
  /** Codex's name of the process that it has started for it, which may outlive the turn. */
  readonly process: string | undefined;
};

export type Change = {
  readonly path: string;
  readonly kind: string;
  readonly movePath: string | undefined;
  /** The content of an added or deleted file, the hunks of an updated one. */
  readonly diff: string;
};

export type ChangeItem = {
  readonly type: "fileChange";
  readonly status: string;
  readonly changes: readonly Change[];
};

export type McpItem = {
  readonly type: "mcpToolCall";
  readonly status: string;
  readonly server: string;
  readonly tool: string;
  readonly args: unknown;
  readonly content: readonly unknown[];
  readonly structured: unknown;
  readonly error: string | undefined;
  readonly durationMs: number | undefined;
};

export type DynamicItem = {
  readonly type: "dynamicToolCall";
  readonly status: string;
  readonly namespace: string | undefined;
  readonly tool: string;
  readonly args: unknown;
  readonly content: readonly unknown[];
  readonly success: boolean | undefined;
  readonly durationMs: number | undefined;
};

export type CollabItem = {
  readonly type: "collabAgentToolCall";
  readonly status: string;
  readonly tool: string;
  readonly prompt: string | undefined;
  readonly receivers: readonly string[];
  readonly agents: readonly { readonly id: string; readonly status: string; readonly message: string }[];
};

export const readCommand = (fields: Fields): CommandItem => ({
  type: "commandExecution",
  status: statusOf(fields),
  command: textIn(fields, "command") ?? "",
  cwd: idIn(fields, "cwd"),
  output: textIn(fields, "aggregatedOutput"),
  exitCode: numberIn(fields, "exitCode"),
  // Codex begins to measure when a command has run for a moment: of one that was over by then it says 0, and nobody knows.
  durationMs: numberIn(fields, "durationMs") || undefined,
  process: processOf(fields["processId"]),
});

export const readChangeItem = (fields: Fields): ChangeItem => ({
  type: "fileChange",
  status: statusOf(fields),
  changes: readChanges(fields["changes"]),
});

export function readChanges(value: unknown): readonly Change[] {
  return listOf(value).map((entry) => {
    const change = fieldsOf(entry);
    const kind = fieldsOf(change["kind"]);
    return {
      path: textIn(change, "path") ?? "",
      kind: textIn(kind, "type") ?? textIn(change, "kind") ?? "update",
      movePath: idIn(kind, "move_path"),
      diff: textIn(change, "diff") ?? "",
    };
  });
}

export function readMcp(fields: Fields): McpItem {
  const result = fieldsOf(fields["result"]);
  const { error } = fields;
  return {
    type: "mcpToolCall",
    status: statusOf(fields),
    server: idIn(fields, "server") ?? "unknown",
    tool: idIn(fields, "tool") ?? "unknown",
    args: fields["arguments"],
    content: listOf(result["content"]),
    structured: result["structuredContent"],
    error: typeof error === "string" ? error : textIn(fieldsOf(error), "message"),
    durationMs: numberIn(fields, "durationMs"),
  };
}

export const readDynamic = (fields: Fields): DynamicItem => ({
  type: "dynamicToolCall",
  status: statusOf(fields),
  namespace: idIn(fields, "namespace"),
  tool: idIn(fields, "tool") ?? "unknown",
  args: fields["arguments"],
  content: listOf(fields["contentItems"]),
  success: flagIn(fields, "success"),
  durationMs: numberIn(fields, "durationMs"),
});

export const readCollab = (fields: Fields): CollabItem => ({
  type: "collabAgentToolCall",
  status: statusOf(fields),
  tool: idIn(fields, "tool") ?? "unknown",
  prompt: textIn(fields, "prompt"),
  receivers: textsOf(fields["receiverThreadIds"]),
  agents: Object.entries(fieldsOf(fields["agentsStates"])).map(([id, state]) => ({
    id,
    status: textIn(fieldsOf(state), "status") ?? "",
    message: textIn(fieldsOf(state), "message") ?? "",
  })),
});

const processOf = (id: unknown): string | undefined =>
  id === null || id === undefined ? undefined : String(id);

const statusOf = (fields: Fields): string => textIn(fields, "status") ?? "";
