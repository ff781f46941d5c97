import type { ChatFile } from "../../../core/gateway/chat.ts";
import { fieldsOf } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withinTime } from "../../../lib/time-limit.ts";
import type { Call } from "./calls.ts";
import { whyOf } from "./failures.ts";

type Fetched = Uint8Array | { readonly failed: string };

const downloadMs = 120_000;

type Deps = { readonly call: Call; readonly clock: Clock; readonly token: string; readonly api: string };

/**
 * The bytes of a file that came with a message, from the address that came with it, or else from the one that Slack gives now. Our token
 * goes to Slack alone, whatever an address says.
 */
export const slackDownload =
  (deps: Deps) =>
  async (file: ChatFile, most: number, signal: AbortSignal): Promise<Fetched> => {
    if ((file.bytes ?? 0) > most) return tooLarge(file, most);
    const [id = "", known] = file.handle.split(" ");
    const address = addressIn(known, deps.api);
    const first = address === undefined ? undefined : await download(deps, address, file, most, signal);
    if (first !== undefined && !("gone" in first)) return first;
    const info = await deps.call("files.info", { file: id }, { signal });
    if ("failure" in info)
      return { failed: `${file.name} could not be fetched. ${first?.gone ?? whyOf(info.failure)}` };
    const found = fieldsOf(info.answer["file"]);
    if (Number(found["size"]) > most) return tooLarge(file, most);
    const fresh = addressIn(found["url_private_download"] ?? found["url_private"], deps.api);
    if (fresh === undefined) return { failed: `Slack gives no address of its own for ${file.name}.` };
    const got = await download(deps, fresh, file, most, signal);
    return "gone" in got ? { failed: `${file.name} could not be fetched. ${got.gone}` } : got;
  };

/** `gone`: why there is nothing at this address. */
async function download(
  { clock, token }: Deps,
  address: URL,
  file: ChatFile,
  most: number,
  signal: AbortSignal,
): Promise<Fetched | { readonly gone: string }> {
  try {
    const limited = await withinTime(downloadMs, clock, signal, async (inner) => {
      const headers = { authorization: `Bearer ${token}` };
      return await bodyOf(await fetch(address, { headers, signal: inner }), file, most);
    });
    return limited.end === "done" ? limited.value : { failed: `${file.name} did not come in time.` };
  } catch (error) {
    return {
      failed: `${file.name} did not come whole: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function addressIn(value: unknown, api: string): URL | undefined {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null) return undefined;
  const isSlack = url.protocol === "https:" && url.hostname.endsWith(".slack.com");
  return isSlack || url.origin === new URL(api).origin ? url : undefined;
}

async function bodyOf(
  response: Response,
  file: ChatFile,
  most: number,
): Promise<Fetched | { readonly gone: string }> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok) return { gone: `Slack answered with HTTP ${response.status}.` };
  if (type.startsWith("text/html") && file.mediaType !== "text/html") {
    return {
      failed: `Slack shows a page for signing in instead of ${file.name}: the app needs the scope files:read.`,
    };
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > most) return tooLarge(file, most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (file: ChatFile, most: number): Fetched => ({
  failed: `${file.name} is larger than ${Math.floor(most / 1024 / 1024)} MiB.`,
});
