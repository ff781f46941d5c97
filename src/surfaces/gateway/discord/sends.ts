import { readFile, stat } from "node:fs/promises";
import type { Address, Part, Sending, SendResult } from "../../../core/gateway/chat.ts";
import { fieldsOf, listOf } from "../../../core/json.ts";
import type { RawFile } from "discord.js";
import type { Call, Calls } from "./calls.ts";
import { resultOf } from "./problem.ts";
import { flags, mostFileBytes, payloadOf } from "./render.ts";
import { isSnowflake } from "./snowflake.ts";

const sendLimitMs = 30_000;
const fileLimitMs = 120_000;

/**
 * Posts a part. `enforce_nonce` makes Discord answer a repetition within a few minutes with the message that is there already, instead of a
 * second one; so sending again what has an unknown end is safe for that long, and no longer.
 */
export async function sendPart(
  calls: Calls,
  to: Address,
  { part, nonce, replyTo }: Sending,
  signal: AbortSignal,
): Promise<SendResult> {
  const body = {
    ...payloadOf(part),
    flags: flags.suppressEmbeds,
    nonce,
    enforce_nonce: true,
    ...(replyTo === undefined
      ? {}
      : { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
  };
  return post(calls, { method: "POST", route: `/channels/${to.chat}/messages`, body }, part, signal);
}

/** Without buttons in the part, those of the message go. */
export async function editPart(
  calls: Calls,
  to: Address,
  messageId: string,
  part: Part,
  signal: AbortSignal,
): Promise<SendResult> {
  const route = `/channels/${to.chat}/messages/${messageId}` as const;
  return post(calls, { method: "PATCH", route, body: payloadOf(part) }, part, signal);
}

/** What is gone already has been removed. */
export async function removeMessage(
  calls: Calls,
  to: Address,
  messageId: string,
  signal: AbortSignal,
): Promise<SendResult> {
  const called = await calls(
    { method: "DELETE", route: `/channels/${to.chat}/messages/${messageId}` },
    signal,
  );
  if ("answer" in called) return { sent: messageId };
  const { problem } = called;
  if (problem.kind === "refused" && problem.code === unknownMessage) return { sent: messageId };
  return resultOf(problem);
}

async function post(calls: Calls, call: Call, { file }: Part, signal: AbortSignal): Promise<SendResult> {
  const read = file === undefined ? undefined : await fileOf(file);
  if (read !== undefined && "refused" in read) return read;
  const called = await calls(
    {
      ...call,
      limitMs: read === undefined ? sendLimitMs : fileLimitMs,
      ...(read === undefined ? {} : { file: read }),
    },
    signal,
  );
  if ("problem" in called) return resultOf(called.problem);
  const { id, attachments } = fieldsOf(called.answer);
  if (!isSnowflake(id)) return { unknown: "Discord's answer names no message." };
  // Only what is listed there has arrived.
  if (read !== undefined && listOf(attachments).length === 0) {
    return { refused: `Discord posted the message without its file ${read.name}.` };
  }
  return { sent: id };
}

async function fileOf(file: NonNullable<Part["file"]>): Promise<RawFile | { readonly refused: string }> {
  try {
    const { size } = await stat(file.path);
    if (size > mostFileBytes) {
      const has = (size / 1024 / 1024).toFixed(1);
      return {
        refused: `${file.name} has ${has} MB, and Discord takes 10 MB from a bot. Send it in another way, or a smaller one.`,
      };
    }
    return { name: file.name, data: await readFile(file.path), contentType: file.mediaType };
  } catch (error) {
    return { refused: `The copy of ${file.name} that was to be sent cannot be read: ${String(error)}` };
  }
}

const unknownMessage = 10008;
