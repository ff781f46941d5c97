import type { TurnId } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import type { InputPart, Message } from "../core/messages.ts";
import { messageText } from "../core/messages.ts";
import { oneLine } from "../core/plain-text.ts";
import type { Session, StoredMessage } from "../core/session.ts";

/** Turns that the person took back. */
type Undone = ReadonlySet<TurnId>;

/**
 * A session as lines of chat-completions messages, one for each row, in the order they were kept. It is what a model may
 * be given, so turns that were taken back are not in it.
 */
export function* exportJsonl(messages: Iterable<StoredMessage>, undone: Undone): Iterable<string> {
  for (const { message, turn } of messages) {
    if (!undone.has(turn)) yield `${jsonLine(wireMessage(message))}\n`;
  }
}

/** Line separators that JSON allows inside a string, but that some readers of lines split on. */
const jsonLine = (value: Json): string =>
  JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

function wireMessage(message: Message): Json {
  if (message.role === "user") return { role: "user", content: wireContent(message.content) };
  if (message.role === "tool") {
    return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  }
  const calls = message.toolCalls ?? [];
  return {
    role: "assistant",
    content: message.content,
    ...(calls.length > 0 ? { tool_calls: calls.map(wireCall) } : {}),
    ...(message.reasoning === undefined ? {} : { reasoning: message.reasoning }),
  };
}

const wireCall = (call: { id: string; name: string; arguments: string }): Json => ({
  id: call.id,
  type: "function",
  function: { name: call.name, arguments: call.arguments },
});

function wireContent(content: string | readonly InputPart[]): Json {
  if (typeof content === "string") return content;
  return content.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.base64}` } },
  );
}

/**
 * A session to read. Whoever speaks gets a heading; calls and results stand in blocks of their own. What was taken back
 * is in it, and says so.
 */
export function* exportMarkdown(
  session: Session,
  messages: Iterable<StoredMessage>,
  undone: Undone,
): Iterable<string> {
  yield `# ${oneLine(session.title ?? session.id)}\n\n`;
  yield `- Session: ${session.id}\n- Folder: ${session.cwd}\n- Begun: ${moment(session.createdAt)}\n`;
  let speaker: string | undefined;
  for (const { message, at, turn } of messages) {
    const who = message.role === "user" ? "You" : "Talaria";
    const mark = undone.has(turn) ? " (taken back)" : "";
    const now = `${who}${mark}`;
    if (now !== speaker || message.role === "user") yield `\n## ${who} · ${moment(at)}${mark}\n`;
    speaker = now;
    yield* sections(message);
  }
}

function* sections(message: Message): Iterable<string> {
  if (message.role === "tool") return yield `\nResult:\n\n${fenced(message.content, "text")}`;
  if (message.role === "assistant" && message.reasoning !== undefined) {
    yield `\n${quoted(message.reasoning)}\n`;
  }
  const text = messageText(message);
  if (text.trim() !== "") yield `\n${text}\n`;
  if (message.role === "user") return;
  for (const call of message.toolCalls ?? []) {
    yield `\nCall of \`${call.name}\`:\n\n${fenced(call.arguments, "json")}`;
  }
}

/** The fence is longer than any run of backticks inside, so that nothing in the text can end it. */
function fenced(text: string, language: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

const quoted = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");

const moment = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
