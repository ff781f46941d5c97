import { openAsBlob } from "node:fs";
import type { Address, OutFile, Sending, SendResult } from "../../../core/gateway/chat.ts";
import { type Fields, fieldsOf, listOf } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withinTime } from "../../../lib/time-limit.ts";
import type { Call } from "./calls.ts";
import { type CallFailure, asSendResult } from "./failures.ts";
import { dropOldest } from "./lookup.ts";
import { textOf } from "./render.ts";
import { isTimestamp } from "./timestamp.ts";

type FileSending = Sending & { readonly file: OutFile };

export type Uploads = {
  /** `sent` is the message with the file, or the file itself while Slack does not tell which message that is. */
  send(to: Address, sending: FileSending, signal: AbortSignal): Promise<SendResult>;
  find(
    to: Address,
    nonce: string,
    signal: AbortSignal,
  ): Promise<{ readonly sent: string } | { readonly absent: true } | undefined>;
};

/** For each upload, however small, and for each byte of it. */
const leastMs = 30_000;
const bytesPerMs = 50;
/** Slack shows the message some time after it has taken the file. */
const receiptTries = 6;
const receiptPauseMs = 500;
const mostRemembered = 1000;

export function slackUploads(call: Call, clock: Clock): Uploads {
  /** A file has no place for a nonce: which one it was is known to this process only. */
  const files = new Map<string, string>();

  async function send(to: Address, sending: FileSending, signal: AbortSignal): Promise<SendResult> {
    const { file, part, nonce } = sending;
    const body = await contentOf(file);
    if (body === undefined) return { refused: `The file ${file.name} is not there any more.` };
    if (body.size === 0)
      return { refused: `The file ${file.name} is empty, and Slack takes no empty files.` };
    const args = { filename: file.name, length: body.size };
    const place = await call("files.getUploadURLExternal", args, { signal });
    if ("failure" in place) return nothingShown(place.failure);
    const [url, id] = [place.answer["upload_url"], place.answer["file_id"]];
    if (typeof url !== "string" || typeof id !== "string")
      return { notSent: "Slack gave no address for the file." };
    const trouble = await upload(url, file.name, body, clock, signal);
    if (trouble !== undefined) return trouble;
    files.set(nonce, id);
    dropOldest(files, mostRemembered);
    const text = textOf(part);
    const shown = await call(
      "files.completeUploadExternal",
      {
        files: [{ id, title: file.name }],
        channel_id: to.chat,
        thread_ts: to.thread,
        initial_comment: text === "" ? undefined : text,
      },
      { signal },
    );
    if ("failure" in shown) return asSendResult(shown.failure);
    if (!listOf(shown.answer["files"]).some((one) => fieldsOf(one)["id"] === id)) {
      return { unknown: "Slack took the file without saying that it is shown." };
    }
    return { sent: (await receipt(to.chat, id, signal)) ?? id };
  }

  async function receipt(chat: string, id: string, signal: AbortSignal): Promise<string | undefined> {
    for (let attempt = 1; attempt <= receiptTries && !signal.aborted; attempt += 1) {
      if (attempt > 1) await clock.sleep(receiptPauseMs, signal).catch(() => {});
      const info = await call("files.info", { file: id }, { signal });
      const ts = "answer" in info ? sharedAs(info.answer, chat) : undefined;
      if (ts !== undefined) return ts;
    }
    return undefined;
  }

  return {
    send,
    async find(to, nonce, signal) {
      const id = files.get(nonce);
      if (id === undefined) return undefined;
      const info = await call("files.info", { file: id }, { signal });
      if ("failure" in info) {
        return info.failure.kind === "refused" && info.failure.error === "file_not_found"
          ? { absent: true }
          : undefined;
      }
      const ts = sharedAs(info.answer, to.chat);
      return ts === undefined ? { absent: true } : { sent: ts };
    },
  };
}

/** Until it is shown in a chat nobody sees anything of it, and all can be done again. */
const nothingShown = (failure: CallFailure): SendResult =>
  asSendResult(failure.kind === "unknown" ? { kind: "notSent", why: failure.why } : failure);

/** It is read while it is uploaded. */
async function contentOf(file: OutFile): Promise<Blob | undefined> {
  try {
    return await openAsBlob(file.path);
  } catch {
    return undefined;
  }
}

async function upload(
  url: string,
  name: string,
  body: Blob,
  clock: Clock,
  signal: AbortSignal,
): Promise<SendResult | undefined> {
  try {
    const limited = await withinTime(leastMs + body.size / bytesPerMs, clock, signal, async (inner) => {
      const response = await fetch(url, { method: "POST", body, signal: inner });
      await response.body?.cancel();
      return response.status;
    });
    if (limited.end !== "done") return { notSent: `The file ${name} was not uploaded in time.` };
    if (limited.value === 200) return undefined;
    return { notSent: `The upload of ${name} ended with HTTP ${limited.value}.` };
  } catch (error) {
    return {
      notSent: `The upload of ${name} broke off: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** The message by which a file is seen in a chat. */
function sharedAs(answer: Fields, chat: string): string | undefined {
  const shares = fieldsOf(fieldsOf(answer["file"])["shares"]);
  const ours = Object.values(shares).flatMap((rooms) => listOf(fieldsOf(rooms)[chat]));
  return ours
    .map((share) => fieldsOf(share)["ts"])
    .find((ts) => typeof ts === "string" && isTimestamp(ts)) as string | undefined;
}
