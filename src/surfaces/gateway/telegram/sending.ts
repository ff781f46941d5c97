import type { Address, Part, Sending, SendResult } from "../../../core/gateway/chat.ts";
import type { Answered, Calls } from "./calls.ts";
import { asSendResult, isRefused } from "./failures.ts";
import { readBody } from "./render.ts";
import { sendFile } from "./send-file.ts";
import { chatId, type Target, targetOf, withPlainWords } from "./target.ts";

/** No call of a text takes longer; one of a file may. */
export const callMs = 30_000;

/** A message of ours: `sent` only with the id that Telegram has given it. */
export async function send(
  calls: Calls,
  to: Address,
  { part, replyTo }: Sending,
  signal: AbortSignal,
): Promise<SendResult> {
  const target = targetOf(to, part, replyTo);
  const post = part.file === undefined ? postText : sendFile;
  const posted = await post(calls, target, part, signal);
  if ("answer" in posted) return receipt(posted.answer.message_id);
  const { failure } = posted;
  if (failure.kind !== "refused" || failure.movedTo === undefined) return asSendResult(failure);
  // The group has another id since it grew; Telegram took nothing.
  const moved = await post(calls, { ...target, chat_id: failure.movedTo }, part, signal);
  return "answer" in moved ? receipt(moved.answer.message_id) : asSendResult(moved.failure);
}

export async function edit(
  calls: Calls,
  to: Address,
  messageId: string,
  part: Part,
  signal: AbortSignal,
): Promise<SendResult> {
  const { chat_id, reply_markup } = targetOf(to, part);
  const target = {
    chat_id,
    message_id: Number(messageId),
    ...(reply_markup === undefined ? {} : { reply_markup }),
  };
  const edited = await withPlainWords(readBody(part.body), ({ text, entities }) =>
    calls.run<unknown>(
      (api, stop) =>
        part.file === undefined
          ? api.editMessageText(
              { ...target, text, entities, link_preview_options: { is_disabled: true } },
              stop,
            )
          : api.editMessageCaption({ ...target, caption: text, caption_entities: entities }, stop),
      { signal, ms: callMs },
    ),
  );
  if ("answer" in edited || isRefused(edited.failure, /message is not modified/i)) return { sent: messageId };
  return asSendResult(edited.failure);
}

export async function remove(
  calls: Calls,
  to: Address,
  messageId: string,
  signal: AbortSignal,
): Promise<SendResult> {
  const removed = await calls.run(
    (api, stop) => api.deleteMessage({ chat_id: chatId(to), message_id: Number(messageId) }, stop),
    { signal, ms: callMs },
  );
  if ("answer" in removed || isRefused(removed.failure, /message to delete not found/i))
    return { sent: messageId };
  return asSendResult(removed.failure);
}

const postText = (
  calls: Calls,
  target: Target,
  part: Part,
  signal: AbortSignal,
): Promise<Answered<{ readonly message_id: number }>> =>
  withPlainWords(readBody(part.body), ({ text, entities }) =>
    calls.run(
      (api, stop) =>
        api.sendMessage({ ...target, text, entities, link_preview_options: { is_disabled: true } }, stop),
      { signal, ms: callMs },
    ),
  );

const receipt = (id: unknown): SendResult =>
  Number.isSafeInteger(id)
    ? { sent: String(id) }
    : { unknown: "Telegram did not say which message it has become." };
