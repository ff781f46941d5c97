import { extname } from "node:path";
import { mediaTypeOf } from "../../lib/picture.ts";

/** What a chat app is told that a file is: of a picture what its bytes say, of everything else what its name says. */
export const fileType = (name: string, start: Buffer): string =>
  mediaTypeOf(start) ?? byEnding.get(extname(name).toLowerCase()) ?? "application/octet-stream";

/** Without pictures: what only calls itself one would be refused as one. */
const byEnding: ReadonlyMap<string, string> = new Map([
  [".txt", "text/plain"],
  [".log", "text/plain"],
  [".md", "text/markdown"],
  [".csv", "text/csv"],
  [".html", "text/html"],
  [".json", "application/json"],
  [".xml", "application/xml"],
  [".pdf", "application/pdf"],
  [".zip", "application/zip"],
  [".gz", "application/gzip"],
  [".svg", "image/svg+xml"],
  [".mp3", "audio/mpeg"],
  [".wav", "audio/wav"],
  [".ogg", "audio/ogg"],
  [".mp4", "video/mp4"],
  [".webm", "video/webm"],
  [".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  [".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  [".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
]);
