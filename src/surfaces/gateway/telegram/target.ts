import type { InlineKeyboardMarkup, MessageEntity } from "grammy/types";
import type { Address, Part } from "../../../core/gateway/chat.ts";
import type { Answered } from "./calls.ts";
import { isRefused } from "./failures.ts";
import { generalTopic } from "./parse.ts";
import { type Body, keyboardOf } from "./render.ts";

/** Where it goes, and what hangs on it. */
export type Target = {
  readonly chat_id: number | string;
  readonly message_thread_id?: number;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
  readonly reply_markup?: InlineKeyboardMarkup;
};

export function targetOf(to: Address, part: Pick<Part, "buttons">, replyTo?: string): Target {
  const markup = keyboardOf(part.buttons);
  const reply = Number(replyTo);
  return {
    chat_id: chatId(to),
    ...threadOf(to),
    ...(Number.isSafeInteger(reply) && reply > 0
      ? { reply_parameters: { message_id: reply, allow_sending_without_reply: true } }
      : {}),
    ...(markup === undefined ? {} : { reply_markup: markup }),
  };
}

export const chatId = ({ chat }: Address): number | string => (/^-?\d+$/.test(chat) ? Number(chat) : chat);

/** The General topic of a forum is written to without an id. */
export function threadOf({ thread }: Address): { readonly message_thread_id?: number } {
  const id = Number(thread);
  return thread === undefined || !Number.isSafeInteger(id) || id === generalTopic
    ? {}
    : { message_thread_id: id };
}

/** If Telegram does not like how the words look, they are said without looks. */
export async function withPlainWords<T>(
  { text, entities }: Body,
  post: (body: { readonly text: string; readonly entities: MessageEntity[] }) => Promise<Answered<T>>,
): Promise<Answered<T>> {
  const posted = await post({ text, entities: entities as MessageEntity[] });
  const isTheirLooks = "failure" in posted && isRefused(posted.failure, /entit/i);
  return isTheirLooks && entities.length > 0 ? await post({ text, entities: [] }) : posted;
}
