import type { Fields } from "../../core/json.ts";
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import { http } from "../../lib/http.ts";
import { jsonObject } from "../wire.ts";
import { chatFrames, chatWhole } from "./chat-frames.ts";
import { fromChat, fromResponses, type DemoRequest } from "./demo-request.ts";
import { play } from "./delivery.ts";
import {
  errorReply,
  reportedTokens,
  type ReplyContext,
  type StreamStep,
  type Reply,
  type ReportedTokens,
} from "./reply.ts";
import { responsesFrames, responsesWhole } from "./responses-frames.ts";
import { replyByRules } from "./rules.ts";

export type DemoModelOptions = {
  readonly clock: Clock;
  /** Instead of the built-in rules. */
  readonly answer?: (conversation: DemoRequest) => Reply;
  /** Told of each request for an answer, and of the tokens that an answer said it took, once that was sent. */
  readonly onRequest?: (request: ReceivedRequest) => void;
  readonly onReport?: (tokens: ReportedTokens) => void;
};

export type ReceivedRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Fields;
};

/** `url`: the base address for a route, `http://127.0.0.1:…/v1`. */
export type DemoModel = AsyncDisposable & { readonly url: string };

/** A model server on loopback that needs no network and no key. It speaks both protocols, streamed or whole. */
export async function startDemoModel(options: DemoModelOptions): Promise<DemoModel> {
  const { clock, answer = replyByRules } = options;
  const server = http().createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "/").replace(/\?.*$/, "");
    const text = await bodyText(request);
    if (path === "/v1/models") return sendJson(response, 200, models);
    const protocol = protocols.get(path);
    if (protocol === undefined || request.method !== "POST") return deliver(response, unknownPath(path));
    const body = jsonObject(text);
    if (body === undefined) return deliver(response, unreadable);
    options.onRequest?.({ path, headers: request.headers, body });
    const conversation = protocol.read(body);
    const context = { id: digest(text), model: conversation.model, inputChars: text.length };
    const reply = answer(conversation);
    await deliver(response, reply, {
      steps: () => protocol.frames(reply, context),
      whole: () => protocol.whole(reply, context),
      streamed: conversation.streamed,
      clock,
      report: (tokens = reportedTokens(reply, context)) => options.onReport?.(tokens),
    });
  }
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/v1`, [Symbol.asyncDispose]: () => close(server) };
}

type Protocol = {
  read(body: Fields): DemoRequest;
  frames(reply: Reply, context: ReplyContext): Iterable<StreamStep>;
  whole(reply: Reply, context: ReplyContext): object;
};

const protocols: ReadonlyMap<string, Protocol> = new Map([
  ["/v1/responses", { read: fromResponses, frames: responsesFrames, whole: responsesWhole }],
  ["/v1/chat/completions", { read: fromChat, frames: chatFrames, whole: chatWhole }],
]);

const models = {
  object: "list",
  data: [{ id: "demo", object: "model", created: 0, owned_by: "talaria" }],
};

const unknownPath = (path: string): Reply =>
  errorReply(
    404,
    "not_found",
    `The demo model has nothing at ${path}; it answers at /v1/responses and /v1/chat/completions.`,
  );

const unreadable = errorReply(400, "invalid_json", "The body of the request is not a JSON object.");

type Streaming = {
  steps(): Iterable<StreamStep>;
  whole(): object;
  readonly streamed: boolean;
  readonly clock: Clock;
  report(tokens?: ReportedTokens): void;
};

async function deliver(response: ServerResponse, reply: Reply, streaming?: Streaming): Promise<void> {
  const delivery = reply.delivery ?? {};
  if (delivery.http !== undefined) {
    response.writeHead(delivery.http.status, delivery.http.headers).end(delivery.http.body);
    return;
  }
  if (streaming === undefined) return;
  if (delivery.whole === true || !streaming.streamed) {
    sendJson(response, 200, streaming.whole());
    return streaming.report();
  }
  await play(streaming.steps(), response, delivery, streaming.clock, streaming.report);
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

const largestBody = 64 * 1024 * 1024;

async function bodyText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > largestBody) throw new Error("request too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Ids come from the request, so that they differ within a conversation even when the server was restarted in between. */
const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
