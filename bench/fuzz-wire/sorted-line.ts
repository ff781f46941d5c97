/** What a line is to a careful reader. Written apart from the peer's own reading, so that the two can be compared. */
export type SortedLine =
  | { readonly kind: "blank" }
  | { readonly kind: "bad" }
  | { readonly kind: "reply"; readonly id: string | number }
  | { readonly kind: "request"; readonly id: string | number; readonly thread: string | undefined }
  | { readonly kind: "notification"; readonly method: string; readonly thread: string | undefined };

type Fields = Readonly<Record<string, unknown>>;

export function sortLine(text: string): SortedLine {
  if (text.trim() === "") return { kind: "blank" };
  const message = fieldsIn(text);
  if (message === undefined) return { kind: "bad" };
  const { id, method, params } = message;
  const named = typeof id === "string" || typeof id === "number";
  if (typeof method === "string") {
    if (!("id" in message)) return { kind: "notification", method, thread: threadIn(params) };
    return named ? { kind: "request", id, thread: scoped(method) ? threadIn(params) : undefined } : bad;
  }
  // An answer names nothing but the question: what has a method or params is a broken request.
  return named && !("method" in message) && !("params" in message) ? { kind: "reply", id } : bad;
}

const bad = { kind: "bad" } as const;

const scoped = (method: string): boolean =>
  !["account/chatgptAuthTokens/refresh", "attestation/generate", "currentTime/read"].includes(method);

function fieldsIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function threadIn(params: unknown): string | undefined {
  if (!isFields(params)) return undefined;
  const { threadId, conversationId, thread } = params;
  const named = [threadId, conversationId, isFields(thread) ? thread["id"] : undefined];
  return named.find((id) => typeof id === "string");
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
