import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Editor } from "./editor.ts";
import { quoted } from "./markdown.ts";

/** What one session shows in the editor, in the order in which it is told. */
export interface SessionWriter {
  /** The next piece of a message of the agent. */
  say(message: string, text: string): void;
  think(message: string, text: string): void;
  /** What the person said. */
  userMessage(message: string, content: ContentBlock): void;
  /** Something that is not the model's: it stands apart and says so. */
  remark(text: string): void;
  send(update: SessionUpdate): void;
}

export function sessionWriter(editor: Pick<Editor, "update">, session: string): SessionWriter {
  let last: { readonly kind: string; readonly message: string } | undefined;
  let remarks = 0;
  const prose = (
    kind: "agent_message_chunk" | "agent_thought_chunk",
    messageId: string,
    text: string,
  ): void => {
    if (text === "") return;
    // Not every editor starts a new paragraph where a new message begins.
    const apart = last?.kind === kind && last.message !== messageId ? "\n\n" : "";
    last = { kind, message: messageId };
    editor.update(session, {
      sessionUpdate: kind,
      messageId,
      content: { type: "text", text: apart + text },
    });
  };
  const other = (update: SessionUpdate): void => {
    if (standsBetween.has(update.sessionUpdate)) last = undefined;
    editor.update(session, update);
  };
  return {
    say: (message, text) => prose("agent_message_chunk", message, text),
    think: (message, text) => prose("agent_thought_chunk", message, text),
    userMessage: (messageId, content) => other({ sessionUpdate: "user_message_chunk", messageId, content }),
    remark(text) {
      remarks += 1;
      prose("agent_message_chunk", `aside-${remarks}`, quoted(text));
    },
    send: other,
  };
}

/** What an editor shows as a block of its own; the rest changes what is there. */
const standsBetween: ReadonlySet<SessionUpdate["sessionUpdate"]> = new Set([
  "tool_call",
  "user_message_chunk",
]);
