import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { onLoopback } from "../loopback.ts";

export type MediaRequest = {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
};

/** What the service does with one request. `hang`: says nothing until the other side goes away. */
export type MediaReply =
  | {
      readonly status?: number;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Buffer | object;
    }
  | { readonly hang: true };

/** A service that draws and speaks over OpenAI's protocol, on loopback. Other paths than its two are not found. */
export type MediaServer = AsyncDisposable & {
  /** With `/v1`, as it stands in `providers.*.api`. */
  readonly url: string;
  readonly requests: readonly MediaRequest[];
  /** Resolves when so many requests have come. */
  waitForRequest(count: number): Promise<void>;
  /** How many of the requests were given up by whoever made them. */
  readonly leftAlone: () => number;
};

/** Each reply is used once; after the last one it goes on as a service that works. */
export async function startMediaService(
  replies: readonly MediaReply[],
  works: { readonly picture?: Buffer; readonly sound?: Buffer } = {},
): Promise<MediaServer> {
  const requests: MediaRequest[] = [];
  let left = 0;
  let news = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    response.once("close", () => (left += response.writableFinished ? 0 : 1));
    const body = await bodyOf(request);
    const path = request.url ?? "";
    if (request.method === "GET") return answer(response, pictureAt(path, works.picture));
    requests.push({ path, headers: request.headers, body });
    news.resolve();
    news = Promise.withResolvers<void>();
    const reply = replies[requests.length - 1] ?? usual(path, works);
    if (!("hang" in reply)) answer(response, reply);
  });
  const bound = await onLoopback(server);
  return {
    url: `${bound.origin}/v1`,
    requests,
    leftAlone: () => left,
    async waitForRequest(count) {
      while (requests.length < count) await news.promise;
    },
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}

async function bodyOf(request: IncomingMessage): Promise<MediaRequest["body"]> {
  const text = (await request.toArray()).join("");
  return text === "" ? {} : (JSON.parse(text) as MediaRequest["body"]);
}

function answer(response: ServerResponse, reply: Exclude<MediaReply, { hang: true }>): void {
  const { status = 200, headers = {}, body } = reply;
  const isPlain = typeof body === "string" || Buffer.isBuffer(body);
  const type = reply.type ?? (isPlain ? "application/octet-stream" : "application/json");
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(isPlain ? body : JSON.stringify(body));
}

function usual(path: string, works: { readonly picture?: Buffer; readonly sound?: Buffer }): MediaReply {
  if (path === "/v1/images/generations" && works.picture !== undefined)
    return { body: { created: 1, data: [{ b64_json: works.picture.toString("base64") }] } };
  if (path === "/v1/audio/speech" && works.sound !== undefined)
    return { type: "audio/wav", body: works.sound };
  return refusal(404, "Not Found");
}

const pictureAt = (path: string, picture: Buffer | undefined): Exclude<MediaReply, { hang: true }> =>
  picture !== undefined && path.startsWith("/pictures/")
    ? { type: "image/png", body: picture }
    : refusal(404, "Not Found");

/** An error as the protocol has it. */
export const refusal = (
  status: number,
  message: string,
  more: object = {},
): Exclude<MediaReply, { hang: true }> => ({ status, body: { error: { message, ...more } } });
