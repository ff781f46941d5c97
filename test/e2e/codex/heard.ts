import type { RecordedRequest } from "../../fakes/request-log.ts";

type InputItem = {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly name?: string;
  readonly output?: unknown;
};

/** What the model was given of the conversation, one line for each message, call and result, oldest first. */
export function heard(request: RecordedRequest | undefined): readonly string[] {
  return ((request?.body["input"] ?? []) as readonly InputItem[]).flatMap(line);
}

function line({ type = "message", role, content, name, output }: InputItem): readonly string[] {
  if (type.endsWith("call_output")) return [`result ${JSON.stringify(output)}`];
  if (type.endsWith("call")) return [`call ${name}`];
  if (type !== "message" || role === "developer") return [];
  const texts = typeof content === "string" ? [content] : (content ?? []).map(({ text = "" }) => text);
  // Codex tells the model about the machine, and about a Stop, as if the person had said it.
  const spoken = texts.filter((text) => !/^<(\w+)>.*<\/\1>$/s.test(text.trim()));
  return spoken.length === 0 ? [] : [`${role} ${spoken.join("\n")}`];
}
