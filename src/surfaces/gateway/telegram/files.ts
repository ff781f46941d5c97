import type { ChatFile } from "../../../core/gateway/chat.ts";
import { type Fields, fieldsOf, listOf } from "../../../core/json.ts";
import { clean } from "../../../core/plain-text.ts";
import { integer, text } from "./wire.ts";

/** The files of a message: mostly one, since those of an album come as messages of their own. */
export function filesOf(message: Fields): readonly ChatFile[] {
  const photo = largest(listOf(message["photo"]).map(fieldsOf));
  // What moves comes as a document, too.
  const document = message["animation"] === undefined ? message["document"] : undefined;
  return [
    fileOf(photo, "image", "photo.jpg", "image/jpeg"),
    fileOf(fieldsOf(message["voice"]), "voice", "voice.ogg", "audio/ogg"),
    fileOf(fieldsOf(message["audio"]), "file", "audio.mp3", "audio/mpeg"),
    fileOf(fieldsOf(message["video"]), "file", "video.mp4", "video/mp4"),
    fileOf(fieldsOf(message["video_note"]), "file", "video.mp4", "video/mp4"),
    fileOf(fieldsOf(message["animation"]), "file", "animation.mp4", "video/mp4"),
    stickerOf(fieldsOf(message["sticker"])),
    fileOf(fieldsOf(document), kindOf(fieldsOf(document)), "file", undefined),
  ].filter((file) => file !== undefined);
}

const largest = (sizes: readonly Fields[]): Fields => sizes.toSorted((a, b) => area(b) - area(a))[0] ?? {};
const area = ({ width, height }: Fields): number => (integer(width) ?? 0) * (integer(height) ?? 0);

const kindOf = (document: Fields): ChatFile["kind"] =>
  /^image\/(?:png|jpeg|gif|webp)$/.test(text(document["mime_type"]) ?? "") ? "image" : "file";

/** Those that move are no pictures that anybody could read. */
const stickerOf = (sticker: Fields): ChatFile | undefined =>
  sticker["is_animated"] === true || sticker["is_video"] === true
    ? undefined
    : fileOf(sticker, "image", "sticker.webp", "image/webp");

function fileOf(
  file: Fields,
  kind: ChatFile["kind"],
  usualName: string,
  usualType: string | undefined,
): ChatFile | undefined {
  const handle = text(file["file_id"]);
  if (handle === undefined) return undefined;
  const mediaType = text(file["mime_type"]) ?? usualType;
  const bytes = integer(file["file_size"]);
  return {
    handle,
    kind,
    name: nameOf(text(file["file_name"])) ?? usualName,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}

/** A name is no path. */
const nameOf = (given: string | undefined): string | undefined =>
  given === undefined ? undefined : text(clean(given).replaceAll(/[/\\]/g, "_").slice(-200));
