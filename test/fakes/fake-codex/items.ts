import type { Exec, McpCall, Patch } from "./script.ts";
import type { Item } from "./thread-log.ts";

/** Items as codex shows them when they start. What changes until they complete is given to `completed`. */
export const userMessage = (
  id: string,
  content: readonly unknown[],
  clientId: string | null | undefined,
): Item => ({
  type: "userMessage",
  id,
  clientId,
  content: content.map((part) =>
    (part as { readonly type?: string }).type === "text" ? { text_elements: [], ...(part as object) } : part,
  ),
});

export const agentMessage = (id: string, text: string, phase: string | null): Item => ({
  type: "agentMessage",
  id,
  text,
  phase,
  memoryCitation: null,
  delivery: null,
  questions: null,
});

export const reasoning = (id: string, summary: readonly string[], content: readonly string[]): Item => ({
  type: "reasoning",
  id,
  summary,
  content,
});

/** `processId`: null while somebody must decide whether it may run. */
export const commandExecution = (id: string, exec: Exec, cwd: string, processId: string | null): Item => ({
  type: "commandExecution",
  id,
  pluginId: null,
  scriptPath: null,
  command: shellCommand(exec),
  cwd: exec.cwd ?? cwd,
  processId,
  source: processId === null ? "agent" : "unifiedExecStartup",
  status: "inProgress",
  commandActions: [{ type: "unknown", command: exec.cmd }],
  aggregatedOutput: null,
  exitCode: null,
  durationMs: null,
});

export const shellCommand = ({ cmd }: Exec): string => `/bin/bash -lc '${cmd.replaceAll("'", `'"'"'`)}'`;

/** The words up to the first that is more than a word. */
export const commandWords = ({ cmd }: Exec): readonly string[] => {
  const words = cmd.split(/\s+/);
  const end = words.findIndex((word) => /[;&|<>]/.test(word));
  return end === -1 ? words : words.slice(0, end);
};

export const fileChange = (id: string, patch: Patch, cwd: string): Item => ({
  type: "fileChange",
  id,
  changes: patch.changes.map(({ path, kind, diff }) => ({
    path: path.startsWith("/") ? path : `${cwd}/${path}`,
    kind: kind === "update" ? { type: kind, move_path: null } : { type: kind },
    diff,
  })),
  status: "inProgress",
});

/** Not quite what git would print, but with the right files in it. */
export const unifiedDiff = ({ changes }: Patch): string =>
  changes
    .map(({ path, kind, diff }) => {
      const body = kind === "update" ? diff : diff.replaceAll(/^(?=.)/gm, kind === "add" ? "+" : "-");
      return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${body}`;
    })
    .join("");

export const dynamicToolCall = (id: string, namespace: string | null, tool: string, args: unknown): Item => ({
  type: "dynamicToolCall",
  id,
  namespace,
  tool,
  arguments: args,
  status: "inProgress",
  contentItems: null,
  success: null,
  durationMs: null,
});

export const mcpToolCall = (id: string, { server, tool, args }: McpCall): Item => ({
  type: "mcpToolCall",
  id,
  server,
  tool,
  status: "inProgress",
  arguments: args ?? {},
  appContext: null,
  mcpAppUi: null,
  pluginId: null,
  readOnlyHint: null,
  result: null,
  error: null,
  durationMs: null,
});

export const mcpResult = (text: string): object => ({
  content: [{ type: "text", text }],
  structuredContent: null,
  _meta: null,
});
