/** What a person sends: text and pictures. Images travel as data so that a moved file loses nothing. */
export type InputPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly name: string;
      readonly mediaType: string;
      readonly base64: string;
    };

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  /** JSON with sorted keys. */
  readonly arguments: string;
};

/** What history keeps, in the shape of chat completions (camelCase here, snake_case on wires and in exports). */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export type UserMessage = { readonly role: "user"; readonly content: string | readonly InputPart[] };

export type AssistantMessage = {
  readonly role: "assistant";
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly reasoning?: string;
};

export type ToolMessage = {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly content: string;
};

/** The words of a message, for titles, search and plain display. */
export function messageText(message: Message): string {
  if (typeof message.content === "string") return message.content;
  return message.content
    .map((part) => (part.type === "text" ? part.text : `[image: ${part.name}]`))
    .join("\n");
}

/** Pure text is kept as a string, so that most rows stay readable in the database and in exports. */
export function userMessage(input: readonly InputPart[]): UserMessage {
  const texts = input.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { role: "user", content: texts.length === input.length ? texts.join("\n") : input };
}

/**
 * The result of a tool as a model reads it when the person has said something while the tool ran. A running turn and the
 * history of later ones have the same words for it, so that prompt caches hold.
 */
export const withSteeredWords = (result: string, words: readonly string[]): string =>
  [result, ...words.map((said) => `[The person you work for says meanwhile:]\n${said}`)]
    .filter((part) => part !== "")
    .join("\n\n");
