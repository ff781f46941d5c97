import type { UserMessage } from "../core/messages.ts";

/** What the person said in several messages, as one. */
export function joinedUser(messages: readonly UserMessage[]): UserMessage | undefined {
  if (messages.length <= 1) return messages[0];
  const texts = messages.flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  if (texts.length === messages.length) return { role: "user", content: texts.join("\n\n") };
  return { role: "user", content: messages.flatMap(parts) };
}

const parts = ({ content }: UserMessage) =>
  typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
