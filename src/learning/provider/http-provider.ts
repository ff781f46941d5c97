import { parsedJson } from "../../core/json.ts";
import { z } from "zod";
import { type MemoryProvider, ProviderError, providerName } from "./memory-provider.ts";

export type HttpProviderOptions = {
  /** `/prefetch` and `/sync` are below it. */
  readonly url: string;
  /** Goes along as a bearer token. */
  readonly key?: string;
};

const maxBytes = 256 * 1024;
const answer = z.object({ text: z.string() });

/** Speaks JSON to an address. Redirects are not followed: the key and the conversation are for this address alone. */
export function httpProvider({ url, key }: HttpProviderOptions): MemoryProvider {
  const base = url.replace(/\/+$/, "");
  const post = async (path: string, body: object, signal: AbortSignal): Promise<Response> => {
    const response = await fetch(`${base}${path}`, {
      method: "POST",
      redirect: "error",

      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ProviderError(`it cannot be reached (${reasonOf(error)})`, true, error);
    });
    if (response.ok) return response;
    await response.body?.cancel();
    const again = response.status >= 500 || response.status === 429 || response.status === 408;
    throw new ProviderError(`it answered with HTTP ${response.status}`, again);
  };
  return {
    name: providerName(url),
    async prefetch(query, { session, cwd }, signal) {
      const text = await limitedText(await post("/prefetch", { query, session, cwd }, signal));
      const read = answer.safeParse(parsedJson(text));
      if (!read.success) throw new ProviderError('its answer is not {"text": …}', false);
      return read.data.text;
    },
    async sync({ session, cwd, turn, user, assistant }, signal) {
      const response = await post("/sync", { session, cwd, turn, user, assistant }, signal);
      await response.body?.cancel();
    },
  };
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code ?? (error instanceof Error ? error.message : String(error));
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ProviderError(`its answer has more than ${maxBytes} bytes`, false);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
