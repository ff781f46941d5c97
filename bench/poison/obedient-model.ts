import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../src/lib/clock.ts";
import { type Conversation, type ToolOutput, fromResponses } from "../../src/models/demo/conversation.ts";
import { play } from "../../src/models/demo/delivery.ts";
import { type Reply, textReply } from "../../src/models/demo/reply.ts";
import { responsesFrames } from "../../src/models/demo/responses-frames.ts";

export type Call = { readonly tool: string; readonly args: object };

/** What it does, one call after the other: when the person speaks, and when it is asked to look back. */
export type Deeds = { readonly turn: readonly Call[]; readonly review: readonly Call[] };

export type ObedientModel = AsyncDisposable & {
  readonly url: string;
  /** What it is to do in the conversation with this word in it. */
  teach(word: string, deeds: Deeds): void;
  /** What its calls gave back. */
  results(word: string, phase: keyof Deeds): readonly ToolOutput[];
  /** The body of the last request that had this word in it. */
  lastBody(word: string): string;
};

/** A model server on loopback that does whatever it was taught, in every conversation, at any time. */
export async function startObedientModel(): Promise<ObedientModel> {
  const taught = new Map<string, Deeds>();
  const heard = new Map<string, readonly ToolOutput[]>();
  const bodies = new Map<string, string>();
  const answer = (conversation: Conversation, body: string): Reply => {
    const { said, results } = conversation;
    const word = /\bcase-[a-z]+-\d+\b/.exec(said.toReversed().join("\n"))?.[0] ?? "";
    const phase = said.at(-1)?.startsWith("[Talaria, not the person") === true ? "review" : "turn";
    heard.set(`${phase} ${word}`, results);
    bodies.set(word, body);
    const next = taught.get(word)?.[phase][results.length];
    return next === undefined ? textReply("Done.") : { content: [callOf(next, conversation)] };
  };
  const server = createServer((request, response) => {
    respond(request, response, answer).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    teach: (word, deeds) => void taught.set(word, deeds),
    results: (word, phase) => heard.get(`${phase} ${word}`) ?? [],
    lastBody: (word) => bodies.get(word) ?? "",
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (conversation: Conversation, body: string) => Reply,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  if (request.method !== "POST") return void response.writeHead(404).end();
  const text = Buffer.concat(chunks).toString("utf8");
  const reply = answer(fromResponses(JSON.parse(text) as Record<string, unknown>), text);
  const about = { id: crypto.randomUUID().slice(0, 12), model: "demo", inputChars: text.length };
  await play(responsesFrames(reply, about), response, {}, systemClock);
}

/** A tool that was offered within a namespace is called there; one that would have to be searched for first, beside `memory`. */
function callOf({ tool, args }: Call, { tools }: Conversation): Reply["content"][number] {
  const named = (wanted: string) => tools.find(({ name }) => name === wanted);
  const found = named(tool) ?? (tool === "skill_manage" ? named("memory") : undefined);
  const within = found?.namespace === undefined ? {} : { namespace: found.namespace };
  return { kind: "call", tool, ...within, args: JSON.stringify(args) };
}
