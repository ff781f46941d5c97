import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChatFile, ChatMessage } from "../../core/gateway/chat.ts";
import type { ReceivedMessage } from "../../core/gateway/tables.ts";
import type { InputPart } from "../../core/messages.ts";
import type { Role } from "../../core/principal.ts";
import { delimited } from "../../core/text/delimited.ts";
import type { BotParts } from "./bot-parts.ts";

const mostBytes = 20_000_000;
const mostPictureBytes = 5_000_000;
const mostQuoted = 8000;
const mostInlineBytes = 64_000;
const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Whose messages they are, and where the files of their session lie. */
type Place = { readonly role: Role; readonly folder: string };

/** What a model is given of messages; `remarks`: what of it could not be taken, for the person. */
export type ReceivedInput = { readonly input: readonly InputPart[]; readonly remarks: readonly string[] };

export async function receivedInput(
  parts: BotParts,
  rows: readonly ReceivedMessage[],
  { role, folder }: Place,
  signal: AbortSignal,
): Promise<ReceivedInput> {
  const words = rows.flatMap(({ message: { text, quoted } }) => [
    ...(text === "" ? [] : [text]),
    ...(quoted === undefined ? [] : [quotation(quoted)]),
  ]);
  const taken = await Promise.all(
    rows.flatMap((row) =>
      row.message.files.map((file) => fileInput(parts, row, file, { role, folder }, signal)),
    ),
  );
  const texts = [...words, ...taken.flatMap(({ text = [] }) => text)];
  return {
    input: [
      ...(texts.length === 0 ? [] : [{ type: "text" as const, text: texts.join("\n\n") }]),
      ...taken.flatMap(({ picture }) => picture ?? []),
    ],
    remarks: [
      ...rows.flatMap(({ message: { unreadable } }) =>
        unreadable === undefined ? [] : `I can't read ${unreadable}. Please write what you want to tell me.`,
      ),
      ...taken.flatMap(({ remark = [] }) => remark),
    ],
  };
}

/** Said by somebody else, whoever answers it: it is told apart from their own words, as all that comes from outside. */
const quotation = ({ from, text }: NonNullable<ChatMessage["quoted"]>): string =>
  delimited(`the message of ${from} that this one answers`, text.slice(0, mostQuoted));

type FileInput = { readonly text?: string; readonly picture?: InputPart; readonly remark?: string };

async function fileInput(
  parts: BotParts,
  row: ReceivedMessage,
  file: ChatFile,
  place: Place,
  signal: AbortSignal,
): Promise<FileInput> {
  const { adapter, gateway } = parts;
  if (file.kind === "voice" && gateway.transcribe === undefined)
    return {
      remark: "I can't listen to voice messages: no speech recognition is set up here. Please type it.",
    };
  const bytes = await adapter.fetchFile(file, mostBytes, signal);
  if ("failed" in bytes) return { remark: bytes.failed };
  const mediaType = file.mediaType ?? "application/octet-stream";
  if (file.kind === "voice" && gateway.transcribe !== undefined)
    return gateway.transcribe(bytes, mediaType, signal).then(
      (text) => ({ text }),
      (error: unknown) => ({
        remark: `I couldn't understand the voice message: ${(error as Error).message}`,
      }),
    );
  if (pictures.has(mediaType) && bytes.length <= mostPictureBytes)
    return {
      picture: { type: "image", name: file.name, mediaType, base64: Buffer.from(bytes).toString("base64") },
    };
  return otherFile(row, file, bytes, place);
}

/** Short texts are read at once; everything else is put where commands of the turn find it, for those who have commands. */
async function otherFile(
  row: ReceivedMessage,
  file: ChatFile,
  bytes: Uint8Array,
  { role, folder: ofSession }: Place,
): Promise<FileInput> {
  const text = bytes.length <= mostInlineBytes ? plainText(bytes) : undefined;
  const inline = text === undefined ? undefined : delimited(`the file ${file.name}`, text);
  if (role === "guest")
    return inline === undefined ? { remark: `I can't read ${file.name} here.` } : { text: inline };
  const folder = join(ofSession, row.id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, safeName(file.name));
  await writeFile(path, bytes, { mode: 0o600 });
  const note = `[The file ${safeName(file.name)} was sent with this message and is at ${path}]`;
  return { text: inline === undefined ? note : `${note}\n${inline}` };
}

function plainText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\u0000") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Of the person's name for it, what can do no harm in a path. */
function safeName(name: string): string {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, "_")
    .replace(/^[. ]+/, "")
    .slice(-100);
  return plain === "" ? "file" : plain;
}
