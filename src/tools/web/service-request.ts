import { plainText } from "./plain-text.ts";

export type ServiceRequest = {
  /** As people call it. */
  readonly service: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; without it, it is a GET. */
  readonly body?: unknown;
  /** What is wrong when the service answers with one of these statuses, and what to do. */
  readonly meanings?: Readonly<Record<number, string>>;
};

const maxBytes = 2 * 1024 * 1024;

/**
 * Asks a service that the person chose, wherever it stands. It goes to no other address: a redirect is said and not
 * followed, so the key stays where it belongs. Rejects only when the signal aborts.
 */
export async function serviceRequest(
  request: ServiceRequest,
  signal: AbortSignal,
): Promise<{ readonly json: unknown } | { readonly why: string }> {
  const { service } = request;
  try {
    const response = await send(request, signal);
    const text = await bodyText(response);
    if (text === undefined)
      return { why: `${service} answered with more than 2 MiB. Search for something narrower.` };
    if (!response.ok) return { why: trouble(request, response, text) };
    return { json: JSON.parse(text) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) return { why: notJson(service) };
    return {
      why: `${service} could not be reached (${causeOf(error)}). Check web.search.url and the network.`,
    };
  }
}

function send({ url, headers = {}, body }: ServiceRequest, signal: AbortSignal): Promise<Response> {
  const common = { accept: "application/json", ...headers };
  if (body === undefined) return fetch(url, { headers: common, redirect: "manual", signal });
  return fetch(url, {
    method: "POST",
    headers: { ...common, "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "manual",
    signal,
  });
}

async function bodyText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function trouble({ service, meanings = {} }: ServiceRequest, response: Response, text: string): string {
  const { status } = response;
  const location = response.headers.get("location");
  if (status >= 300 && status < 400 && location !== null) {
    return `${service} sends to another address (${location.slice(0, 200)}). If that is right, set web.search.url to it.`;
  }
  const words = ownWords(text);
  const quote = words === "" ? "" : ` It says: ${words}`;
  const meaning = meanings[status] ?? (status >= 500 ? serverTrouble : "Try other words, or search later.");
  return `${service} answered with status ${status}. ${meaning}${quote}`;
}

const serverTrouble = "It has trouble of its own: try again later.";

/** The sentence of an error, wherever the service puts it. A whole web page says nothing. */
function ownWords(text: string): string {
  try {
    const { error, message, detail } = JSON.parse(text) as Record<string, unknown>;
    const inner = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
    const words = [error, inner["detail"], inner["message"], message, detail];
    return plainText(words.find((one) => typeof one === "string") ?? "").slice(0, 200);
  } catch {
    return "";
  }
}

const notJson = (service: string): string =>
  `${service} did not answer with search results but with something else, perhaps a web page. Check web.search.url.`;

function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code ?? (error instanceof Error ? error.message : String(error));
}
