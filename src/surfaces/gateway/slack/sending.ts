import type { Adapter, Address, Part, Sending, SendResult } from "../../../core/gateway/chat.ts";
import { fieldsOf } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Answered, Call } from "./calls.ts";
import type { Company } from "./company.ts";
import { asSendResult } from "./failures.ts";
import { readPast } from "./history.ts";
import { composed } from "./render.ts";
import { isTimestamp } from "./timestamp.ts";
import { slackUploads } from "./uploads.ts";

export type SlackSending = Required<Pick<Adapter, "send" | "find" | "edit" | "remove">>;

/** Marks our messages, so that one can be found whose posting nobody heard of. */
const eventType = "talaria_part";
const pagesToFind = 5;

export function slackSending(deps: {
  readonly call: Call;
  readonly clock: Clock;
  company(): Company | undefined;
}): SlackSending {
  const uploads = slackUploads(deps.call, deps.clock);

  async function post(to: Address, { part, nonce }: Sending, signal: AbortSignal): Promise<SendResult> {
    const { text, blocks } = composed(part, false);
    const answered = await deps.call(
      "chat.postMessage",
      {
        channel: to.chat,
        thread_ts: to.thread,
        text,
        ...(blocks.length === 0 ? {} : { blocks }),
        unfurl_links: false,
        unfurl_media: false,
        metadata: { event_type: eventType, event_payload: { nonce } },
      },
      { signal },
    );
    return named(answered);
  }

  return {
    async send(to, sending, signal) {
      const { file } = sending.part;
      const result = await (file === undefined
        ? post(to, sending, signal)
        : uploads.send(to, { ...sending, file }, signal));
      if ("sent" in result && to.thread !== undefined) deps.company()?.joined(to.chat, to.thread);
      return result;
    },
    async find(to, sending, signal) {
      if (sending.part.file !== undefined) return await uploads.find(to, sending.nonce, signal);
      return await findPosted(deps.call, to, sending, signal);
    },
    async edit(to, messageId, part: Part, signal) {
      const args = { channel: to.chat, ts: messageId, ...composed(part, true) };
      return named(await deps.call("chat.update", args, { signal }));
    },
    async remove(to, messageId, signal) {
      const answered = await deps.call("chat.delete", { channel: to.chat, ts: messageId }, { signal });
      const isGone =
        "failure" in answered &&
        answered.failure.kind === "refused" &&
        answered.failure.error === "message_not_found";
      return isGone ? { sent: messageId } : named(answered);
    },
  };
}

function named(answered: Answered): SendResult {
  if ("failure" in answered) return asSendResult(answered.failure);
  const { ts } = answered.answer;
  return typeof ts === "string"
    ? { sent: ts }
    : { unknown: "Slack took it without saying what its name is." };
}

/** It is not there only if all was seen among which it would be. */
async function findPosted(
  call: Call,
  { chat, thread }: Address,
  { nonce, replyTo }: Sending,
  signal: AbortSignal,
): ReturnType<SlackSending["find"]> {
  const oldest = replyTo !== undefined && isTimestamp(replyTo) ? replyTo : undefined;
  const options = { pages: pagesToFind, withMetadata: true, signal };
  const past = await readPast(call, { channel: chat, thread, oldest }, options);
  if ("failure" in past) return undefined;
  const found = past.messages.find(({ metadata }) => isNamed(metadata, nonce));
  if (typeof found?.["ts"] === "string") return { sent: found["ts"] };
  return past.isWhole ? { absent: true } : undefined;
}

function isNamed(metadata: unknown, nonce: string): boolean {
  const { event_type: type, event_payload: payload } = fieldsOf(metadata);
  return type === eventType && fieldsOf(payload)["nonce"] === nonce;
}
