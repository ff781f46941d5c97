import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { CallItem, OpenItem } from "../../core/items.ts";
import { callView } from "./call-view.ts";
import { changedContent } from "./diff-content.ts";
import { codeBlock } from "./markdown.ts";

/** A call that has begun. `terminal`: its output is sent in pieces. */
export const begunCall = (
  id: string,
  { tool = "", args }: Pick<OpenItem, "tool" | "args">,
  cwd: string,
  terminal: boolean,
): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: id,
  ...callView(tool, args, cwd),
  status: "in_progress",
  ...(terminal
    ? {
        content: [{ type: "terminal", terminalId: id }],
        _meta: { terminal_info: { terminal_id: id, cwd } },
      }
    : {}),
});

export const outputPiece = (id: string, data: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  _meta: { terminal_output: { terminal_id: id, data } },
});

export const outputSoFar = (id: string, text: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  content: [textContent(text)],
});

export const unfinishedCall = (id: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  status: "failed",
});

/** A call of which the editor has heard nothing before. */
export const pastCall = async (id: string, item: CallItem, cwd: string): Promise<SessionUpdate> => ({
  sessionUpdate: "tool_call",
  toolCallId: id,
  ...callView(item.tool, item.args, cwd),
  ...ending(item),
  content: await resultContent(item, cwd),
});

export const endedCall = async (id: string, item: CallItem, cwd: string): Promise<SessionUpdate> => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  ...ending(item),
  content: await resultContent(item, cwd),
});

/** `unsent`: output of which no piece was sent, such as why it was not run. */
export const endedTerminal = (id: string, item: CallItem, unsent: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  ...ending(item),
  _meta: {
    ...(unsent === "" ? {} : { terminal_output: { terminal_id: id, data: unsent } }),
    terminal_exit: { terminal_id: id, exit_code: item.exitCode ?? null, signal: null },
  },
});

const ending = ({ ok, exitCode, durationMs }: CallItem) => ({
  status: ok ? ("completed" as const) : ("failed" as const),
  rawOutput: {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined ? {} : { durationMs }),
  },
});

async function resultContent({ diff, output }: CallItem, cwd: string): Promise<ToolCallContent[]> {
  const changes = diff === undefined || diff === "" ? [] : await changedContent(diff, cwd);
  return [...changes, ...(output === "" ? [] : [textContent(output)])];
}

const textContent = (text: string): ToolCallContent => ({
  type: "content",
  content: { type: "text", text: codeBlock(text) },
});
