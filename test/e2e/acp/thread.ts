import {
  type ContentBlock,
  type NewSessionResponse,
  type PromptResponse,
  type SessionNotification,
  type ToolCallUpdate,
  methods,
} from "@agentclientprotocol/sdk";
import type { Talaria } from "../talaria.ts";
import { type EditorOptions, type TestEditor, startEditor } from "./editor.ts";

/** `talaria acp` in a world of its own, with an editor at it. */
export const editorOn = (it: Talaria, options: EditorOptions = {}): Promise<TestEditor> =>
  startEditor({ command: it.world.program, args: ["acp"], cwd: it.folder, env: it.world.env }, options);

/** One conversation in the editor. */
export type Thread = {
  readonly id: string;
  readonly opened: Omit<NewSessionResponse, "sessionId">;
  prompt(said: string | readonly ContentBlock[]): Promise<PromptResponse>;
  cancel(): Promise<void>;
  /** What the agent has said, as one text. */
  said(): string;
  /** The calls as the editor would show them now, in the order in which they began. */
  calls(): readonly ToolCallUpdate[];
  /** Its updates by their kind. */
  kinds(): readonly string[];
};

export async function newThread(editor: TestEditor, cwd: string): Promise<Thread> {
  const { sessionId, ...opened } = await editor.agent.request(methods.agent.session.new, {
    cwd,
    mcpServers: [],
  });
  return threadOf(editor, sessionId, opened);
}

/** Its updates are those that come from now on. */
export async function loadThread(editor: TestEditor, cwd: string, sessionId: string): Promise<Thread> {
  const opened = await editor.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  return threadOf(editor, sessionId, opened);
}

function threadOf(editor: TestEditor, id: string, opened: Thread["opened"]): Thread {
  const { agent } = editor;
  const mine = (): readonly Update[] =>
    editor.updates.filter(({ sessionId }) => sessionId === id).map(({ update }) => update);
  return {
    id,
    opened,
    prompt: (said) =>
      agent.request(methods.agent.session.prompt, {
        sessionId: id,
        prompt: typeof said === "string" ? [{ type: "text", text: said }] : [...said],
      }),
    cancel: () => agent.notify(methods.agent.session.cancel, { sessionId: id }),
    said: () => textOf(mine(), "agent_message_chunk"),
    calls: () => callsOf(mine()),
    kinds: () => mine().map(({ sessionUpdate }) => sessionUpdate),
  };
}

type Update = SessionNotification["update"];

export const textOf = (updates: readonly Update[], kind: Update["sessionUpdate"]): string =>
  updates
    .map((update) =>
      update.sessionUpdate === kind && "content" in update && isText(update.content)
        ? update.content.text
        : "",
    )
    .join("");

const isText = (content: unknown): content is { readonly text: string } =>
  typeof content === "object" && content !== null && "text" in content;

function callsOf(updates: readonly Update[]): readonly ToolCallUpdate[] {
  const calls = new Map<string, ToolCallUpdate>();
  for (const update of updates) {
    if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
    const { sessionUpdate: _kind, ...change } = update;
    calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...change });
  }
  return [...calls.values()];
}
