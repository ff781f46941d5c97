import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onLoopback } from "../test/loopback.ts";
import { systemClock } from "../src/lib/clock.ts";
import { type DemoRequest, fromResponses } from "../src/models/demo/demo-request.ts";
import { play } from "../src/models/demo/delivery.ts";
import type { Reply, ReportedTokens } from "../src/models/demo/reply.ts";
import { responsesFrames } from "../src/models/demo/responses-frames.ts";

export type Answer = (conversation: DemoRequest, body: string) => Reply;

export type AnsweringModel = AsyncDisposable & {
  readonly url: string;
  /** The tokens that its answers said they took. */
  readonly reported: ReportedTokens;
};

/** A model server on loopback, over the responses protocol, that answers from the conversation alone. */
export async function startAnsweringModel(answer: Answer): Promise<AnsweringModel> {
  let reported: ReportedTokens = { input: 0, output: 0 };
  const report = ({ input, output }: ReportedTokens): void => {
    reported = { input: reported.input + input, output: reported.output + output };
  };
  const server = createServer((request, response) => {
    respond(request, response, answer, report).catch(() => response.destroy());
  });
  const bound = await onLoopback(server);
  return {
    url: `${bound.origin}/v1`,
    get reported() {
      return reported;
    },
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  report: (tokens: ReportedTokens) => void,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  if (request.method !== "POST") return void response.writeHead(404).end();
  const text = Buffer.concat(chunks).toString("utf8");
  const reply = answer(fromResponses(JSON.parse(text) as Record<string, unknown>), text);
  const about = { id: crypto.randomUUID().slice(0, 12), model: "demo", inputChars: text.length };
  await play(responsesFrames(reply, about), response, reply.delivery ?? {}, systemClock, report);
}

/** Is it asked to look back at a conversation, rather than spoken to? */
export const isReview = ({ userTexts: said }: DemoRequest): boolean =>
  said.at(-1)?.startsWith("[Talaria, not the person") === true;
