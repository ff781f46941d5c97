import type { Answers, Form } from "../../core/asking.ts";
import { toFailure } from "../../core/failure.ts";
import type { ReceivedMessage } from "../../core/gateway/tables.ts";
import { chatName } from "../../core/gateway/chat.ts";
import type { InquiryId } from "../../core/ids.ts";
import type { Principal } from "../../core/principal.ts";
import { type BotParts, say } from "./bot-parts.ts";
import type { OpenForms } from "./live-turns.ts";

/**
 * A message that answers what a turn asks for in words: a reply to the question, or, in a direct chat, simply the next message. Resolves
 * with false when it is none.
 */
export async function answersInquiry(
  parts: BotParts,
  forms: OpenForms,
  row: ReceivedMessage,
  from: Principal,
): Promise<boolean> {
  const inquiry = await askedBy(parts, forms, row);
  const form = inquiry && forms.get(inquiry)?.form;
  if (inquiry === undefined || form === undefined) return false;
  const { surface, account } = row.message.address;
  const to = { surface, account, chat: chatName(row.message.address) };
  const answers = answersIn(form, row.message.text);
  if (answers === undefined) {
    await say(parts, to, `I need ${form.fields.length} lines, one for each question.`, {
      replyTo: row.message.messageId,
    });
    return true;
  }
  const problem = await parts.host
    .as(from)
    .call("inquiries.reply", { inquiry, answers })
    .then(({ outcome }) => (outcome === "refused" ? "Somebody else was asked that." : undefined), toldOf);
  if (problem !== undefined) await say(parts, to, problem, { replyTo: row.message.messageId });
  return true;
}

function toldOf(error: unknown): string {
  const { message, next } = toFailure(error);
  return `${message} ${next}`;
}

async function askedBy(
  { gateway }: BotParts,
  forms: OpenForms,
  { message }: ReceivedMessage,
): Promise<InquiryId | undefined> {
  const chat = chatName(message.address);
  const open = [...forms].filter(([, { to }]) => to.surface === message.address.surface && to.chat === chat);
  for (const [id] of open)
    if (
      (await gateway.outbox.about(id)).some(
        ({ platformId }) => platformId !== undefined && platformId === message.replyTo,
      )
    )
      return id;
  const isPlain = message.room === "direct" && message.replyTo === undefined && message.files.length === 0;
  return isPlain && open.length === 1 ? open[0]?.[0] : undefined;
}

/** `undefined`: there are several questions, and not as many lines. */
export function answersIn({ fields }: Form, text: string): Answers | undefined {
  const lines = fields.length === 1 ? [text.trim()] : text.trim().split(/\n+/);
  if (lines.length !== fields.length) return undefined;
  return Object.fromEntries(fields.map(({ name }, index) => [name, (lines[index] ?? "").trim()]));
}
