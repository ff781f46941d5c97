import type { ChatFile } from "../../../core/gateway/chat.ts";
import { fieldsOf, listOf } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withinTime } from "../../../lib/time-limit.ts";
import type { Calls } from "./calls.ts";

type Fetched = Uint8Array | { readonly failed: string };

const limitMs = 60_000;
const hosts = new Set(["cdn.discordapp.com", "media.discordapp.net"]);

/** The bytes of a file that came with a message. Its address works for a day; after that the message is asked for another one. */
export async function fetchedFile(
  deps: { readonly calls: Calls; readonly clock: Clock; readonly api: string },
  { handle, name }: ChatFile,
  most: number,
  signal: AbortSignal,
): Promise<Fetched> {
  const [ids = "", url = ""] = handle.split(" ", 2);
  const [chat = "", message = "", attachment = ""] = ids.split("/");
  const get = (address: string): Promise<Fetched | "gone"> => download(deps, address, name, most, signal);
  const first = await get(url);
  if (first !== "gone") return first;
  const called = await deps.calls({ method: "GET", route: `/channels/${chat}/messages/${message}` }, signal);
  if ("problem" in called) return { failed: `${name} is not to be had from Discord any more.` };
  const fresh = listOf(fieldsOf(called.answer)["attachments"])
    .map(fieldsOf)
    .find(({ id }) => id === attachment)?.["url"];
  const second = typeof fresh === "string" ? await get(fresh) : "gone";
  return second === "gone" ? { failed: `${name} is not to be had from Discord any more.` } : second;
}

async function download(
  { clock, api }: { readonly clock: Clock; readonly api: string },
  address: string,
  name: string,
  most: number,
  signal: AbortSignal,
): Promise<Fetched | "gone"> {
  if (!isDiscords(address, api)) return { failed: `${name} is not on a server of Discord's.` };
  try {
    const ended = await withinTime(limitMs, clock, signal, (inner) => bytesOf(address, name, most, inner));
    if (ended.end === "done") return ended.value;
    return {
      failed: ended.end === "late" ? `Discord did not send ${name} in time.` : `${name} was not waited for.`,
    };
  } catch (error) {
    return { failed: `${name} could not be fetched from Discord: ${String(error)}` };
  }
}

/** The address came with a message: it may lead nowhere else. */
function isDiscords(address: string, api: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return (url.protocol === "https:" && hosts.has(url.hostname)) || url.origin === new URL(api).origin;
}

async function bytesOf(
  address: string,
  name: string,
  most: number,
  signal: AbortSignal,
): Promise<Fetched | "gone"> {
  const response = await fetch(address, { signal, redirect: "error" });
  if ([401, 403, 404, 410].includes(response.status)) return "gone";
  if (!response.ok || response.body === null)
    return { failed: `Discord did not send ${name} (HTTP ${response.status}).` };
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > most) return { failed: `${name} is larger than ${most} bytes.` };
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
