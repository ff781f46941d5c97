import { readFile } from "node:fs/promises";
import { InputFile } from "grammy";
import type { OutFile, Part } from "../../../core/gateway/chat.ts";
import type { Answered, Calls } from "./calls.ts";
import { captionOf, readBody } from "./render.ts";
import { isRefused } from "./failures.ts";
import { type Target, withPlainWords } from "./target.ts";

const fileMs = 300_000;
const megabyte = 1024 * 1024;
export const fileLimits = { photo: 10 * megabyte, document: 50 * megabyte } as const;

type Posted = Answered<{ readonly message_id: number }>;

/** A picture that is not too big is shown as one, everything else is a document. */
export async function sendFile(
  calls: Calls,
  target: Target,
  part: Part,
  signal: AbortSignal,
): Promise<Posted> {
  const file = part.file as OutFile;
  const bytes = await readFile(file.path).catch(() => undefined);
  if (bytes === undefined) return refused(`The file ${file.name} is no longer there.`);
  if (bytes.length === 0) return refused(`The file ${file.name} is empty.`);
  if (bytes.length > fileLimits.document) {
    return refused(`The file ${file.name} is larger than the 50 MB that Telegram takes.`);
  }
  const sending = { calls, target, part, bytes, signal };
  if (!isPhoto(file, bytes)) return await post(sending, "document");
  const posted = await post(sending, "photo");
  // Too wide, or not as good as it looked.
  const isNoPhoto = "failure" in posted && isRefused(posted.failure, /photo|image/i);
  return isNoPhoto ? await post(sending, "document") : posted;
}

const isPhoto = ({ mediaType }: OutFile, bytes: Buffer): boolean =>
  bytes.length <= fileLimits.photo && /^image\/(?:png|jpeg|webp)$/.test(mediaType);

const refused = (why: string): Posted => ({ failure: { kind: "refused", why } });

type FileSending = {
  readonly calls: Calls;
  readonly target: Target;
  readonly part: Part;
  readonly bytes: Buffer;
  readonly signal: AbortSignal;
};

const post = (
  { calls, target, part, bytes, signal }: FileSending,
  kind: "photo" | "document",
): Promise<Posted> =>
  withPlainWords(captionOf(readBody(part.body)), ({ text, entities }) => {
    const input = new InputFile(bytes, fileName(part.file?.name ?? "file"));
    const words = text.trim() === "" ? {} : { caption: text, caption_entities: entities };
    return calls.run<{ readonly message_id: number }>(
      (api, stop) =>
        kind === "photo"
          ? api.sendPhoto({ ...target, photo: input, ...words }, stop)
          : api.sendDocument({ ...target, document: input, ...words }, stop),
      { signal, ms: fileMs },
    );
  });

/** It stands in a header, and not between quotation marks. */
const fileName = (name: string): string => name.replaceAll(/[\r\n;"\\/]/g, "_").slice(-200) || "file";
