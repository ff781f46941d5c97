import type { ChatFile } from "../../../core/gateway/chat.ts";
import type { Calls } from "./calls.ts";
import { isRefused, whyOf } from "./failures.ts";

const [askMs, downloadMs] = [30_000, 300_000];

export async function fetchFile(
  calls: Calls,
  file: ChatFile,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array | { readonly failed: string }> {
  if ((file.bytes ?? 0) > most) return tooLarge(file, most);
  const asked = await calls.run((api, stop) => api.getFile({ file_id: file.handle }, stop), {
    signal,
    ms: askMs,
  });
  if ("failure" in asked) {
    if (isRefused(asked.failure, /file is too big/i)) return tooLarge(file, downloadLimit);
    return { failed: `The file ${file.name} could not be fetched. ${whyOf(asked.failure)}` };
  }
  const { file_path: path, file_size: size = 0 } = asked.answer;
  if (size > most) return tooLarge(file, most);
  // A Bot API server of one's own can keep files in a folder of its machine.
  if (path === undefined || path.startsWith("/"))
    return { failed: `Telegram offers no way to fetch the file ${file.name}.` };
  const got = await calls.download(path, most, { signal, ms: downloadMs });
  if ("answer" in got) return got.answer;
  return { failed: `The file ${file.name} could not be fetched. ${whyOf(got.failure)}` };
}

/** Of bots; a server of one's own has none. */
const downloadLimit = 20 * 1024 * 1024;

const tooLarge = ({ name }: ChatFile, most: number): { readonly failed: string } => ({
  failed: `The file ${name} is larger than ${Math.floor(most / 1024 / 1024)} MB.`,
});
