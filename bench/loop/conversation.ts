import { said } from "./side.ts";

/** A message as the Responses API wants it back. */
export type Message = {
  readonly type: "message";
  readonly role: "user" | "assistant";
  readonly content: readonly { readonly type: string; readonly text: string }[];
};

export const userMessage: Message = {
  type: "message",
  role: "user",
  content: [{ type: "input_text", text: said }],
};

export const reply = (text: string): Message => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
